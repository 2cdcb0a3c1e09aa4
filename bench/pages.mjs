// A page from the middle of a packed member, or of a long line, compared with the same page of a plain file. The file was
// opened before, so this is the cost of the next page.
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarWith, zipWith } from './lib/archives.mjs';
import { folder, log, made } from './lib/data.mjs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, ms, ratio } from './lib/table.mjs';

const MB = 1_000_000;
const ours = (path) => insideProcess('ours', { input: { path }, repeat: 50 });

export function rows() {
  const size = sized(100, 4) * MB;
  const plain = log(`pages-${size}.log`, size);
  const content = readFileSync(plain);
  const at = Math.floor(size / 2);
  const page = `:@${at}+64K`;
  const from = Math.floor(size / 160);
  const lines = `:${from}..${from + 499}`;
  const zip = zipWith(`pages-${size}.zip`, 'a.log', content);
  const tar = made(`pages-${size}.tar.gz`, () => gzipSync(tarWith('a.log', content), { level: 1 }));
  const gzip = made(`pages-${size}.log.gz`, () => gzipSync(content, { level: 1 }));
  const length = sized(200, 5) * MB;
  const line = longLine(`line-${length}.json`, length, '{"id":1234567,"name":"an item","ok":true},');
  const wide = longLine(`line-wide-${length}.json`, length, '{"id":1234567,"name":"grüße 漢字","ok":true},');
  const first = ours(plain + page);
  const beside = (what, path, peer = first) => {
    const mine = ours(path);
    if (mine.failure) throw new Error(`${path}: ${mine.failure}`);
    return {
      what,
      'first call': ms(mine.cold),
      'oriel, again': ms(mine.warm),
      peer: peer === mine ? undefined : 'oriel, the same page of a plain file',
      'peer time': ms(peer.warm),
      ratio: ratio(mine.warm, peer.warm),
      'oriel memory': mb(mine.mb),
    };
  };
  const byLines = ours(plain + lines);
  return [
    beside('64 KiB, zip member', `${zip}:a.log${page}`),
    beside('64 KiB, tar.gz member', `${tar}:a.log${page}`),
    beside('64 KiB, .gz', `${gzip}${page}`),
    beside('500 lines, zip member', `${zip}:a.log${lines}`, byLines),
    beside('500 lines, tar.gz member', `${tar}:a.log${lines}`, byLines),
    beside('64 KiB, one line of ASCII', `${line}:@${length / 2}+64K`),
    beside('64 KiB, one line with wide characters', `${wide}:@${length / 2}+64K`),
  ];
}

function longLine(name, size, item) {
  const path = resolve(folder, name);
  if (existsSync(path)) return path;
  const file = openSync(path, 'w');
  const block = item.repeat(20_000);
  for (let written = 0; written < size;) written += writeSync(file, block);
  closeSync(file);
  return path;
}

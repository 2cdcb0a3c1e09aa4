// The files of the ten cases, made once below .bench/cases/.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { zipOf } from './archives.mjs';
import { folder, log, sparse } from './data.mjs';
import { USERS, users } from '../sqlite.mjs';
import { sized } from './quick.mjs';
import { makeTree } from './tree.mjs';

const LOG = sized(['1gb.log', 1_000_000_000], ['10mb.log', 10_000_000]);
const TREE = sized(['tree', 50_000], ['tree-2000', 2_000]);
const IMAGE = sized(['noise.png', 1_760], ['noise-600.png', 600]);

export function caseFiles() {
  mkdirSync(folder, { recursive: true });
  return {
    log: log(...LOG),
    huge: sparse('10gb.sparse', 10_000_000_000),
    line: once('one-line.txt', () => 'x'.repeat(10_000_000)),
    utf16: once('utf16.txt', () => Buffer.from('\ufeffgrün\r\nblau\r\n', 'utf16le')),
    tree: makeTree(...TREE),
    database: users(...USERS),
    zip: zipOf('cases.zip', 5_000),
    notebook: once('cases.ipynb', notebook),
    image: once(IMAGE[0], () => png(IMAGE[1], IMAGE[1])),
  };
}

function once(name, make) {
  const path = resolve(folder, name);
  if (!existsSync(path)) writeFileSync(path, make());
  return path;
}

/** 2.7 MB: two plots of 1.3 MB in their outputs. */
function notebook() {
  const plot = Buffer.alloc(975_000, 7).toString('base64');
  const cell = (no) => ({
    cell_type: 'code',
    execution_count: no,
    metadata: {},
    source: [`print("cell ${no}")\n`],
    outputs: [{ output_type: 'display_data', data: { 'image/png': plot }, metadata: {} }],
  });
  return JSON.stringify({ cells: [cell(1), cell(2)], metadata: {}, nbformat: 4, nbformat_minor: 5 });
}

/** Noise that does not compress: 9.3 MB of 1,760 pixels. */
function png(width, height) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(4);
    frame.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([frame, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = Buffer.alloc(height * (1 + width * 3));
  let seed = 1;
  for (let i = 0; i < pixels.length; i += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[i] = i % (1 + width * 3) === 0 ? 0 : seed >>> 24;
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

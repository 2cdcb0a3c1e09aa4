// Images: from the call to the block, compared with the same resizing by sharp without a child process. Memory is that of
// the process and its child together; every run has a process of its own.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { made } from './lib/data.mjs';
import { png } from './lib/png.mjs';
import { insideProcess } from './lib/process.mjs';
import { sized } from './lib/quick.mjs';
import { mb, median, ms, ratio } from './lib/table.mjs';

const folder = '.bench/images';

const formats = {
  jpg: (image) => image.jpeg({ quality: 90 }),
  'progressive.jpg': (image) => image.jpeg({ quality: 90, progressive: true }),
  png: (image) => image.png({ compressionLevel: 3 }),
  'interlaced.png': (image) => image.png({ compressionLevel: 3, progressive: true }),
  webp: (image) => image.webp({ quality: 90 }),
  gif: (image) => image.gif({ effort: 1 }),
  'lzw.tiff': (image) => image.tiff({ compression: 'lzw' }),
  avif: (image) => image.avif({ effort: 0 }),
};

/** Bytes of zeros in the hostile ones. */
const PACKED = sized(1 << 28, 1 << 24);

export async function rows({ megapixels = sized([6, 12, 24], [1]), runs = sized(5, 1) } = {}) {
  mkdirSync(folder, { recursive: true });
  const table = [];
  for (const size of megapixels) {
    for (const format of sized(Object.keys(formats), ['jpg', 'avif'])) {
      const path = await photo(format, size);
      table.push(row(`${format}, ${size} megapixels, resized`, path, runs, true));
    }
  }
  table.push(row('60,000x60,000 png, refused', bomb(), runs, false));
  table.push(row(`png with ${PACKED >> 20} MiB of packed text`, textBomb(), runs, true));
  return table;
}

function row(what, path, runs, peer) {
  const warm = [{ path: `${path}:meta` }];
  const ours = measured('ours', runs, { input: { path }, warm, children: true, mayFail: true });
  const theirs = peer ? measured('sharp', runs, { input: { path } }) : undefined;
  return {
    what,
    size: `${(statSync(path).size / 1e6).toFixed(1)} MB`,
    answer: ours.text,
    oriel: ms(ours.ms),
    peer: theirs && 'sharp in process',
    'peer time': ms(theirs?.ms),
    ratio: ratio(ours.ms, theirs?.ms),
    'oriel memory': mb(ours.mb),
    'peer memory': mb(theirs?.mb),
  };
}

function measured(who, count, options) {
  const runs = Array.from({ length: count }, () => insideProcess(who, options));
  return {
    text: runs[0].text.split('\n')[0],
    ms: median(runs.map(({ cold }) => cold)),
    mb: Math.max(...runs.map((run) => run.mb + (run.below ?? 0))),
  };
}

/** Smooth noise, about as hard to encode as a photograph. */
async function photo(format, megapixels) {
  const path = join(folder, `${megapixels}.${format}`);
  if (existsSync(path)) return path;
  const { default: sharp } = await import('sharp');
  const height = Math.round(Math.sqrt((megapixels * 1e6) / 1.5));
  const noise = { type: 'gaussian', mean: 128, sigma: 40 };
  const side = Math.round(height / 8);
  const seed = await sharp({ create: { width: side, height: side, channels: 3, noise } })
    .png()
    .toBuffer();
  const image = sharp(seed).resize(Math.round(height * 1.5), height, { fit: 'fill', kernel: 'cubic' });
  writeFileSync(path, await formats[format](image).toBuffer());
  return path;
}

/** A header with 3,600 megapixels, and pixel data that is never decoded. */
const bomb = () =>
  made(`images/bomb-${PACKED}.png`, () => png(60_000, 60_000, [['IDAT', deflateSync(Buffer.alloc(PACKED))]]));

const textBomb = () =>
  made(`images/text-${PACKED}.png`, () => {
    const text = Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(PACKED))]);
    return png(1, 1, [
      ['zTXt', text],
      ['IDAT', deflateSync(Buffer.alloc(4))],
    ]);
  });

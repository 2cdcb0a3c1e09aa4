// The files of the ten cases, made once below .bench/cases/.
import { mkdirSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { zipOf } from './archives.mjs';
import { folder, log, made, sparse } from './data.mjs';
import { USERS, users } from '../sqlite.mjs';
import { png } from './png.mjs';
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
    line: made('one-line.txt', () => 'x'.repeat(10_000_000)),
    utf16: made('utf16.txt', () => Buffer.from('\ufeffgrün\r\nblau\r\n', 'utf16le')),
    tree: makeTree(...TREE),
    database: users(...USERS),
    zip: zipOf('cases.zip', 5_000),
    notebook: made('cases.ipynb', notebook),
    image: made(IMAGE[0], () => noise(IMAGE[1])),
  };
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
function noise(side) {
  const pixels = Buffer.alloc(side * (1 + side * 3));
  let seed = 1;
  for (let i = 0; i < pixels.length; i += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[i] = i % (1 + side * 3) === 0 ? 0 : seed >>> 24;
  }
  return png(side, side, [['IDAT', deflateSync(pixels, { level: 1 })]]);
}

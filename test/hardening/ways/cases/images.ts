/** Pictures that swell, are damaged, or tell more than they show; notebooks that are none. */

import sharp from 'sharp';
import {
  deflatedZeros,
  exifBlock,
  heic,
  makePng,
  pngChunk,
  pngEnd,
  pngHeader,
  pngSignature,
  withExif,
} from '../../../support/images.ts';
import { ANY, type Case, read } from '../case.ts';

const notebook = (...cells: unknown[]): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

const code = (source: unknown): object => ({ cell_type: 'code', source, outputs: [] });

const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'tiff'] as const;

export const images: readonly Case[] = [
  {
    id: 'I01',
    title: 'a PNG of 60,000 by 60,000 pixels',
    heavy: true,
    async make({ write }) {
      const pixels = pngChunk('IDAT', await deflatedZeros(60_000 * (1 + 60_000 / 8)));
      write('a.png', Buffer.concat([pngSignature, pngHeader(60_000, 60_000, 0, 1), pixels, pngEnd]));
    },
    steps: [
      read('a.png', { code: 'LIMIT', images: 0 }),
      read('a.png:meta', { has: '60000x60000 pixels', images: 0 }),
    ],
    mostMb: 150,
  },
  {
    id: 'I03',
    title: 'a picture that is cut short',
    make({ write }) {
      const whole = makePng(300, 200);
      write('a.png', whole.subarray(0, whole.length / 2));
      write('head.png', whole.subarray(0, 20));
    },
    steps: [read('a.png', { code: 'CORRUPT', has: '300x200 pixels' }), read('head.png', { code: 'CORRUPT' })],
  },
  {
    id: 'I04',
    title: 'a text of 256 MB in a small picture',
    heavy: true,
    async make({ write }) {
      const text = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), await deflatedZeros(256e6)]));
      write('a.png', makePng(64, 48, undefined, [text]));
    },
    steps: [read('a.png', { images: 1 })],
    mostMb: 200,
  },
  {
    id: 'I08',
    title: 'a place and a colour profile in a photograph',
    async make({ write }) {
      const photo = await sharp(makePng(60, 40)).withIccProfile('p3').jpeg().toBuffer();
      write('a.jpg', withExif(photo, exifBlock(6)));
    },
    steps: [read('a.jpg', { images: 1, has: '40x60 pixels', lacks: 'GPS' })],
  },
  {
    id: 'I09',
    title: 'damaged pictures of six kinds: no decoder takes the process with it',
    async make({ write }) {
      let state = 11;
      const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
      const wholes = await Promise.all(
        FORMATS.map((format) => sharp(makePng(90, 70)).toFormat(format).toBuffer()),
      );
      for (const [i, whole] of [...wholes, heic].entries()) {
        const damaged = Buffer.from(whole);
        for (let flips = 0; flips < 12; flips += 1) damaged[20 + random(damaged.length - 20)] = random(256);
        write(`a${i}`, damaged);
      }
    },
    steps: Array.from({ length: FORMATS.length + 1 }, (_, i) => read(`a${i}`, { code: ANY })),
  },
  {
    id: 'N01',
    title: 'a notebook that is cut short, and one nested 500,000 deep',
    make({ write }) {
      write('cut.ipynb', notebook(code('first'), code('second')).slice(0, -30));
      write('deep.ipynb', `{"cells": [], "metadata": ${'['.repeat(500_000)}`);
    },
    steps: [
      read('cut.ipynb', { code: 'CORRUPT', has: 'Use cut.ipynb:raw for its text.' }),
      read('cut.ipynb:raw', { has: '"cells"' }),
      read('deep.ipynb', { code: 'CORRUPT' }),
    ],
  },
  {
    id: 'N03',
    title: 'wrong types in a notebook, and one without cells',
    make({ write }) {
      const bad = { cell_type: 'code', source: { x: 1 } };
      write('types.ipynb', notebook(code(['a = ', '1']), 7, bad, code('b')));
      write('none.ipynb', '{"metadata":{},"nbformat":4,"nbformat_minor":5}');
    },
    steps: [read('types.ipynb', { has: ['a = 1', 'b'] }), read('none.ipynb', { code: ['OK', 'CORRUPT'] })],
  },
  {
    id: 'N06',
    title: 'a cell beyond the last one',
    make: ({ write }) => write('a.ipynb', notebook(code('a'))),
    steps: [
      read('a.ipynb:cells:99', { code: ['OUT_OF_RANGE', 'BAD_SELECTOR'] }),
      read('a.ipynb:999', { code: ['OUT_OF_RANGE'] }),
    ],
  },
];

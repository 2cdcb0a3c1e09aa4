import { expect, test } from 'vitest';
import { joinParts, pngParts } from '../../../src/formats/image/shown-copy.ts';
import { makePng, pngChunk } from '../../support/images.ts';

test.each([
  [[[0, 26]]],
  [
    [
      [0, 2],
      [4, 26],
    ],
  ],
  [
    [
      [0, 20],
      [22, 26],
    ],
  ],
  [
    [
      [0, 2],
      [3, 5],
      [8, 20],
      [21, 22],
      [24, 26],
    ],
  ],
  [
    [
      [1, 3],
      [5, 7],
      [9, 11],
    ],
  ],
  [
    [
      [0, 3],
      [20, 99],
    ],
  ],
  [[]],
] satisfies [[number, number][]][])('parts %j of the alphabet are joined in place', (parts) => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz';
  const bytes = Buffer.from(new ArrayBuffer(26));
  bytes.write(alphabet);
  const joined = joinParts(bytes, parts);
  expect(joined.toString()).toBe(parts.map(([start, end]) => alphabet.slice(start, end)).join(''));
  expect(joined.buffer).toBe(bytes.buffer);
});

test('unneeded chunks of a PNG are removed', () => {
  const bare = makePng(20, 10);
  const bulk = [pngChunk('pHYs', Buffer.alloc(9)), pngChunk('tEXt', Buffer.alloc(100_000, 'text'))];
  const png = makePng(20, 10, undefined, bulk);
  expect(png.length).toBeGreaterThan(bare.length);
  expect(joinParts(png, pngParts(png))).toEqual(bare);
});

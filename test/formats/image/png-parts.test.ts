import { expect, test } from 'vitest';
import { joinParts, pngParts } from '../../../src/formats/image/shown-copy.ts';
import { makePng, pngChunk } from '../../support/images.ts';

test('unneeded chunks of a PNG are removed', () => {
  const bare = makePng(20, 10);
  const bulk = [pngChunk('pHYs', Buffer.alloc(9)), pngChunk('tEXt', Buffer.alloc(100_000, 'text'))];
  const png = makePng(20, 10, undefined, bulk);
  expect(png.length).toBeGreaterThan(bare.length);
  expect(joinParts(png, pngParts(png))).toEqual(bare);
});

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../../src/access/bytes.ts';
import { isOrielError } from '../../../src/errors.ts';
import { identifyImage } from '../../../src/sources/image/identify.ts';
import { type RasterType, readImageHeader } from '../../../src/sources/image/read-header.ts';
import {
  exifBlock,
  makePng,
  pngChunk,
  pngEnd,
  pngHeader,
  pngSignature,
  withExif,
} from '../../support/images.ts';

const base = sharp(makePng(60, 40));
const alpha = base.clone().ensureAlpha(0.5);

const header = (bytes: Uint8Array, type: RasterType) => readImageHeader(memoryBytes(bytes, 'test'), type);

/** Every format in the variants that its header tells apart, beside what the header must say. */
const made: readonly [string, RasterType, () => Promise<Buffer>, object][] = [
  ['png', 'png', () => base.clone().png().toBuffer(), { channels: 3, alpha: false }],
  ['png with alpha', 'png', () => alpha.clone().png().toBuffer(), { channels: 4, alpha: true }],
  [
    'png in grey',
    'png',
    () => base.clone().toColourspace('b-w').png().toBuffer(),
    { channels: 1, alpha: false },
  ],
  [
    'png with a palette',
    'png',
    () => base.clone().png({ palette: true }).toBuffer(),
    { channels: 3, alpha: false },
  ],
  [
    'png interlaced',
    'png',
    () => base.clone().png({ progressive: true }).toBuffer(),
    { channels: 3, alpha: false, held: 3 },
  ],
  ['jpeg', 'jpeg', () => base.clone().jpeg().toBuffer(), { channels: 3, alpha: false }],
  [
    'jpeg progressive',
    'jpeg',
    () => base.clone().jpeg({ progressive: true }).toBuffer(),
    { channels: 3, alpha: false, held: 3 },
  ],
  [
    'jpeg in grey',
    'jpeg',
    () => base.clone().toColourspace('b-w').jpeg().toBuffer(),
    { channels: 1, alpha: false },
  ],
  [
    'gif',
    'gif',
    () => base.clone().gif().toBuffer(),
    { channels: 3, alpha: false, frames: { count: 1 }, held: 6 },
  ],
  ['webp', 'webp', () => base.clone().webp().toBuffer(), { channels: 3, alpha: false, held: 4 }],
  ['webp with alpha', 'webp', () => alpha.clone().webp().toBuffer(), { channels: 4, alpha: true, held: 4 }],
  [
    'webp lossless',
    'webp',
    () => base.clone().webp({ lossless: true }).toBuffer(),
    { channels: 3, alpha: false, held: 4 },
  ],
  ['avif', 'avif', () => base.clone().avif().toBuffer(), { channels: 3, alpha: false, held: 20 }],
  ['avif with alpha', 'avif', () => alpha.clone().avif().toBuffer(), { channels: 4, alpha: true, held: 20 }],
  ['tiff', 'tiff', () => base.clone().tiff().toBuffer(), { channels: 3, alpha: false, held: 4 }],
  [
    'tiff with alpha',
    'tiff',
    () => alpha.clone().tiff({ compression: 'lzw' }).toBuffer(),
    { channels: 4, alpha: true, held: 4 },
  ],
];

describe('what a header says', () => {
  test.each(made)('%s', async (_, type, make, facts) => {
    const bytes = await make();
    expect(identifyImage(bytes)).toBe(type);
    const { orientation, ...read } = await header(bytes, type);
    expect(orientation ?? 1).toBe(1);
    expect(read).toEqual({ width: 60, height: 40, ...facts });
  });

  test('the number of frames', async () => {
    const frames = sharp([makePng(60, 40), makePng(60, 40, () => [0, 0, 0])], { join: { animated: true } });
    const gif = await frames.clone().gif().toBuffer();
    const webp = await frames.clone().webp().toBuffer();
    expect((await header(gif, 'gif')).frames).toEqual({ count: 2 });
    expect((await header(webp, 'webp')).frames).toEqual({ count: 2 });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i', async (orientation) => {
    const jpeg = withExif(await base.clone().jpeg().toBuffer(), exifBlock(orientation));
    const png = makePng(60, 40, undefined, [pngChunk('eXIf', exifBlock(orientation))]);
    const webp = await base.clone().withMetadata({ orientation }).webp().toBuffer();
    const tiff = await base.clone().withMetadata({ orientation }).tiff().toBuffer();
    expect((await header(jpeg, 'jpeg')).orientation).toBe(orientation);
    expect((await header(png, 'png')).orientation).toBe(orientation);
    expect((await header(webp, 'webp')).orientation).toBe(orientation);
    expect((await header(tiff, 'tiff')).orientation ?? 1).toBe(orientation);
  });
});

describe('damaged headers', () => {
  test.each(made)('%s cut at every byte is known or CORRUPT', async (_, type, make) => {
    const bytes = await make();
    for (let length = 0; length < Math.min(bytes.length, 700); length++) {
      const result = await header(bytes.subarray(0, length), type).catch((error: unknown) => error);
      if (isOrielError(result)) expect(result.code).toBe('CORRUPT');
      else expect(result).toMatchObject({ width: 60, height: 40 });
    }
  });

  test('a million empty chunks or segments end the search', async () => {
    const text = pngChunk('tEXt', Buffer.alloc(0));
    const png = Buffer.concat([pngSignature, pngHeader(5, 6), ...Array<Buffer>(100_000).fill(text), pngEnd]);
    expect(await header(png, 'png')).toMatchObject({ width: 5, height: 6 });
    const segments = Buffer.alloc(4_000_000);
    for (let at = 0; at < segments.length; at += 4) segments.set([0xff, 0xfe, 0, 2], at);
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), segments]);
    await expect(header(jpeg, 'jpeg')).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('a side of 0 pixels', async () => {
    const png = Buffer.concat([pngSignature, pngHeader(0, 7), pngEnd]);
    await expect(header(png, 'png')).rejects.toThrow('The png image says that it is 0x7 pixels.');
  });
});

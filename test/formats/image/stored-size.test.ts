import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { type ImageType, identifyImage } from '../../../src/formats/image/detect.ts';
import { storedSize } from '../../../src/formats/image/stored-size.ts';
import type { ByteSource } from '../../../src/types/access.ts';
import { bmpHeader, exifBlock, heic, iconDirectory, makePng, withExif } from '../../support/images.ts';

const base = sharp(makePng(60, 40));
const two = sharp([makePng(60, 40), makePng(60, 40)], { join: { animated: true } });

const size = (bytes: Uint8Array, type: ImageType) => storedSize(memoryBytes(bytes), type);

const made: readonly [string, ImageType, () => Promise<Buffer>, object?][] = [
  ['png', 'png', () => base.clone().png().toBuffer()],
  ['jpeg', 'jpeg', () => base.clone().jpeg().toBuffer()],
  ['jpeg with a profile', 'jpeg', () => base.clone().withIccProfile('p3').jpeg().toBuffer()],
  ['gif', 'gif', () => base.clone().gif().toBuffer()],
  ['webp', 'webp', () => base.clone().webp().toBuffer()],
  ['webp lossless', 'webp', () => base.clone().webp({ lossless: true }).toBuffer()],
  ['webp with alpha', 'webp', () => base.clone().ensureAlpha(0.5).webp().toBuffer()],
  ['avif', 'avif', () => base.clone().avif().toBuffer()],
  ['tiff, whose directory is at its end', 'tiff', () => base.clone().tiff().toBuffer()],
  ['tiff with two pages', 'tiff', () => two.clone().tiff().toBuffer()],
  ['heic', 'heic', () => Promise.resolve(heic), { width: 300, height: 200 }],
  ['bmp', 'bmp', () => Promise.resolve(bmpHeader(60, -40))],
  ['ico', 'ico', () => Promise.resolve(iconDirectory([16, 48, 32])), { width: 48, height: 48, frames: 3 }],
  ['svg', 'svg', () => Promise.resolve(Buffer.from('<svg viewBox="0 0 60 40"></svg>'))],
];

describe('the size declared in the first bytes', () => {
  test.each(made)('%s', async (_, type, make, expected = { width: 60, height: 40 }) => {
    const bytes = await make();
    expect(identifyImage(bytes)).toBe(type);
    expect(await size(bytes, type)).toEqual(expected);
  });

  test.each(made)('%s truncated at any byte gives the size or nothing', async (_, type, make, expected) => {
    const bytes = await make();
    // Other content follows the cut in memory: it must not be read.
    const memory = Buffer.alloc(bytes.length + 4096, 7);
    bytes.copy(memory);
    for (let length = 0; length < Math.min(bytes.length, 700); length += 1) {
      const found = await size(memory.subarray(0, length), type);
      if (found) expect(found).toEqual(expected ?? { width: 60, height: 40 });
    }
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('of a JPEG is after rotation: orientation %i', async (orientation) => {
    const jpeg = withExif(await base.clone().jpeg().toBuffer(), exifBlock(orientation));
    const [width, height] = orientation < 5 ? [60, 40] : [40, 60];
    expect(await size(jpeg, 'jpeg')).toEqual({ width, height });
  });
});

describe('hostile headers', () => {
  /** Counts the bytes that are handed out of `bytes`. */
  function counted(bytes: Buffer): { source: ByteSource; read(): number } {
    const inner = memoryBytes(bytes);
    let read = 0;
    const source: ByteSource = {
      ...inner,
      async readInto(target, offset, signal) {
        const filled = await inner.readInto(target, offset, signal);
        read += filled;
        return filled;
      },
    };
    return { source, read: () => read };
  }

  const box = (type: string, size: number, body = Buffer.alloc(0)) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(size);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  const ftyp = box('ftyp', 16, Buffer.from('heic\0\0\0\0', 'latin1'));

  /** A HEIF whose properties are a million sizes: image-size takes time quadratic in what it is given of them. */
  function manySizes(): Buffer {
    const sizes = Buffer.alloc(
      20 * 1_000_000,
      box('ispe', 20, Buffer.from([0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 5])),
    );
    const inner = 8 + sizes.length;
    const heads = [box('meta', inner + 20, Buffer.alloc(4)), box('iprp', inner + 8), box('ipco', inner)];
    return Buffer.concat([ftyp, ...heads, sizes]);
  }

  test.each<[string, ImageType, number, () => Buffer]>([
    ['a HEIF of a million sizes', 'heic', 16 * 1024, manySizes],
    ['boxes that say they have 0 bytes', 'heic', 16 * 1024, () => Buffer.concat([ftyp, Buffer.alloc(1e6)])],
    ['an SVG that never begins', 'svg', 4096, () => Buffer.from('<svg '.repeat(1e6))],
    [
      'a JPEG of empty segments',
      'jpeg',
      256 * 1024,
      () => Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(4e6, Buffer.from([0xff, 0xfe, 0, 2]))]),
    ],
    [
      'a TIFF of 65,535 tags',
      'tiff',
      8 + 2 + 12 * 512,
      () => Buffer.concat([Buffer.from('II*\0\b\0\0\0\xff\xff', 'latin1'), Buffer.alloc(12 * 65_535, 1)]),
    ],
    [
      'icons without end',
      'ico',
      4096,
      () => Buffer.concat([iconDirectory(Array<number>(255).fill(9)), Buffer.alloc(1e6)]),
    ],
  ])('%s: a bounded part is looked at', async (_, type, most, make) => {
    const { source, read } = counted(make());
    await storedSize(source, type);
    expect(read()).toBeLessThanOrEqual(most);
  });
});

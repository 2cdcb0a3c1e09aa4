import { describe, expect, test } from 'vitest';
import { readBmpPixels } from '../../../src/sources/image/bmp-pixels.ts';
import { type BmpOptions, makeBmp } from '../../support/images.ts';

const RED = '#ff0000ff';
const GREEN = '#00ff00ff';
const BLUE = '#0000ffff';
const WHITE = '#ffffffff';
/** Rows as hexadecimal bytes. */
const hex = (...rows: readonly string[]) => Buffer.from(rows.join(''), 'hex');

/** Blue, green, red, white as a palette stores them. */
const palette = [255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 255, 255, 255, 0];

/** Pixels as `#rrggbbaa`, row by row from the top. */
function decode(options: BmpOptions): string[][] {
  const { width, height, data } = readBmpPixels(makeBmp(options), options.bare ?? false, 1e6);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => {
      const at = (y * width + x) * 4;
      return `#${data.toString('hex', at, at + 4)}`;
    }),
  );
}

describe('bitmaps', () => {
  // The stored rows go from the bottom up: white and blue lie below red and green.
  const expected = [
    [RED, GREEN],
    [WHITE, BLUE],
  ];

  test.each<[string, Omit<BmpOptions, 'width' | 'height'>]>([
    ['24 bits', { bits: 24, pixels: hex('ffffffff00000000', '0000ff00ff000000') }],
    [
      '32 bits, whose fourth byte is padding',
      { bits: 32, pixels: hex('ffffff00ff000000', '0000ff0000ff0000') },
    ],
    ['16 bits, five each', { bits: 16, pixels: hex('ff7f1f00', '007ce003') }],
    [
      '16 bits, 5-6-5',
      {
        bits: 16,
        compression: 3,
        masks: [0xf800, 0x7e0, 0x1f],
        pixels: hex('ffff1f00', '00f8e007'),
      },
    ],
    ['8 bits', { bits: 8, palette, pixels: hex('03000000', '02010000') }],
    ['4 bits', { bits: 4, palette, pixels: hex('30000000', '21000000') }],
    ['runs of 8 bits', { bits: 8, compression: 1, palette, pixels: hex('0103010000000102010100', '0001') }],
    ['runs of 4 bits', { bits: 4, compression: 2, palette, pixels: hex('02300000', '0221', '0001') }],
  ])('%s', (_, options) => {
    expect(decode({ width: 2, height: 2, ...options })).toEqual(expected);
  });

  test('1 bit, rows from the top', () => {
    const pixels = hex('a0000000', '40000000');
    expect(decode({ width: 3, height: -2, bits: 1, palette: palette.slice(0, 8), pixels })).toEqual([
      [GREEN, BLUE, GREEN],
      [BLUE, GREEN, BLUE],
    ]);
  });

  test('32 bits with alpha', () => {
    const options = { bits: 32, compression: 6, masks: [0xff0000, 0xff00, 0xff, 0xff000000] };
    expect(decode({ width: 1, height: 1, ...options, pixels: hex('0000ff80') })).toEqual([['#ff000080']]);
  });

  test('an icon has a mask under its colours and counts it in its height', () => {
    const pixels = hex('0000ff000000', '0000', '80000000');
    expect(decode({ width: 2, height: 2, bits: 24, pixels, bare: true })).toEqual([
      ['#ff000000', '#000000ff'],
    ]);
  });

  test('escaped runs, jumps and literal runs', () => {
    // Jump 1 right and 1 up, then three literal pixels padded to four, then the end.
    const pixels = hex('00020101', '000302010300', '0001');
    expect(decode({ width: 4, height: 2, bits: 8, compression: 1, palette, pixels })).toEqual([
      ['#00000000', RED, GREEN, WHITE],
      Array<string>(4).fill('#00000000'),
    ]);
  });
});

describe('damaged bitmaps', () => {
  const good = { width: 2, height: 2, bits: 24, pixels: Buffer.alloc(16) };

  test.each<[string, BmpOptions]>([
    ['has no pixels', { ...good, width: 0 }],
    ['has no pixels', { ...good, width: -2 }],
    ['exceeds the pixel limit', { ...good, width: 2 ** 31 - 1, height: 2 ** 31 - 1 }],
    ['is cut short', { ...good, pixels: Buffer.alloc(15) }],
    ['is cut short', { ...good, bits: 8, compression: 1, palette, pixels: Buffer.from('0201') }],
    ['are not known', { ...good, bits: 7 }],
    ['are not known', { ...good, compression: 4 }],
  ])('%s', (message, options) => {
    expect(() => decode(options)).toThrow(message);
  });

  test('any prefix throws or decodes, and nothing else', () => {
    const whole = makeBmp({
      width: 5,
      height: 5,
      bits: 8,
      compression: 1,
      palette,
      pixels: Buffer.alloc(40, 5),
    });
    for (let length = 0; length <= whole.length; length++) {
      try {
        readBmpPixels(whole.subarray(0, length), false, 1e6);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});

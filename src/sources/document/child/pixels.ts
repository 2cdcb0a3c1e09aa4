/** Decoded pixels as PNG, shrunk to the size of a page's picture. */

import { Refused } from '../protocol.ts';
import { EDGE } from './pdf.ts';

export interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** 0 for a bit a pixel, 1 for white, in whole bytes a row; grey, RGB, RGBA. */
  readonly channels: 0 | 1 | 3 | 4;
}

/** Throws Refused (`missing`). */
export async function pngOf(image: Pixels): Promise<Uint8Array> {
  const { createCanvas, ImageData } = await import('@napi-rs/canvas').catch(() => {
    throw new Refused('missing', '@napi-rs/canvas');
  });
  const { pixels, width, height } = shrunk(image);
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas.toBuffer('image/png');
}

/** RGBA; each pixel is the mean of those that it stands for. A copy in the full size is never made. */
function shrunk(image: Pixels): { pixels: Uint8ClampedArray; width: number; height: number } {
  const scale = Math.min(1, EDGE / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  const sums = new Float64Array(4 * width * height);
  const counts = new Uint32Array(width * height);
  const columns = Uint32Array.from({ length: image.width }, (_, x) => Math.floor((x * width) / image.width));
  for (let y = 0; y < image.height; y += 1) {
    const row = width * Math.floor((y * height) / image.height);
    for (let x = 0; x < image.width; x += 1) add(image, x, y, row + (columns[x] as number), sums, counts);
  }
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (const [at, count] of counts.entries()) {
    const alpha = sums[4 * at + 3] as number;
    for (let i = 0; i < 3; i += 1) pixels[4 * at + i] = (sums[4 * at + i] as number) / (alpha || 1);
    pixels[4 * at + 3] = alpha / count;
  }
  return { pixels, width, height };
}

/** Colours count by their opacity. */
function add(
  { data, width, channels }: Pixels,
  x: number,
  y: number,
  to: number,
  sums: Float64Array,
  counts: Uint32Array,
): void {
  const at = channels === 0 ? y * Math.ceil(width / 8) + (x >> 3) : channels * (y * width + x);
  const first = data[at] as number;
  const red = channels === 0 ? ((first >> (7 - (x & 7))) & 1) * 255 : first;
  const alpha = channels === 4 ? (data[at + 3] as number) : 255;
  const isGrey = channels < 3;
  sums[4 * to] = (sums[4 * to] as number) + red * alpha;
  sums[4 * to + 1] = (sums[4 * to + 1] as number) + (isGrey ? red : (data[at + 1] as number)) * alpha;
  sums[4 * to + 2] = (sums[4 * to + 2] as number) + (isGrey ? red : (data[at + 2] as number)) * alpha;
  sums[4 * to + 3] = (sums[4 * to + 3] as number) + alpha;
  counts[to] = (counts[to] as number) + 1;
}

/** Encodes pixels as pictures, within the limits on pixels and bytes of a shown image. */

import type { Canvas } from '@napi-rs/canvas';
import { MAX_SHOWN_IMAGE_BYTES } from '../../image/limits.ts';
import { DocumentRefusal } from '../protocol.ts';

/** The most pixels of the longer side of a picture. */
export const EDGE = 1_400;

type Library = typeof import('@napi-rs/canvas');

export interface EncodedPicture {
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Throws Refused (`missing`). */
export function canvasLibrary() {
  return import('@napi-rs/canvas').catch(() => {
    throw new DocumentRefusal('missing', '@napi-rs/canvas');
  });
}

export interface PixelData {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** 0: one bit per pixel (1 is white), rows padded to whole bytes; 1: grey; 3: RGB; 4: RGBA. One byte per channel. */
  readonly channels: 0 | 1 | 3 | 4;
}

/** Throws Refused (`missing`). */
export async function pictureOfPixels(image: PixelData): Promise<EncodedPicture> {
  const library = await canvasLibrary();
  const { pixels, width, height } = shrunk(image);
  const canvas = library.createCanvas(width, height);
  canvas.getContext('2d').putImageData(new library.ImageData(pixels, width, height), 0, 0);
  return fitting(library, canvas, image.channels === 4);
}

/** A rendered page, encoded again if its PNG is too large. */
export async function pictureOfPng(
  png: Uint8Array,
  size: { width: number; height: number },
): Promise<EncodedPicture> {
  if (png.length <= MAX_SHOWN_IMAGE_BYTES) return { mimeType: 'image/png', data: png, ...size };
  const library = await canvasLibrary();
  const image = await library.loadImage(Buffer.from(png.buffer, png.byteOffset, png.length));
  const canvas = library.createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return fitting(library, canvas, false);
}

/** Encoder qualities that are tried before the number of pixels is reduced. */
const QUALITIES = [85, 60, 40];

/** Scale factors that are tried; with the last one every picture fits. */
const SIZES = [1, 0.7, 0.5, 0.35, 0.2];

/** The first encoding that fits: PNG, then lower quality, then fewer pixels. */
function fitting({ createCanvas }: Library, canvas: Canvas, isTransparent: boolean): EncodedPicture {
  const mimeType = isTransparent ? 'image/webp' : 'image/jpeg';
  for (const size of SIZES) {
    const width = Math.max(1, Math.round(size * canvas.width));
    const height = Math.max(1, Math.round(size * canvas.height));
    const small = createCanvas(width, height);
    small.getContext('2d').drawImage(canvas, 0, 0, width, height);
    const png = size === 1 ? small.toBuffer('image/png') : undefined;
    if (png && png.length <= MAX_SHOWN_IMAGE_BYTES)
      return { mimeType: 'image/png', data: png, width, height };
    for (const quality of QUALITIES) {
      const data = small.toBuffer(mimeType, quality);
      if (data.length <= MAX_SHOWN_IMAGE_BYTES) return { mimeType, data, width, height };
    }
  }
  throw new DocumentRefusal('limit', `its picture takes more than ${MAX_SHOWN_IMAGE_BYTES >> 10} KiB`);
}

/** Scales down to RGBA by area averaging, without a copy in full size. */
function shrunk(image: PixelData): { pixels: Uint8ClampedArray; width: number; height: number } {
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

/** Adds one pixel to the sums of a target pixel; colours are weighted by their opacity. */
function add(
  { data, width, channels }: PixelData,
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

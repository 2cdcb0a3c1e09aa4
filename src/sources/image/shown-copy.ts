/**
 * Makes the copy of an image that a model is shown: decoded, shrunk, turned upright and encoded until it fits. Runs in
 * the decoding child.
 */

import type { Sharp, SharpOptions } from 'sharp';
import type { DecodeType, ImageBudget, RasterFacts } from './decode.ts';

export type Library = typeof import('sharp').default;

export interface Copy {
  readonly mimeType: string;
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** How every image is opened: its first frame, read in order. */
export const OPENING: SharpOptions = { failOn: 'error', sequentialRead: true, page: 0, pages: 1 };

/** The copy within `budget`. Throws what sharp throws; its message has "pixel limit" for more pixels than declared. */
export async function makeCopy(
  sharp: Library,
  bytes: Buffer,
  type: DecodeType,
  facts: RasterFacts,
  budget: ImageBudget,
): Promise<Copy> {
  const small = await shrink(sharp, bytes, facts, budget);
  return encode(sharp, small, budget, isLosslessWorthwhile(type, bytes.length, facts, budget));
}

/** Pixels of 8 bits a channel, row by row from the top. */
interface Pixels {
  readonly data: Buffer;
  readonly info: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** The operation that makes the stored pixels upright, by EXIF orientation. */
const TURNS: Readonly<Record<number, (image: Sharp) => Sharp>> = {
  2: (image) => image.flop(),
  3: (image) => image.rotate(180),
  4: (image) => image.flip(),
  5: (image) => image.rotate(90).flip(),
  6: (image) => image.rotate(90),
  7: (image) => image.rotate(270).flip(),
  8: (image) => image.rotate(270),
};

/** Shrinks before it rotates: the box is a square, so the picture is the same, and only the small copy is held whole. */
async function shrink(
  sharp: Library,
  bytes: Buffer,
  { width, height, orientation = 1 }: RasterFacts,
  { edge }: ImageBudget,
): Promise<Pixels> {
  const shrunk = await sharp(bytes, { ...OPENING, limitInputPixels: width * height })
    .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const turn = TURNS[orientation];
  const upright = turn
    ? await turn(fromPixels(sharp, shrunk as Pixels))
        .raw()
        .toBuffer({ resolveWithObject: true })
    : shrunk;
  return upright as Pixels;
}

function fromPixels(sharp: Library, { data, info }: Pixels): Sharp {
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels } });
}

/** Whether PNG may fit the budget: not for a photograph whose PNG is far too large even when shrunk. */
function isLosslessWorthwhile(
  type: DecodeType,
  storedBytes: number,
  { width, height }: RasterFacts,
  { edge, bytes }: ImageBudget,
): boolean {
  if (type === 'jpeg' || type === 'webp' || type === 'avif') return false;
  if (type !== 'png' && type !== 'gif') return true; // The stored size of a TIFF does not tell.
  const scale = Math.min(1, edge / Math.max(width, height));
  return storedBytes * scale ** 2 <= 2 * bytes;
}

/** Qualities of JPEG and WebP, tried until one fits. */
const QUALITIES = [85, 60, 40];

/** Pixels of the longer side below which an image is not shrunk. */
const LEAST_EDGE = 16;

/** The first encoding that fits: lossless if worthwhile, then with less quality, then with fewer pixels. */
async function encode(sharp: Library, pixels: Pixels, budget: ImageBudget, lossless: boolean): Promise<Copy> {
  const encodings = encodingsOf(isOpaque(pixels), lossless);
  let edge = Math.max(pixels.info.width, pixels.info.height);
  for (let current = pixels; ;) {
    const sample = bandsOf(current);
    let bytes = 0;
    for (const encoding of encodings) {
      if (sample && edge > LEAST_EDGE) {
        const { data } = await encoded(sharp, sample.pixels, encoding);
        bytes = data.length * sample.scale;
        if (bytes > HOPELESS * budget.bytes) continue;
      }
      const copy = await encoded(sharp, current, encoding);
      bytes = copy.data.length;
      if (bytes <= budget.bytes || edge <= LEAST_EDGE) return copy;
    }
    // The number of bytes is about proportional to the area.
    const factor = Math.min(0.9, Math.max(0.4, 0.95 * Math.sqrt(budget.bytes / bytes)));
    edge = Math.max(LEAST_EDGE, Math.floor(edge * factor));
    current = await resized(sharp, pixels, edge);
  }
}

async function encoded(sharp: Library, pixels: Pixels, { mimeType, apply }: Encoding): Promise<Copy> {
  const { data, info } = await apply(fromPixels(sharp, pixels)).toBuffer({ resolveWithObject: true });
  return { mimeType, data, width: info.width, height: info.height };
}

async function resized(sharp: Library, pixels: Pixels, edge: number): Promise<Pixels> {
  const small = await fromPixels(sharp, pixels)
    .resize({ width: edge, height: edge, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return small as Pixels;
}

/** An encoding whose sample promises more than this part of the budget is not tried. */
const HOPELESS = 1.2;

/** Rows of a band: those of a block of JPEG and WebP. One band of `APART` is a sample. */
const BAND = 16;
const APART = 8;

/** Rows from which on a sample is worth its own encoding. */
const LEAST_SAMPLED = 4 * APART * BAND;

/** Bands of rows from all over the image, which take about their part of its bytes in any encoding. */
function bandsOf({ data, info }: Pixels): { readonly pixels: Pixels; readonly scale: number } | undefined {
  const { width, height, channels } = info;
  if (height < LEAST_SAMPLED) return undefined;
  const bytes = BAND * width * channels;
  const bands: Buffer[] = [];
  for (let at = 0; at + bytes <= data.length; at += APART * bytes) bands.push(data.subarray(at, at + bytes));
  const rows = bands.length * BAND;
  const pixels = { data: Buffer.concat(bands), info: { width, height: rows, channels } };
  return { pixels, scale: height / rows };
}

function isOpaque({ data, info: { channels } }: Pixels): boolean {
  if (channels % 2 === 1) return true;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return false;
  return true;
}

interface Encoding {
  readonly mimeType: string;
  apply(image: Sharp): Sharp;
}

/** In the order in which they are tried. */
function encodingsOf(opaque: boolean, lossless: boolean): Encoding[] {
  const plain = (image: Sharp): Sharp => (opaque ? image.removeAlpha() : image);
  const lossy = QUALITIES.map((quality): Encoding => {
    return opaque
      ? { mimeType: 'image/jpeg', apply: (image) => plain(image).jpeg({ quality }) }
      : { mimeType: 'image/webp', apply: (image) => image.webp({ quality }) };
  });
  const png: Encoding = { mimeType: 'image/png', apply: (image) => plain(image).png() };
  return lossless ? [png, ...lossy] : lossy;
}

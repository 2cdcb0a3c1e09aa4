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
  const opaque = isOpaque(pixels);
  let edge = Math.max(pixels.info.width, pixels.info.height);
  for (;;) {
    const image = fromPixels(sharp, pixels).resize({ width: edge, height: edge, fit: 'inside' });
    let bytes = 0;
    for await (const attempt of encodings(image, opaque, lossless)) {
      bytes = attempt.data.length;
      if (bytes <= budget.bytes || edge <= LEAST_EDGE) return attempt;
    }
    // The number of bytes is about proportional to the area.
    const factor = Math.min(0.9, Math.max(0.4, 0.95 * Math.sqrt(budget.bytes / bytes)));
    edge = Math.max(LEAST_EDGE, Math.floor(edge * factor));
  }
}

function isOpaque({ data, info: { channels } }: Pixels): boolean {
  if (channels % 2 === 1) return true;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return false;
  return true;
}

async function* encodings(image: Sharp, opaque: boolean, lossless: boolean): AsyncGenerator<Copy> {
  const attempts: [string, Sharp][] = QUALITIES.map((quality) =>
    opaque
      ? ['image/jpeg', image.clone().removeAlpha().jpeg({ quality })]
      : ['image/webp', image.clone().webp({ quality })],
  );
  if (lossless)
    attempts.unshift(['image/png', opaque ? image.clone().removeAlpha().png() : image.clone().png()]);
  for (const [mimeType, attempt] of attempts) {
    const { data, info } = await attempt.toBuffer({ resolveWithObject: true });
    yield { mimeType, data, width: info.width, height: info.height };
  }
}

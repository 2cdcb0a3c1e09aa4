/**
 * Makes the copy of an image that is shown to a model: decoded, scaled down, turned upright, and encoded until it fits. Runs
 * in the decoding child process.
 */

import type { Sharp, SharpOptions } from 'sharp';
import type { DecodeType, ImageBudget, RasterFacts } from './protocol.ts';

export type SharpLibrary = typeof import('sharp').default;

interface ImageCopy {
  readonly mimeType: string;
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The options for opening every image: only the first frame, read sequentially. */
export const OPENING: SharpOptions = { failOn: 'error', sequentialRead: true, page: 0, pages: 1 };

/** Makes a copy within `budget`. Throws errors of sharp; "pixel limit" in the message means more pixels than declared. */
export async function makeCopy(
  sharp: SharpLibrary,
  bytes: Buffer,
  type: DecodeType,
  facts: RasterFacts,
  budget: ImageBudget,
): Promise<ImageCopy> {
  const small = await shrink(sharp, bytes, facts, budget);
  return encode(sharp, small, budget, isLosslessWorthwhile(type, bytes.length, facts, budget));
}

/** Pixels with 8 bits per channel, row by row from the top. */
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

/** Scales before rotating: the bounding box is a square, so the result is the same, and only the small copy is in memory. */
async function shrink(
  sharp: SharpLibrary,
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

function fromPixels(sharp: SharpLibrary, { data, info }: Pixels): Sharp {
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels } });
}

/** Whether PNG may fit into the budget. It does not for photographs, whose PNG is far too large even when scaled down. */
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

const QUALITIES = [85, 60, 40];

/** The least pixels of the longer side; an image is not scaled below this. */
const MIN_EDGE_PIXELS = 16;

/** The first encoding that fits: lossless if worthwhile, then lower quality, then fewer pixels. */
async function encode(
  sharp: SharpLibrary,
  pixels: Pixels,
  budget: ImageBudget,
  lossless: boolean,
): Promise<ImageCopy> {
  const encodings = encodingsOf(isOpaque(pixels), lossless);
  let edge = Math.max(pixels.info.width, pixels.info.height);
  for (let current = pixels; ;) {
    const sample = bandsOf(current);
    let bytes = 0;
    for (const encoding of encodings) {
      if (sample && edge > MIN_EDGE_PIXELS) {
        const { data } = await encoded(sharp, sample.pixels, encoding);
        bytes = data.length * sample.scale;
        if (bytes > HOPELESS * budget.bytes) continue;
      }
      const copy = await encoded(sharp, current, encoding);
      bytes = copy.data.length;
      if (bytes <= budget.bytes || edge <= MIN_EDGE_PIXELS) return copy;
    }
    // The number of bytes is about proportional to the area.
    const factor = Math.min(0.9, Math.max(0.4, 0.95 * Math.sqrt(budget.bytes / bytes)));
    edge = Math.max(MIN_EDGE_PIXELS, Math.floor(edge * factor));
    current = await resized(sharp, pixels, edge);
  }
}

async function encoded(
  sharp: SharpLibrary,
  pixels: Pixels,
  { mimeType, apply }: Encoding,
): Promise<ImageCopy> {
  const { data, info } = await apply(fromPixels(sharp, pixels)).toBuffer({ resolveWithObject: true });
  return { mimeType, data, width: info.width, height: info.height };
}

async function resized(sharp: SharpLibrary, pixels: Pixels, edge: number): Promise<Pixels> {
  const small = await fromPixels(sharp, pixels)
    .resize({ width: edge, height: edge, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return small as Pixels;
}

/** An encoding is not tried if its sample predicts more than this multiple of the budget. */
const HOPELESS = 1.2;

/** The rows of a band, which is one row of blocks in JPEG and WebP. Every `APART`th band is in the sample. */
const BAND = 16;
const APART = 8;

/** Images with fewer rows are encoded without a sample. */
const MIN_SAMPLED_ROWS = 4 * APART * BAND;

/** A sample of bands from the whole image, whose encoded size predicts that of the image. Undefined for small images. */
function bandsOf({ data, info }: Pixels): { readonly pixels: Pixels; readonly scale: number } | undefined {
  const { width, height, channels } = info;
  if (height < MIN_SAMPLED_ROWS) return undefined;
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

// Removes the chunks of a PNG that a picture does not need. Text chunks can be zlib bombs: the decoder unpacks each of them,
// up to 50 MB, before it reports the size; 2 MB of them took 22 s (sharp 0.35.5).

const KEPT = new Set('IHDR PLTE tRNS acTL IDAT IEND gAMA cHRM sRGB sBIT cICP eXIf'.split(' '));

/** The most bytes of a colour profile. Deflate expands at most 1,032 times, so it unpacks to at most 8 MiB. */
const MAX_PROFILE_BYTES = 8 * 1024;

/** The most bytes of an EXIF block; only its orientation is needed. */
const MAX_EXIF_BYTES = 64 * 1024;

/** The most chunks that are skipped; a file with more is considered hostile. */
const MAX_SKIPPED_CHUNKS = 4096;

/** The half-open byte ranges of the needed parts of a PNG in order. */
export function pngParts(png: Buffer): [number, number][] {
  const parts: [number, number][] = [[0, 8]];
  let skipped = 0;
  for (let at = 8; at + 8 <= png.length && skipped <= MAX_SKIPPED_CHUNKS;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    const last = parts.at(-1);
    if (!isNeeded(type, length)) skipped += 1;
    else if (last?.[1] === at) last[1] = end;
    else parts.push([at, end]);
    if (type === 'IEND') break;
    at = end;
  }
  return parts;
}

/**
 * Joins the `parts` (half-open ranges) of `bytes` in place, because copying a large image takes a third of the time of
 * decoding it. The largest part is not moved. Ranges may extend beyond the end.
 */
export function joinParts(bytes: Buffer, parts: readonly (readonly [number, number])[]): Buffer {
  const ranges = parts.map(([start, end]) => [start, Math.min(end, bytes.length)] as const);
  const sizes = ranges.map(([start, end]) => Math.max(0, end - start));
  const stays = sizes.indexOf(Math.max(0, ...sizes));
  if (stays === -1) return bytes.subarray(0, 0);
  let first = ranges[stays]?.[0] ?? 0;
  for (const [start, end] of ranges.slice(0, stays).toReversed()) {
    first -= end - start;
    bytes.copyWithin(first, start, end);
  }
  let last = ranges[stays]?.[1] ?? 0;
  for (const [start, end] of ranges.slice(stays + 1)) {
    bytes.copyWithin(last, start, end);
    last += end - start;
  }
  return bytes.subarray(first, last);
}

function isNeeded(type: string, length: number): boolean {
  if (type === 'iCCP') return length <= MAX_PROFILE_BYTES;
  return KEPT.has(type) && (type !== 'eXIf' || length <= MAX_EXIF_BYTES);
}

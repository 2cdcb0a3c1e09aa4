/**
 * Runs in a child process: decodes one image from standard input and writes it, upright, within the budget and
 * without metadata, to standard output. Hostile images end here; the engine only ever sees what this encodes.
 */

import type { Sharp, SharpOptions } from 'sharp';
import { readBmpPixels } from './bmp-pixels.ts';
import type { DecodeReply, DecodeRequest, DecodeType, Refusal } from './decode.ts';

type Library = typeof import('sharp').default;

/** Pixels of 8 bits a channel, row by row from the top. */
interface Pixels {
  readonly data: Buffer;
  readonly info: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** The only decoder that each type may reach: content that is really a PDF, an SVG or a VIPS dump finds none. */
const LOADERS: Readonly<Record<DecodeType, string | undefined>> = {
  png: 'VipsForeignLoadPng',
  jpeg: 'VipsForeignLoadJpeg',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
  avif: 'VipsForeignLoadHeif',
  tiff: 'VipsForeignLoadTiff',
  bmp: undefined,
  dib: undefined,
};

/** What turns the stored pixels upright, by EXIF orientation. */
const TURNS: Readonly<Record<number, (image: Sharp) => Sharp>> = {
  2: (image) => image.flop(),
  3: (image) => image.rotate(180),
  4: (image) => image.flip(),
  5: (image) => image.rotate(90).flip(),
  6: (image) => image.rotate(90),
  7: (image) => image.rotate(270).flip(),
  8: (image) => image.rotate(270),
};

async function main(): Promise<void> {
  const request = JSON.parse(process.argv[2] ?? '') as DecodeRequest;
  const bytes = await readInput(request.bytes);
  let sharp: Library;
  try {
    sharp = (await import('sharp')).default;
  } catch (error) {
    return say({ ok: false, why: 'missing', message: String(error) });
  }
  try {
    const { reply, data } = await decode(sharp, bytes, request);
    say(reply, data);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    say({ ok: false, why: whyNot(message), message });
  }
}

/** The library tells its failures apart by their words alone. */
function whyNot(message: string): Refusal {
  if (message.includes('pixel limit')) return 'limit';
  return message.startsWith('timeout') ? 'slow' : 'corrupt';
}

/** Into one buffer from the start: collecting pieces would take the memory twice. */
async function readInput(most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let filled = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) filled += piece.copy(bytes, filled);
  return bytes.subarray(0, filled);
}

function say(reply: DecodeReply, data: Uint8Array = Buffer.alloc(0)): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  process.stdout.write(data);
}

async function decode(sharp: Library, bytes: Buffer, request: DecodeRequest) {
  const { small, from } = await shrink(sharp, bytes, request);
  const { data, ...shown } = await encode(sharp, small, request);
  const reply: DecodeReply = { ok: true, ...shown, from };
  return { reply, data };
}

/**
 * The box is a square, so shrinking first and turning after gives the same picture, and only the small copy has to
 * be held as a whole.
 */
async function shrink(sharp: Library, bytes: Buffer, request: DecodeRequest) {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  const loader = LOADERS[request.type];
  if (loader) sharp.unblock({ operation: [loader] });
  const { input, options } = open(bytes, request);
  const image = sharp(input, options).timeout({ seconds: request.seconds });
  const { orientation = 1, autoOrient } = await image.metadata();
  const { edge } = request.budget;
  const shrunk = await image
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
  return { small: upright as Pixels, from: autoOrient };
}

function open(bytes: Buffer, { type, pixels }: DecodeRequest): { input: Buffer; options: SharpOptions } {
  const limits: SharpOptions = {
    limitInputPixels: pixels,
    failOn: 'error',
    sequentialRead: true,
    page: 0,
    pages: 1,
  };
  if (type !== 'bmp' && type !== 'dib') return { input: bytes, options: limits };
  const { data, width, height } = readBmpPixels(bytes, type === 'dib', pixels);
  return { input: data, options: { raw: { width, height, channels: 4 } } };
}

function fromPixels(sharp: Library, { data, info }: Pixels): Sharp {
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels } });
}

/** Of JPEG and WebP, until one fits. */
const QUALITIES = [85, 60, 40];

/** No image is made smaller than this many pixels of its longer side. */
const LEAST_EDGE = 16;

/** The first encoding that fits: lossless where that may pay, then less quality, then fewer pixels. */
async function encode(sharp: Library, pixels: Pixels, { budget, lossless }: DecodeRequest) {
  const opaque = isOpaque(pixels);
  let edge = Math.max(pixels.info.width, pixels.info.height);
  for (;;) {
    const image = fromPixels(sharp, pixels).resize({ width: edge, height: edge, fit: 'inside' });
    let bytes = 0;
    for await (const attempt of encodings(image, opaque, lossless)) {
      bytes = attempt.data.length;
      if (bytes <= budget.bytes || edge <= LEAST_EDGE) return attempt;
    }
    // Bytes grow about as the area does.
    const factor = Math.min(0.9, Math.max(0.4, 0.95 * Math.sqrt(budget.bytes / bytes)));
    edge = Math.max(LEAST_EDGE, Math.floor(edge * factor));
  }
}

function isOpaque({ data, info: { channels } }: Pixels): boolean {
  if (channels % 2 === 1) return true;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return false;
  return true;
}

async function* encodings(image: Sharp, opaque: boolean, lossless: boolean) {
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

await main();

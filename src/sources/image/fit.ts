/**
 * Owns making a shown image out of a stored one: refused by its header where it is too large, else decoded and
 * encoded again in a child process. No stored byte is ever passed through: what a model gets is valid, upright,
 * within the budget and free of metadata, whatever the file was.
 */

import { readAt, sliceBytes } from '../../access/bytes.ts';
import { ChildFailure, runChild } from '../../access/isolate-child.ts';
import { builtFile } from '../../access/package-files.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { readIcons } from './bitmap.ts';
import type { DecodeReply, DecodeRequest, DecodeType, ImageBudget, Refusal } from './decode.ts';
import type { ImageHeader } from './header.ts';
import { identifyImage, MIME_TYPES } from './identify.ts';
import { pngParts } from './png.ts';
import { type RasterType, readImageHeader } from './read-header.ts';

export const DEFAULT_BUDGET: ImageBudget = { edge: 1568, bytes: 300 * 1024 };

/** Bytes of a stored image that are decoded; parts that a decoder does not need do not count. */
export const MOST_STORED = 20 * 1024 * 1024;

/** Pixels that are decoded row by row. */
const MOST_PIXELS = 150_000_000;

/** Bytes that a decoder may have to hold for a whole frame. */
const MOST_HELD = 200 * 1024 * 1024;

/** Resident bytes of the decoding child, for what no header declares. */
const MOST_MEMORY = 400 * 1024 * 1024;

/** Seconds of one decoding. */
const MOST_SECONDS = 10;

export interface FittedImage {
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Pixels of the upright original. */
  readonly from: { readonly width: number; readonly height: number };
}

/** Why an image is not shown, as a clause that completes "cannot be shown: …". */
export class NotShown extends Error {
  readonly code: 'LIMIT' | 'CORRUPT' | 'UNSUPPORTED';

  constructor(code: NotShown['code'], why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = 'NotShown';
    this.code = code;
  }
}

export interface FitOptions {
  readonly budget?: ImageBudget;
  /** The built decoder, when it is not the package's own. */
  readonly decoder?: URL;
}

/**
 * The image as a model is shown it. Throws NotShown: `LIMIT` before anything is decoded when it is too large,
 * `UNSUPPORTED` when nothing here decodes it (or the optional package `sharp` is not installed), `CORRUPT` when it
 * is damaged.
 */
export async function fitImage(
  source: ByteSource,
  type: RasterType,
  header: ImageHeader,
  signal: AbortSignal,
  { budget = DEFAULT_BUDGET, decoder }: FitOptions = {},
): Promise<FittedImage> {
  if (type === 'ico') return fitIcon(source, signal, { budget, ...(decoder ? { decoder } : {}) });
  if (type === 'heic') throw new NotShown('UNSUPPORTED', 'HEIC is not decoded here');
  return decode(source, type, header, signal, budget, decoder);
}

/** The largest icon of a directory: a whole PNG, or a BMP without its file header. */
async function fitIcon(source: ByteSource, signal: AbortSignal, options: FitOptions): Promise<FittedImage> {
  const [icon] = await readIcons(source, signal);
  if (!icon) throw new NotShown('CORRUPT', 'it has no pictures');
  const picture = sliceBytes(source, icon.offset, icon.length);
  const isPng = identifyImage(await readAt(picture, 0, 8, signal)) === 'png';
  const header = isPng ? await readImageHeader(picture, 'png', signal) : { ...icon, held: 4 };
  return decode(
    picture,
    isPng ? 'png' : 'dib',
    header,
    signal,
    options.budget ?? DEFAULT_BUDGET,
    options.decoder,
  );
}

async function decode(
  source: ByteSource,
  type: DecodeType,
  header: ImageHeader,
  signal: AbortSignal,
  budget: ImageBudget,
  decoder = builtFile('sources/image/decode-child.js'),
): Promise<FittedImage> {
  const pixels = header.width * header.height;
  refuseLarge(pixels, header);
  const parts = await neededParts(source, type, signal);
  const bytes = bytesOf(parts);
  const request: DecodeRequest = {
    type,
    bytes,
    budget,
    pixels,
    lossless: isLosslessWorthwhile(type, bytes / pixels, header, budget),
    seconds: MOST_SECONDS,
  };
  const output = await runChild({
    entry: decoder,
    args: [JSON.stringify(request)],
    input: partsOf(source, parts, signal),
    maxOutput: budget.bytes + 64 * 1024,
    maxMemory: MOST_MEMORY,
    signal,
  }).catch(explain);
  return unpack(output);
}

/** Whether PNG may fit: a shrunk photograph that already was a large PNG is not encoded as one again in vain. */
function isLosslessWorthwhile(
  type: DecodeType,
  bytesPerPixel: number,
  { width, height }: ImageHeader,
  { edge, bytes }: ImageBudget,
): boolean {
  if (type === 'jpeg' || type === 'webp' || type === 'avif') return false;
  if (type !== 'png' && type !== 'gif') return true; // Stored without much compression: nothing is known.
  const scale = Math.min(1, edge / Math.max(width, height));
  return bytesPerPixel * width * height * scale ** 2 <= 2 * bytes;
}

function refuseLarge(pixels: number, { held = 0 }: ImageHeader): void {
  const most = Math.min(MOST_PIXELS, held ? Math.floor(MOST_HELD / held) : MOST_PIXELS);
  if (pixels <= most) return;
  throw new NotShown(
    'LIMIT',
    `its ${megapixels(pixels)} megapixels are more than the ${megapixels(most)} that are decoded for this type`,
  );
}

const megapixels = (pixels: number) => (pixels / 1e6).toFixed(pixels < 10e6 ? 1 : 0);

/** Half-open byte ranges that the decoder gets. */
async function neededParts(
  source: ByteSource,
  type: DecodeType,
  signal: AbortSignal,
): Promise<[number, number][]> {
  const parts: [number, number][] =
    type === 'png' ? await pngParts(source, MOST_STORED, signal) : [[0, source.size ?? MOST_STORED + 1]];
  if (bytesOf(parts) <= MOST_STORED) return parts;
  throw new NotShown('LIMIT', `it is larger than the ${MOST_STORED / 1024 / 1024} MiB that are decoded`);
}

const bytesOf = (parts: readonly [number, number][]) =>
  parts.reduce((sum, [start, end]) => sum + end - start, 0);

const PIECE = 256 * 1024;

async function* partsOf(source: ByteSource, parts: [number, number][], signal: AbortSignal) {
  for (const [start, end] of parts) {
    for (let at = start; at < end; at += PIECE) {
      const piece = await readAt(source, at, Math.min(PIECE, end - at), signal);
      if (piece.length === 0) return;
      yield piece;
    }
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ChildFailure)) throw error;
  if (error.why === 'memory') {
    throw new NotShown(
      'LIMIT',
      `decoding it takes more than the ${MOST_MEMORY / 1024 / 1024} MiB of memory allowed`,
      { cause: error },
    );
  }
  throw new NotShown('CORRUPT', 'its decoder crashed on it', { cause: error });
}

/** What the child wrote is checked: hostile bytes may have taken it over. */
function unpack(output: Buffer): FittedImage {
  const end = Math.max(0, output.indexOf(10));
  const reply = parseReply(output.toString('utf8', 0, end));
  const data = output.subarray(end + 1);
  if (!reply.ok) throw refused(reply.why, reply.message);
  const { mimeType, width, height, from } = reply;
  const type = identifyImage(data);
  const sizes = [width, height, from?.width, from?.height];
  if (!type || MIME_TYPES[type] !== mimeType || !sizes.every(Number.isSafeInteger)) throw refused('corrupt');
  return { mimeType, width, height, from, data };
}

function parseReply(line: string): DecodeReply {
  try {
    return Object(JSON.parse(line)) as DecodeReply;
  } catch {
    return { ok: false, why: 'corrupt', message: 'no reply' };
  }
}

function refused(by: Refusal, cause?: string): NotShown {
  const { code, why } = REFUSALS[by] ?? REFUSALS.corrupt;
  return new NotShown(code, why, cause === undefined ? undefined : { cause });
}

const REFUSALS: Readonly<Record<Refusal, { readonly code: NotShown['code']; readonly why: string }>> = {
  missing: {
    code: 'UNSUPPORTED',
    why: 'that needs the optional package sharp, which is not installed (npm install sharp)',
  },
  corrupt: { code: 'CORRUPT', why: 'its pixels are damaged or cut short' },
  limit: { code: 'LIMIT', why: 'it holds more pixels than its header declares' },
  slow: { code: 'LIMIT', why: `decoding it takes longer than ${MOST_SECONDS} seconds` },
};

/** The messages between the engine and the decoding child process. */

import { installCommand } from '../../files/package-files.ts';
import { identifyImage, MIME_TYPES, type RasterType } from './detect.ts';
import { MAX_DECODE_SECONDS, MAX_DECODER_MEMORY_BYTES, MAX_IMAGE_BYTES } from './limits.ts';
import type { StoredSize } from './stored-size.ts';

/** The types that sharp's prebuilt decoders support; of HEIC they read only the header. */
export type DecodeType = Exclude<RasterType, 'bmp' | 'ico'>;

export interface ImageBudget {
  /** The most pixels of the longer side. */
  readonly edge: number;
  /** The most bytes of the encoded image. */
  readonly bytes: number;
}

export interface DecodeRequest {
  readonly type: DecodeType;
  /** The limits of the copy; absent if only the facts are wanted. */
  readonly budget?: ImageBudget | undefined;
  /** Timeout in seconds. */
  readonly seconds: number;
}

export interface RasterFacts {
  /** Pixels of the upright image. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly alpha: boolean;
  /** EXIF orientation, 1 to 8; absent if the file states none. */
  readonly orientation?: number | undefined;
  /** The number of frames of an animation or pages of a TIFF; absent if there is one. */
  readonly frames?: number | undefined;
}

/** `missing`: the library is not installed; `large`: more than `most` pixels; `hidden`: more pixels than declared. */
export type DecodeRefusal = 'missing' | 'corrupt' | 'large' | 'hidden' | 'slow';

/** The head of a reply; the body of the frame is the encoded image. */
export interface DecodeReply {
  /** Absent if even the header could not be read. */
  readonly facts?: RasterFacts | undefined;
  readonly shown?: { readonly mimeType: string; readonly width: number; readonly height: number } | undefined;
  readonly refusal?: DecodeRefusal | undefined;
  /** With `large`: the most pixels of this image that would be decoded. */
  readonly most?: number | undefined;
}

// Validates the reply of the decoding child process, which a hostile image may control.

export interface ShownImage {
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The size of the upright original, in pixels. */
  readonly from: { readonly width: number; readonly height: number };
}

export interface RasterImage {
  /** All facts, or only the size if the decoder gave none. */
  readonly facts: StoredSize & Partial<RasterFacts>;
  /** The copy; absent if it was not requested or was refused. */
  readonly shown?: ShownImage | undefined;
  readonly refused?: NotShown | undefined;
}

export interface NotShown {
  readonly code: 'LIMIT' | 'CORRUPT' | 'UNSUPPORTED';
  /** A clause that completes "cannot be shown: …". */
  readonly why: string;
  readonly cause?: unknown;
}

/** `head` and `data` come from the child and may be anything. */
export function checkDecodeReply(head: unknown, data: Buffer): Partial<RasterImage> {
  const reply = Object(head) as DecodeReply;
  const { shown, refusal } = reply;
  const facts = reply.facts && checked(reply.facts);
  if (!facts) return { refused: refusalBy(refusal) };
  if (refusal === 'large')
    return { facts, refused: tooManyPixels(facts.width * facts.height, Number(reply.most)) };
  if (refusal) return { facts, refused: refusalBy(refusal) };
  if (!shown) return { facts };
  const type = identifyImage(data);
  const { mimeType, width, height } = shown;
  const isSound = type && MIME_TYPES[type] === mimeType && isCount(width) && isCount(height);
  if (!isSound) return { facts, refused: refusalBy() };
  const from = { width: facts.width, height: facts.height };
  return { facts, shown: { mimeType, data, width, height, from } };
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;

function checked({
  width,
  height,
  channels,
  alpha,
  orientation,
  frames,
}: RasterFacts): RasterFacts | undefined {
  if (![width, height, channels, orientation ?? 1, frames ?? 1].every(isCount)) return undefined;
  const more = { orientation: orientation || undefined, frames: frames || undefined };
  return { width, height, channels, alpha: Boolean(alpha), ...more };
}

function refusalBy(name: DecodeRefusal = 'corrupt'): NotShown {
  return Object.hasOwn(REFUSALS, name) ? REFUSALS[name] : REFUSALS.corrupt;
}

export function tooManyPixels(pixels: number, most: number): NotShown {
  const megapixels = (count: number) => (count / 1e6).toFixed(count < 10e6 ? 1 : 0);
  const why = `its ${megapixels(pixels)} megapixels are more than the ${megapixels(most)} that are decoded for this type`;
  return { code: 'LIMIT', why };
}

const MIB = 1024 * 1024;

export const REFUSALS: Readonly<
  Record<DecodeRefusal | 'header' | 'crashed' | 'stored' | 'memory', NotShown>
> = {
  missing: {
    code: 'UNSUPPORTED',
    get why() {
      return `that needs the optional package sharp, which is not installed (${installCommand(['sharp'])})`;
    },
  },
  header: { code: 'CORRUPT', why: 'its header is cut short or damaged' },
  corrupt: { code: 'CORRUPT', why: 'its pixels are damaged or cut short' },
  crashed: { code: 'CORRUPT', why: 'its decoder crashed on it' },
  hidden: { code: 'LIMIT', why: 'it holds more pixels than its header declares' },
  large: { code: 'LIMIT', why: 'it has too many pixels' },
  slow: { code: 'LIMIT', why: `decoding it takes longer than ${MAX_DECODE_SECONDS} seconds` },
  stored: { code: 'LIMIT', why: `it is larger than the ${MAX_IMAGE_BYTES / MIB} MiB that are decoded` },
  memory: {
    code: 'LIMIT',
    why: `decoding it takes more than the ${MAX_DECODER_MEMORY_BYTES / MIB} MiB of memory allowed`,
  },
};

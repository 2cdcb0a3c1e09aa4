/** Validates the reply of the decoding child process, which a hostile image may control. */

import type { DecodeReply, RasterFacts, Refusal } from './decode.ts';
import { identifyImage, MIME_TYPES } from './identify.ts';
import { MOST_MEMORY, MOST_SECONDS, MOST_STORED } from './pixel-limits.ts';
import type { StoredSize } from './stored-size.ts';

export interface ShownImage {
  readonly mimeType: string;
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The size of the upright original, in pixels. */
  readonly from: { readonly width: number; readonly height: number };
}

export interface Raster {
  /** All facts, or only the size if the decoder gave none. */
  readonly facts: StoredSize & Partial<RasterFacts>;
  /** The copy; absent if it was not requested or was refused. */
  readonly shown?: ShownImage;
  readonly refused?: NotShown;
}

/** Why an image is not shown. */
export interface NotShown {
  readonly code: 'LIMIT' | 'CORRUPT' | 'UNSUPPORTED';
  /** A clause that completes "cannot be shown: …". */
  readonly why: string;
  readonly cause?: unknown;
}

/** `head` and `data` come from the child and may be anything. */
export function unpack(head: unknown, data: Buffer): Partial<Raster> {
  const reply = Object(head) as DecodeReply;
  const { shown, refusal } = reply;
  const facts = reply.facts && checked(reply.facts);
  if (!facts) return { refused: refusalBy(refusal) };
  if (refusal === 'large')
    return { facts, refused: tooLarge(facts.width * facts.height, Number(reply.most)) };
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
  const more = { ...(orientation && { orientation }), ...(frames && { frames }) };
  return { width, height, channels, alpha: Boolean(alpha), ...more };
}

function refusalBy(name: Refusal = 'corrupt'): NotShown {
  return Object.hasOwn(REFUSALS, name) ? REFUSALS[name] : REFUSALS.corrupt;
}

export function tooLarge(pixels: number, most: number): NotShown {
  const megapixels = (count: number) => (count / 1e6).toFixed(count < 10e6 ? 1 : 0);
  const why = `its ${megapixels(pixels)} megapixels are more than the ${megapixels(most)} that are decoded for this type`;
  return { code: 'LIMIT', why };
}

const MIB = 1024 * 1024;

export const REFUSALS: Readonly<Record<Refusal | 'header' | 'crashed' | 'stored' | 'memory', NotShown>> = {
  missing: {
    code: 'UNSUPPORTED',
    why: 'that needs the optional package sharp, which is not installed (npm install sharp)',
  },
  header: { code: 'CORRUPT', why: 'its header is cut short or damaged' },
  corrupt: { code: 'CORRUPT', why: 'its pixels are damaged or cut short' },
  crashed: { code: 'CORRUPT', why: 'its decoder crashed on it' },
  hidden: { code: 'LIMIT', why: 'it holds more pixels than its header declares' },
  large: { code: 'LIMIT', why: 'it has too many pixels' },
  slow: { code: 'LIMIT', why: `decoding it takes longer than ${MOST_SECONDS} seconds` },
  stored: { code: 'LIMIT', why: `it is larger than the ${MOST_STORED / MIB} MiB that are decoded` },
  memory: {
    code: 'LIMIT',
    why: `decoding it takes more than the ${MOST_MEMORY / MIB} MiB of memory allowed`,
  },
};

/**
 * Reads the facts of a stored image and makes the copy that is shown, in a child process, because decoders may crash on
 * hostile bytes. The copy is always encoded anew: valid, upright, within the budget and free of metadata.
 */

import { chunksOf } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { builtFile } from '../../access/package-files.ts';
import { OrielError } from '../../errors.ts';
import type { OffloadCall } from '../../session/offload-work.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { DecodeRequest, DecodeType, ImageBudget } from './decode.ts';
import { DECODER, decodeInChild } from './decode-in-child.ts';
import { decodedElsewhere } from './decode-job.ts';
import { type NotShown, type Raster, REFUSALS, tooLarge, unpack } from './child-reply.ts';
import type { RasterType } from './identify.ts';
import { MOST_SECONDS, MOST_SHOWN, MOST_STORED, mostPixels } from './pixel-limits.ts';
import { pngParts } from './png-parts.ts';
import { type StoredSize, storedSize } from './stored-size.ts';

export const DEFAULT_BUDGET: ImageBudget = { edge: 1568, bytes: MOST_SHOWN };

export interface ImageOptions {
  readonly budget?: ImageBudget;
  /** The entry file of another decoder than the package's own. */
  readonly decoder?: URL;
}

export interface RasterOptions extends ImageOptions {
  /** The call for which a remote worker may decode it; decoded locally when absent. */
  readonly offload?: OffloadCall;
}

/** Formats that are described but not shown, with their names. */
export const NOT_DECODED: Partial<Record<RasterType, string>> = { heic: 'HEIC', bmp: 'BMP', ico: 'ICO' };

/**
 * The facts of an image, with a copy if `want` is `picture`. Throws OrielError if not even its size can be determined:
 * `CORRUPT`, `LIMIT`, or `UNSUPPORTED` if that needs the optional package sharp and it is not installed. A stream must
 * have been read to its end, so that the child does not wait for bytes.
 */
export async function readRaster(
  source: ByteSource,
  type: RasterType,
  want: 'facts' | 'picture',
  signal: AbortSignal,
  { budget = DEFAULT_BUDGET, decoder, offload }: RasterOptions = {},
): Promise<Raster> {
  const size = await storedSize(source, type, signal);
  if (size?.width === 0 || size?.height === 0) {
    throw new OrielError(
      'CORRUPT',
      `The ${type} image has an invalid size of ${size.width}x${size.height} pixels.`,
    );
  }
  const isShown = want === 'picture' && !NOT_DECODED[type];
  const said = await decode(source, type, size, isShown ? budget : undefined, {
    signal,
    decoder: decoder ?? builtFile(DECODER),
    // Remote workers only have the package's own decoder.
    offload: decoder ? undefined : offload,
  });
  const facts = said.facts ?? size;
  if (facts) return { ...said, facts };
  const { refused = REFUSALS.header } = said;
  const { code, why, cause } = refused === REFUSALS.corrupt ? REFUSALS.header : refused;
  throw new OrielError(code, `The ${type} image cannot be read: ${why}.`, { cause });
}

interface Decoding {
  readonly decoder: URL;
  readonly signal: AbortSignal;
  readonly offload: OffloadCall | undefined;
}

/** The reply of the child process; empty for formats that it does not read. */
async function decode(
  source: ByteSource,
  type: RasterType,
  size: StoredSize | undefined,
  budget: ImageBudget | undefined,
  { decoder, signal, offload }: Decoding,
): Promise<Partial<Raster>> {
  if (type === 'bmp' || type === 'ico') return {};
  const pixels = size ? size.width * size.height : 0;
  if (budget && pixels > mostPixels(type)) return { refused: tooLarge(pixels, mostPixels(type)) };
  const parts = await neededParts(source, type, signal);
  const bytes = bytesOf(parts);
  if (bytes > MOST_STORED) return { refused: REFUSALS.stored };
  const request: DecodeRequest = { type, seconds: MOST_SECONDS, ...(budget && { budget }) };
  const elsewhere =
    offload && budget && (await decodedElsewhere(source, request, pixels, { ...offload, signal }));
  if (elsewhere) return elsewhere;
  try {
    const input = { body: partsOf(source, parts, signal), bytes };
    const { head, body } = await decodeInChild(request, input, signal, decoder);
    return unpack(head, body);
  } catch (error) {
    if (!(error instanceof ChildFailure)) throw error;
    return { refused: { ...FAILURES[error.why], cause: error } };
  }
}

const FAILURES: Readonly<Record<ChildFailure['why'], NotShown>> = {
  crashed: REFUSALS.crashed,
  ended: { code: 'LIMIT', why: 'its decoder was ended from outside; the same call may work' },
  output: REFUSALS.crashed,
  memory: REFUSALS.memory,
  slow: REFUSALS.slow,
};

/** The half-open byte ranges that are sent to the decoder. */
async function neededParts(
  source: ByteSource,
  type: DecodeType,
  signal: AbortSignal,
): Promise<[number, number][]> {
  const { size = MOST_STORED + 1 } = source;
  // The child removes unneeded chunks of a PNG itself, unless the whole file is too large to send.
  if (type !== 'png' || size <= MOST_STORED) return [[0, size]];
  const parts = await pngParts(source, MOST_STORED, signal);
  // The last chunk of a truncated file declares more bytes than there are.
  return parts.map(([start, end]) => [start, Math.max(start, Math.min(end, source.size ?? end))]);
}

const bytesOf = (parts: readonly [number, number][]) =>
  parts.reduce((sum, [start, end]) => sum + end - start, 0);

const PIECE = 1024 * 1024;

async function* partsOf(source: ByteSource, parts: [number, number][], signal: AbortSignal) {
  for (const [start, end] of parts) {
    let left = end - start;
    for await (const piece of chunksOf(source, start, end, PIECE, signal)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0)
      throw new OrielError('CORRUPT', 'The image was truncated while it was read. Read it again.');
  }
}

/**
 * The facts of a stored image, and a copy to be shown. Reading both is the work of a child process, for decoders
 * crash on hostile bytes. No stored byte is passed through: the copy is valid, upright, within the budget and free of
 * metadata, whatever the file was.
 */

import { chunksOf } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { builtFile } from '../../access/package-files.ts';
import { OrielError } from '../../errors.ts';
import type { Wanting } from '../../session/work-elsewhere.ts';
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
  /** The built decoder, when it is not the package's own. */
  readonly decoder?: URL;
}

export interface RasterOptions extends ImageOptions {
  /** Whoever wants it: a worker may decode it for them. Here when absent. */
  readonly wanting?: Wanting;
}

/** Formats that are described only, with their names. */
export const NOT_DECODED: Partial<Record<RasterType, string>> = { heic: 'HEIC', bmp: 'BMP', ico: 'ICO' };

/**
 * The facts of an image, with a shown copy when `want` is `picture`. Throws OrielError where not even its size can be
 * told: `CORRUPT`, `LIMIT`, or `UNSUPPORTED` when that takes the optional package sharp, which is not installed. All
 * bytes of a stream are there: the child waits for none.
 */
export async function readRaster(
  source: ByteSource,
  type: RasterType,
  want: 'facts' | 'picture',
  signal: AbortSignal,
  { budget = DEFAULT_BUDGET, decoder, wanting }: RasterOptions = {},
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
    // Another decoder than the package's own is none of a worker.
    wanting: decoder ? undefined : wanting,
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
  readonly wanting: Wanting | undefined;
}

/** The reply of the child; empty for formats that it does not read. */
async function decode(
  source: ByteSource,
  type: RasterType,
  size: StoredSize | undefined,
  budget: ImageBudget | undefined,
  { decoder, signal, wanting }: Decoding,
): Promise<Partial<Raster>> {
  if (type === 'bmp' || type === 'ico') return {};
  const pixels = size ? size.width * size.height : 0;
  if (budget && pixels > mostPixels(type)) return { refused: tooLarge(pixels, mostPixels(type)) };
  const parts = await neededParts(source, type, signal);
  const bytes = bytesOf(parts);
  if (bytes > MOST_STORED) return { refused: REFUSALS.stored };
  const request: DecodeRequest = { type, seconds: MOST_SECONDS, ...(budget && { budget }) };
  const elsewhere =
    wanting && budget && (await decodedElsewhere(source, request, pixels, { ...wanting, signal }));
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

/** Half-open byte ranges that the decoder gets. */
async function neededParts(
  source: ByteSource,
  type: DecodeType,
  signal: AbortSignal,
): Promise<[number, number][]> {
  const { size = MOST_STORED + 1 } = source;
  // What the decoder does not need of a PNG it leaves out itself, unless all of it is too much to send.
  if (type !== 'png' || size <= MOST_STORED) return [[0, size]];
  const parts = await pngParts(source, MOST_STORED, signal);
  // Where it is cut, its last chunk says that it continues.
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

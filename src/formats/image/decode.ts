/**
 * Reads the facts of a stored image and makes the copy that is shown, in a child process, because decoders may crash on
 * hostile bytes. The copy is always encoded anew: valid, upright, within the budget and free of metadata.
 */

import { OrielError } from '../../errors.ts';
import { builtFile, digestOfCode } from '../../files/package-files.ts';
import { ChildPool } from '../../process/child-pool.ts';
import { ChildFailure } from '../../process/node-child.ts';
import { queues } from '../../queues/queue-table.ts';
import { frameHandler, NOT_HERE, type OffloadCall, offloadWork } from '../../state/work-values.ts';
import { chunksOf } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import type { RasterType } from './detect.ts';
import {
  MAX_DECODE_SECONDS,
  MAX_DECODER_MEMORY_BYTES,
  MAX_IMAGE_BYTES,
  MAX_SHOWN_IMAGE_BYTES,
  maxImagePixels,
} from './limits.ts';
import {
  checkDecodeReply,
  type DecodeReply,
  type DecodeRequest,
  type ImageBudget,
  type NotShown,
  type RasterImage,
  REFUSALS,
  tooManyPixels,
} from './protocol.ts';
import { type StoredSize, storedSize } from './stored-size.ts';

const SHOWN_BUDGET: ImageBudget = { edge: 1568, bytes: MAX_SHOWN_IMAGE_BYTES };

interface RasterOptions {
  readonly decoder?: URL | undefined;
  /** The call for which a remote worker may decode it; decoded locally when absent. */
  readonly offload?: OffloadCall | undefined;
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
  { decoder, offload }: RasterOptions = {},
): Promise<RasterImage> {
  const size = await storedSize(source, type, signal);
  if (size?.width === 0 || size?.height === 0) {
    throw new OrielError(
      'CORRUPT',
      `The ${type} image has an invalid size of ${size.width}x${size.height} pixels.`,
    );
  }
  const isShown = want === 'picture' && !NOT_DECODED[type];
  const said = await decode(source, type, size, isShown ? SHOWN_BUDGET : undefined, {
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
): Promise<Partial<RasterImage>> {
  if (type === 'bmp' || type === 'ico') return {};
  const pixels = size ? size.width * size.height : 0;
  if (budget && pixels > maxImagePixels(type))
    return { refused: tooManyPixels(pixels, maxImagePixels(type)) };
  const { size: bytes } = source;
  if (bytes === undefined || bytes > MAX_IMAGE_BYTES) return { refused: REFUSALS.stored };
  const request: DecodeRequest = { type, seconds: MAX_DECODE_SECONDS, ...(budget && { budget }) };
  const elsewhere =
    offload && budget && (await decodedElsewhere(source, request, pixels, { ...offload, signal }));
  if (elsewhere) return elsewhere;
  try {
    const input = { body: piecesOf(source, bytes, signal), bytes };
    const { head, body } = await decodeInChild(request, input, signal, decoder);
    return checkDecodeReply(head, body);
  } catch (error) {
    if (!(error instanceof ChildFailure)) throw error;
    return { refused: { ...DECODE_FAILURES[error.why], cause: error } };
  }
}

const DECODE_FAILURES: Readonly<Record<ChildFailure['why'], NotShown>> = {
  crashed: REFUSALS.crashed,
  ended: { code: 'LIMIT', why: 'its decoder was ended from outside; the same call may work' },
  output: REFUSALS.crashed,
  memory: REFUSALS.memory,
  slow: REFUSALS.slow,
};

const PIECE = 1024 * 1024;

async function* piecesOf(source: ByteSource, size: number, signal: AbortSignal) {
  let left = size;
  for await (const piece of chunksOf(source, 0, size, PIECE, signal)) {
    left -= piece.length;
    yield piece;
  }
  if (left > 0) throw new OrielError('CORRUPT', 'The image was truncated while it was read. Read it again.');
}

/** The built entry file, relative to `dist/`. */
const DECODER = 'formats/image/decode-child.js';

/** The child has its own timeout; after this many seconds more it is killed. */
const SPARE_SECONDS = 3;

interface EncodedImage {
  /** The image: exactly `bytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
}

/** Returns the unchecked reply of the child. Throws ChildFailure, `BUSY` and the reason of the signal. */
function decodeInChild(
  request: DecodeRequest,
  { body, bytes }: EncodedImage,
  signal: AbortSignal,
  decoder: URL = builtFile(DECODER),
): Promise<{ readonly head: unknown; readonly body: Buffer }> {
  const job = {
    head: request,
    body,
    bytes,
    maxOutput: (request.budget?.bytes ?? 0) + 64 * 1024,
    maxMemory: MAX_DECODER_MEMORY_BYTES + bytes,
    maxMs: 1000 * (MAX_DECODE_SECONDS + SPARE_SECONDS),
  };
  return decodersAt(decoder).run(job, { signal });
}

const MIB = 1024 * 1024;

const pools = new Map<string, ChildPool>();

/** The pool of child processes for an entry file; usually there is only the package's own. */
function decodersAt(entry: URL): ChildPool {
  const known = pools.get(entry.href);
  const pool =
    known ??
    new ChildPool({
      entry: () => entry,
      queue: queues.images,
      idleMs: 20_000,
      heapMb: 64,
      // After an image of 60 MB it holds 130 to 165 MiB.
      keepUpTo: 200 * MIB,
      // With its libraries.
      fresh: 80 * MIB,
      // After a timeout its threads still run, so the child is not reused.
      keeps: (reply) => (Object(reply) as DecodeReply).refusal !== 'slow',
    });
  if (!known) pools.set(entry.href, pool);
  return pool;
}

// Remote decoding of images: a replica sends the job, a worker on another machine runs it.

const KIND = 'image';

/** An image with fewer bytes and fewer pixels is decoded faster locally. */
const MIN_REMOTE_IMAGE_BYTES: number = 1 << 20;
const MIN_REMOTE_IMAGE_PIXELS = 4_000_000;

export const decodeJob = frameHandler(KIND, decoderVersion, async (head, input, signal) => {
  const made = await decodeInChild(head as DecodeRequest, input, signal);
  const { refusal } = Object(made.head) as DecodeReply;
  if (refusal === 'slow') return { why: 'slow', isLasting: true };
  // The worker may lack the library.
  return refusal === 'missing' ? NOT_HERE : made;
});

/** Undefined if no worker has decoded it. `pixels` is the number that the header declares. */
async function decodedElsewhere(
  source: ByteSource,
  request: DecodeRequest,
  pixels: number,
  offload: OffloadCall,
): Promise<Partial<RasterImage> | undefined> {
  const isHeavy = (source.size ?? 0) >= MIN_REMOTE_IMAGE_BYTES || pixels >= MIN_REMOTE_IMAGE_PIXELS;
  if (!offload.session.work || !isHeavy) return undefined;
  const work = { kind: KIND, version: decoderVersion(), head: request, source };
  const outcome = await offloadWork(work, offload);
  if (outcome.kind === 'failed') {
    const refused = Object.hasOwn(REMOTE_DECODE_FAILURES, outcome.why)
      ? REMOTE_DECODE_FAILURES[outcome.why]
      : undefined;
    return refused && { refused };
  }
  return outcome.kind === 'done' ? checkDecodeReply(outcome.head, outcome.body) : undefined;
}

const REMOTE_DECODE_FAILURES: Readonly<Record<string, NotShown>> = {
  crashed: REFUSALS.crashed,
  output: REFUSALS.crashed,
  memory: REFUSALS.memory,
  slow: REFUSALS.slow,
  worker: { code: 'LIMIT', why: 'every worker that decoded it ended; it is tried again after 10 minutes' },
};

/** The version of the decoder, a part of the cache key, because another decoder makes another copy. */
function decoderVersion(): string {
  return digestOfCode(DECODER, ['sharp']);
}

/** Remote decoding of images: a replica sends the job, a worker on another machine runs it. */

import { ChildFailure } from '../../access/isolate-child.ts';
import { digestOfCode } from '../../access/package-files.ts';
import { type OffloadCall, offloadWork } from '../../session/offload-work.ts';
import { frame, wholeFrame } from '../../text/frames.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { WorkHandler } from '../../types/work.ts';
import { type NotShown, type Raster, REFUSALS, unpack } from './child-reply.ts';
import type { DecodeReply, DecodeRequest } from './decode.ts';
import { DECODER, decodeInChild } from './decode-in-child.ts';

const KIND = 'image';

/** An image with fewer bytes and fewer pixels is decoded faster locally. */
const LEAST_BYTES: number = 1 << 20;
const LEAST_PIXELS = 4_000_000;

/** Failures that another attempt would not change. */
const LASTING: ReadonlySet<ChildFailure['why']> = new Set(['slow', 'memory', 'output']);

/** The worker cannot do it, for example because it lacks the library; the replica may. */
const HERE = { why: 'here', isLasting: true } as const;

export const decodeJob: WorkHandler = {
  kind: KIND,
  get version() {
    return decoderVersion();
  },
  async run(head, input, signal) {
    try {
      const { head: reply, body } = await decodeInChild(head as DecodeRequest, input, signal);
      const { refusal } = Object(reply) as DecodeReply;
      if (refusal === 'missing') return HERE;
      if (refusal === 'slow') return { why: 'slow', isLasting: true };
      return Buffer.concat(frame(reply, body));
    } catch (error) {
      if (!(error instanceof ChildFailure)) throw error;
      return { why: error.why, isLasting: LASTING.has(error.why) };
    }
  },
};

/** Undefined if no worker has decoded it. `pixels` is the number that the header declares. */
export async function decodedElsewhere(
  source: ByteSource,
  request: DecodeRequest,
  pixels: number,
  offload: OffloadCall,
): Promise<Partial<Raster> | undefined> {
  const isHeavy = (source.size ?? 0) >= LEAST_BYTES || pixels >= LEAST_PIXELS;
  if (!offload.session.work || !isHeavy) return undefined;
  const work = { kind: KIND, version: decoderVersion(), head: request, source };
  const outcome = await offloadWork(work, offload);
  if (outcome.is === 'failed') {
    const refused = Object.hasOwn(FAILURES, outcome.why) ? FAILURES[outcome.why] : undefined;
    return refused && { refused };
  }
  const read = outcome.is === 'done' ? wholeFrame(outcome.result) : undefined;
  return read && unpack(read.head, read.body);
}

const FAILURES: Readonly<Record<string, NotShown>> = {
  crashed: REFUSALS.crashed,
  output: REFUSALS.crashed,
  memory: REFUSALS.memory,
  slow: REFUSALS.slow,
  worker: { code: 'LIMIT', why: 'every worker that decoded it ended; it is tried again after 10 minutes' },
};

let digestOfDecoder: string | undefined;

/** The version of the decoder, a part of the cache key, because another decoder makes another copy. */
function decoderVersion(): string {
  return (digestOfDecoder ??= digestOfCode(DECODER, ['sharp']));
}

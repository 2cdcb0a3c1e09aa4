/** Remote conversion of documents: a replica sends the job, a worker on another machine runs it. */

import { readAt } from '../../access/bytes.ts';
import { ChildFailure } from '../../access/isolate-child.ts';
import { Identity } from '../../identity.ts';
import { OrielError } from '../../errors.ts';
import { frame, wholeFrame } from '../../text/frames.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { ScratchFile } from '../../types/session.ts';
import type { RemoteWork, WorkHandler } from '../../types/work.ts';
import { contentOf, storedBody } from './converted-body.ts';
import { type CachedConversion, converterVersion, isLasting } from './cached-conversion.ts';
import { convertInChild } from './convert-in-child.ts';
import { failureOf } from './failures.ts';
import type { Conversion, Reply, Want } from './document-protocol.ts';

const KIND = 'document';

/** Failures that another attempt would not change. */
const LASTING: ReadonlySet<ChildFailure['why']> = new Set(['slow', 'memory', 'output']);

/** The result must not be shared, so the document is converted on the machine that wants it. */
const HERE = { why: 'here', isLasting: true } as const;

export const convertJob: WorkHandler = {
  kind: KIND,
  get version() {
    return converterVersion();
  },
  async run(head, input, signal) {
    try {
      const conversion = await convertInChild({ want: head as Want }, input, signal);
      const { reply, body } = conversion;
      if (!isLasting(reply)) return HERE;
      return Buffer.concat(frame(reply, await contentOf(body, Identity.once('conversion'))));
    } catch (error) {
      if (!(error instanceof ChildFailure)) throw error;
      return { why: error.why, isLasting: LASTING.has(error.why) };
    }
  },
};

export interface Elsewhere {
  readonly want: Want;
  readonly source: ByteSource;
  readonly signal: AbortSignal;
  /** In milliseconds of `performance.now()`. Half of the remaining time is reserved for a local conversion. */
  readonly deadline: number;
  readonly open: () => Promise<ScratchFile>;
}

/** Undefined if no worker has converted it. Throws OrielError like a local conversion. */
export async function convertedElsewhere(
  work: RemoteWork,
  cached: CachedConversion,
  { want, source, signal, deadline, open }: Elsewhere,
): Promise<Conversion | undefined> {
  const { size } = source;
  if (size === undefined) return undefined;
  const { key, sha256 } = cached;
  const order = {
    kind: KIND,
    version: converterVersion(),
    key,
    head: want,
    bytes: size,
    read: (start: number, length: number) => readAt(source, start, length, signal),
    sha256,
  };
  const now = performance.now();
  const outcome = await work.run(order, { signal, giveUpAt: now + (deadline - now) / 2 });
  if (outcome.is === 'here') return undefined;
  if (outcome.is === 'failed') {
    const failure = failureOf(outcome.why, size, want);
    if (failure) throw new OrielError(...failure);
    return undefined;
  }
  const read = wholeFrame(outcome.result);
  if (!read) return undefined;
  const conversion = { reply: read.head as Reply, body: await storedBody(read.body, open) };
  // If the worker has not cached it in the shared store, it is cached on this machine.
  if (!outcome.isCached) cached.keep(conversion, sha256);
  return conversion;
}

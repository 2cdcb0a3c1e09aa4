/** Conversions of documents as work of other machines: how a replica asks for one, and how a worker does it. */

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

/** What a worker found out about a document that no other attempt changes. */
const LASTING: ReadonlySet<ChildFailure['why']> = new Set(['slow', 'memory', 'output']);

/** The converter is to be asked where the document is wanted: its answer is none that others may use. */
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
  /** On the clock of `performance.now()`: half of the time is left for a conversion here. */
  readonly deadline: number;
  readonly open: () => Promise<ScratchFile>;
}

/** Undefined if no worker has converted it. Throws OrielError as a conversion here does. */
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
  // What the shared cache does not take is kept on this machine.
  if (!outcome.isCached) cached.keep(conversion, sha256);
  return conversion;
}

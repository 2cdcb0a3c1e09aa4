/** Converts the bytes of one document in a pooled child process. */

import { ChildPool } from '../../access/isolate-pool.ts';
import { builtFile } from '../../access/package-files.ts';
import { queues } from '../../queues/queue-table.ts';
import type { ScratchFile } from '../../types/session.ts';
import { bodyOf, MOST_IN_MEMORY } from './converted-body.ts';
import {
  CONVERTER,
  MIB,
  MOST_MS,
  MOST_REPLY,
  MOST_SEARCHED,
  MOST_TEXT,
  mostMemory,
} from './document-limits.ts';
import type { Conversion, Job, Reply, Want } from './document-protocol.ts';

const children = new ChildPool({
  entry: () => builtFile(CONVERTER),
  queue: queues.documents,
  // Long enough to page through a document.
  idleMs: 20_000,
  heapMb: 768,
  keepUpTo: 200 * MIB,
  // The memory of a new child with its libraries.
  fresh: 80 * MIB,
});

export interface Order {
  readonly want: Want;
  readonly password?: string;
}

export interface Input {
  /** The document: exactly `bytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** The deadline of the call, in milliseconds of `performance.now()`. */
  readonly deadline?: number;
}

/** Throws ChildFailure, `BUSY` and the reason of the signal. `open` creates a file for a result too large for memory. */
export async function convertInChild(
  order: Order,
  { body, bytes, deadline }: Input,
  signal: AbortSignal,
  open?: () => Promise<ScratchFile>,
): Promise<Conversion> {
  const job: Job = { ...order, most: order.want.is === 'rest' ? MOST_SEARCHED : MOST_TEXT };
  const { head, ...said } = await children.run(
    {
      head: job,
      body,
      bytes,
      maxOutput: MOST_REPLY,
      maxMemory: mostMemory(bytes, order.want),
      maxMs: MOST_MS,
      ...(deadline !== undefined && { deadline }),
      ...(open && { aside: { over: MOST_IN_MEMORY, open } }),
    },
    { signal },
  );
  return { reply: head as Reply, body: bodyOf(said) };
}

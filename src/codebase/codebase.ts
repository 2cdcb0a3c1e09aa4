/** The thread of code questions, as the rest of the process sees it: jobs in, replies out, one at a time. */

import { WorkerPool } from '../access/isolate-worker.ts';
import { builtFile } from '../access/package-files.ts';
import { callerOf } from '../queues/caller.ts';
import { queues } from '../queues/queue-table.ts';
import type { CodeJob, CodeReplies } from './codebase-worker.ts';

/** Its tags are read again from disk when it has ended. */
const IDLE_MS = 5 * 60_000;

const threads = new WorkerPool<CodeJob, CodeReplies[CodeJob['ask']]>({
  entry: builtFile('codebase/codebase-worker.js'),
  queue: queues.codebase,
  idleMs: IDLE_MS,
  heapMb: 256,
  youngMb: 8,
});

/** Whether somebody has asked about code, and nobody does now. */
export function codeRests(): boolean {
  return threads.rests;
}

/** What has begun ends by itself: a thread that is ended takes all tags with it. */
const never = new AbortController().signal;

/**
 * Waits in the queue as the caller of `signal`, as long as that allows; then the thread has `within` milliseconds. Throws
 * `TIMEOUT`, `LIMIT`, `BUSY`, and the reason of the signal.
 */
export async function askCode<A extends CodeJob['ask']>(
  job: CodeJob & { readonly ask: A },
  within: number,
  signal: AbortSignal,
): Promise<CodeReplies[A]> {
  const claim = { signal, caller: callerOf(signal) };
  return threads.lend(claim, (ask) => ask(job, performance.now() + within, never)) as Promise<CodeReplies[A]>;
}

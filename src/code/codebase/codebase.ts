/** The client of the codebase thread: sends it jobs, one at a time, and returns their replies. */

import { builtFile } from '../../files/package-files.ts';
import { WorkerPool } from '../../process/worker-threads.ts';
import { callerOf } from '../../queues/caller.ts';
import { queues } from '../../queues/queue-table.ts';
import { buffersOf } from '../tags.ts';
import type { CodeJob, CodeReplies } from './codebase-worker.ts';

/** The idle thread ends after this many milliseconds; a new one loads the tags from disk. */
const IDLE_MS = 5 * 60_000;

const threads = new WorkerPool<CodeJob, CodeReplies[CodeJob['kind']]>({
  entry: builtFile('code/codebase/codebase-worker.js'),
  queue: queues.codebase,
  idleMs: IDLE_MS,
  heapMb: 256,
  youngMb: 8,
  moves: (job) => (job.kind === 'put' ? buffersOf(job.tags) : []),
});

/** Whether the thread exists and is idle. */
export function codeIsIdle(): boolean {
  return threads.hasIdle;
}

/** Running jobs are not aborted: that would terminate the thread and lose all its tags. */
const never = new AbortController().signal;

/**
 * Waits in the queue as the caller of `signal`, until that is aborted; then the thread has `within` milliseconds. Throws
 * `TIMEOUT`, `LIMIT`, `BUSY`, and the reason of the signal.
 */
export async function askCode<A extends CodeJob['kind']>(
  job: CodeJob & { readonly kind: A },
  within: number,
  signal: AbortSignal,
): Promise<CodeReplies[A]> {
  const claim = { signal, caller: callerOf(signal) };
  return threads.lend(claim, (ask) => ask(job, performance.now() + within, never)) as Promise<CodeReplies[A]>;
}

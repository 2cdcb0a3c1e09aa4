/**
 * The pool of worker threads for walks. Idle threads are kept for a while and reused, because loading and compiling their
 * code takes as long as a walk over ten thousand files.
 */

import { type Conversation, converse } from '../../access/isolate-stream.ts';
import { builtFile } from '../../access/package-files.ts';

/** The heap of a thread in MiB (all of it, and the young generation). It holds directory entries and ignore rules. */
const HEAP_MB = 256;
const YOUNG_MB = 4;

/** The most idle threads: as many as one walk uses. */
const MOST_RESTING = 2;

/** An idle thread ends after this many milliseconds: longer than an agent usually thinks, and than the first map parses. */
const IDLE_MS = 60_000;

const resting: Conversation[] = [];

/** Returns a thread that waits for a request. It is terminated when `signal` aborts. */
export function takeThread(signal: AbortSignal): Conversation {
  signal.throwIfAborted();
  for (let thread = resting.pop(); thread; thread = resting.pop()) if (thread.wake(signal)) return thread;
  const entry = builtFile('engine/walk/walk-worker.js');
  return converse({ entry, heapMb: HEAP_MB, youngMb: YOUNG_MB, signal });
}

/** Puts a thread that has reported `resting` back into the pool. */
export async function giveBack(thread: Conversation): Promise<void> {
  if (resting.length >= MOST_RESTING) return thread.end();
  resting.push(thread);
  thread.rest(IDLE_MS, () => {
    const at = resting.indexOf(thread);
    if (at !== -1) resting.splice(at, 1);
  });
}

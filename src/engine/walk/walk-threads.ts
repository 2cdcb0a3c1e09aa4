/**
 * The pool of worker threads for walks. An idle one is kept for a while and used again: its code is loaded and compiled,
 * which costs as much as a walk of ten thousand files.
 */

import { type Conversation, converse } from '../../access/isolate-stream.ts';
import { builtFile } from '../../access/package-files.ts';

/** MiB of a thread's heap: names of the directories on the way down, and rules. */
const HEAP_MB = 256;
const YOUNG_MB = 16;

/** Those of one walk. */
const MOST_RESTING = 2;

/** A thread that nobody needs for so long ends. */
const IDLE_MS = 10_000;

const resting: Conversation[] = [];

/** A thread that waits for a request, and is ended when `signal` aborts. */
export function takeThread(signal: AbortSignal): Conversation {
  signal.throwIfAborted();
  for (let thread = resting.pop(); thread; thread = resting.pop()) if (thread.wake(signal)) return thread;
  const entry = builtFile('engine/walk/walk-worker.js');
  return converse({ entry, heapMb: HEAP_MB, youngMb: YOUNG_MB, signal });
}

/** For a thread that has said that it rests. */
export async function giveBack(thread: Conversation): Promise<void> {
  if (resting.length >= MOST_RESTING) return thread.end();
  resting.push(thread);
  thread.rest(IDLE_MS, () => {
    const at = resting.indexOf(thread);
    if (at !== -1) resting.splice(at, 1);
  });
}

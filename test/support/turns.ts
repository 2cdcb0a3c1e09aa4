/**
 * How long one turn of the event loop works at most, in processor time of the main thread: what other processes and
 * threads do meanwhile does not count.
 */

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const BEAT_MS = 20;

/** What no input may pass, in ms; on a machine with nothing else to do it is half as much. */
const MOST_MS = 150;

/** Does the work, and looks every 20 ms how long the thread has worked since. */
export async function inShortTurns<T>(work: () => Promise<T>): Promise<T> {
  let longest = 0;
  let last = workedMs();
  const look = (): void => {
    const now = workedMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, BEAT_MS);
  try {
    const result = await work();
    look();
    expect(longest).toBeLessThan(MOST_MS);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Milliseconds on a processor; 0 where that is not known. Source: Documentation/scheduler/sched-stats.rst. */
function workedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

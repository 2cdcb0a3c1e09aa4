/** Timeouts that do not count the time that a process was ready to run but had no CPU. */

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** A timeout is extended to at most this multiple on a busy machine. */
const MAX_TIMEOUT_FACTOR = 4;

/** Waiting times below this, in ms, are within the inaccuracy of a timer. */
const MIN_CPU_WAIT_MS = 5;

/**
 * Calls `over` after `ms` milliseconds, extended by the time that the process waited for a CPU, but after `most` (default:
 * four times `ms`) in any case. `waited` returns the milliseconds that it waited for a CPU since the last call.
 * Returns a function that stops the timer.
 */
export function startOwnTimer(
  ms: number,
  waited: () => Promise<number>,
  over: () => void,
  most: number = MAX_TIMEOUT_FACTOR * ms,
): () => void {
  const end = performance.now() + most;
  // Node takes a longer time, such as Infinity, for 1 ms.
  const half = Math.min(ms / 2, 2 ** 31 - 1);
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const left = Math.min(await waited(), end - performance.now());
    if (isOver) return;
    if (left < MIN_CPU_WAIT_MS) over();
    else timer = setTimeout(() => void look(), left);
  };
  // To save work, waiting in the first half of the time is not measured and counts as running.
  const begin = (): void => {
    void waited();
    timer = setTimeout(() => void look(), half);
  };
  timer = setTimeout(begin, half);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Milliseconds before a deadline that are kept for writing the answer. */
const SPARE_MS = 1_000;

/**
 * The `most` of `startOwnTimer` for a call with this `deadline` (`performance.now()`). It is before the deadline, so that
 * the call can still report the timeout of the work.
 */
export function maxTimerBefore(deadline: number, ms: number): number {
  return Math.max(ms, Math.min(MAX_TIMEOUT_FACTOR * ms, deadline - SPARE_MS - performance.now()));
}

/** The `waited` of `startOwnTimer`: for the thread of `pid` that waited longest. Always 0 if the system does not report it. */
export function cpuWaitMeter(pid: number | undefined): () => Promise<number> {
  const known = new Map<string, number>();
  return async () => {
    const tasks = `/proc/${pid}/task`;
    const threads = process.platform === 'linux' ? await readdir(tasks).catch(() => []) : [];
    let longest = 0;
    for (const thread of threads) {
      const total = waitingIn(await readFile(`${tasks}/${thread}/schedstat`, 'latin1').catch(() => ''));
      longest = Math.max(longest, total - (known.get(thread) ?? 0));
      known.set(thread, total);
    }
    return longest;
  };
}

/**
 * For synchronous work: returns a function that says whether this thread has run for `ms` milliseconds, not counting its
 * waits for a CPU (`waited` returns their total), or whether four times `ms` have passed.
 */
export function ownDeadline(ms: number, waited: () => number = threadWaiting): () => boolean {
  const start = performance.now();
  const before = waited();
  let end = start + ms;
  return () => {
    const now = performance.now();
    if (now < end) return false;
    end = start + Math.min(ms + waited() - before, MAX_TIMEOUT_FACTOR * ms);
    return now >= end;
  };
}

/** Reading the waiting time takes as long as parsing a small file, so it is read at most once in so many milliseconds. */
const FRESH_MS = 20;

let waiting = 0;
let readAt = -Infinity;

/** Milliseconds that this thread has waited for a CPU, as of a moment ago. Always 0 if the system does not report it. */
function threadWaiting(): number {
  const now = performance.now();
  if (now < readAt + FRESH_MS) return waiting;
  readAt = now;
  try {
    if (process.platform === 'linux') {
      waiting = waitingIn(readFileSync('/proc/thread-self/schedstat', 'latin1'));
    }
  } catch {
    // Not all systems with /proc have it.
  }
  return waiting;
}

/** The waiting time in milliseconds. Source: Documentation/scheduler/sched-stats.rst. */
function waitingIn(stat: string): number {
  return Number(stat.split(' ')[1] ?? 0) / 1e6;
}

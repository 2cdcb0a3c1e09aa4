/** Timeouts that do not count the time that a process was ready to run but had no CPU. */

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** A timeout is extended to at most this multiple on a busy machine. */
const MOST_STRETCH = 4;

/** Less than this is the inaccuracy of a timer, in ms. */
const LEAST_MS = 5;

/**
 * Calls `over` when `ms` milliseconds have passed, plus those for which the process has waited for a processor, and
 * after `most` (four times as many) in any case. `waited` says for how long it has since the last call.
 * Returns a function that stops the timer.
 */
export function startOwnTimer(
  ms: number,
  waited: () => Promise<number>,
  over: () => void,
  most: number = MOST_STRETCH * ms,
): () => void {
  const end = performance.now() + most;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const left = Math.min(await waited(), end - performance.now());
    if (isOver) return;
    if (left < LEAST_MS) over();
    else timer = setTimeout(() => void look(), left);
  };
  // Short work is not checked: waiting in the first half of its time counts as its own.
  const begin = (): void => {
    void waited();
    timer = setTimeout(() => void look(), ms / 2);
  };
  timer = setTimeout(begin, ms / 2);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Milliseconds before a deadline that are kept for writing the answer. */
const SPARE_MS = 1_000;

/**
 * For `startOwnTimer`: the longest wait of a call with this `deadline` (`performance.now()`). Work that ends before the
 * deadline can say why; a call that reaches its deadline cannot.
 */
export function mostBefore(deadline: number, ms: number): number {
  return Math.max(ms, Math.min(MOST_STRETCH * ms, deadline - SPARE_MS - performance.now()));
}

/** For `startOwnTimer`: of the thread that has waited longest. Always 0 if the system does not tell it. */
export function waitingOf(pid: number | undefined): () => Promise<number> {
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
 * For work that cannot wait for a timer: whether this thread has had `ms` milliseconds, without those for which it has
 * waited for a processor (`waited` says for how long in all). After four times as many it is over in any case.
 */
export function ownDeadline(ms: number, waited: () => number = threadWaiting): () => boolean {
  const start = performance.now();
  const before = waited();
  let end = start + ms;
  return () => {
    const now = performance.now();
    if (now < end) return false;
    end = start + Math.min(ms + waited() - before, MOST_STRETCH * ms);
    return now >= end;
  };
}

/** For how long this thread has waited for a processor. Always 0 where the system does not tell it. */
function threadWaiting(): number {
  try {
    return process.platform === 'linux'
      ? waitingIn(readFileSync('/proc/thread-self/schedstat', 'latin1'))
      : 0;
  } catch {
    return 0;
  }
}

/** Milliseconds. Source: Documentation/scheduler/sched-stats.rst. */
function waitingIn(stat: string): number {
  return Number(stat.split(' ')[1] ?? 0) / 1e6;
}

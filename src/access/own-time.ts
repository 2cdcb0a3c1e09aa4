/** The time that a process has had: what it spent ready to run, without a processor, is not its own. */

import { readdir, readFile } from 'node:fs/promises';

/** A process on a crowded machine gets at most so many times its milliseconds. */
const MOST_STRETCH = 4;

/** Less than this is the inaccuracy of a timer, in ms. */
const LEAST_MS = 5;

/**
 * Calls `over` when `ms` milliseconds have passed, plus those for which the process has waited for a processor, and
 * after `most` (four times as many) in any case. `waited` says for how long it has since the last call. Returns what
 * stops it.
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
  // Short work is not looked at: what it waits in the first half counts as its own.
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

/** Milliseconds before a deadline in which an answer is still worded. */
const SPARE_MS = 1_000;

/**
 * For `startOwnTimer`: the most of `ms` for whoever gives up at `deadline`, on the clock of `performance.now()`. Work
 * that is over before says why; a call that runs into its deadline says no more than that.
 */
export function mostBefore(deadline: number, ms: number): number {
  return Math.max(ms, Math.min(MOST_STRETCH * ms, deadline - SPARE_MS - performance.now()));
}

/** For `startOwnTimer`: of the thread that has waited longest. Always 0 where the system does not tell it. */
export function waitingOf(pid: number | undefined): () => Promise<number> {
  const known = new Map<string, number>();
  return async () => {
    const tasks = `/proc/${pid}/task`;
    const threads = process.platform === 'linux' ? await readdir(tasks).catch(() => []) : [];
    let longest = 0;
    for (const thread of threads) {
      // Source: Documentation/scheduler/sched-stats.rst.
      const stat = await readFile(`${tasks}/${thread}/schedstat`, 'latin1').catch(() => '');
      const total = Number(stat.split(' ')[1] ?? 0) / 1e6;
      longest = Math.max(longest, total - (known.get(thread) ?? 0));
      known.set(thread, total);
    }
    return longest;
  };
}

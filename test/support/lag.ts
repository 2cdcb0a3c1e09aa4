/** How long the event loop of this process is held while something runs. */

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const BEAT_MS = 20;

/** The largest lag that a hostile case may cause, in ms. */
export const MOST_LAG_MS = 150;

/** The longest stretch in ms; time that the main thread waited for a processor is left out where that is known. */
export async function longestLag(work: () => Promise<unknown>): Promise<number> {
  let largest = 0;
  let [at, waited] = [performance.now(), waitedMs()];
  const look = (): void => {
    const [now, nowWaited] = [performance.now(), waitedMs()];
    largest = Math.max(largest, now - at - BEAT_MS - (nowWaited - waited));
    [at, waited] = [now, nowWaited];
  };
  const beat = setInterval(look, BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    look();
  }
  return largest;
}

/** Does the work, and expects that it does not hold the event loop. */
export async function withoutLag<T>(work: () => Promise<T>): Promise<T> {
  let result: { readonly of: T } | undefined;
  const lag = await longestLag(async () => (result = { of: await work() }));
  expect(lag).toBeLessThan(MOST_LAG_MS);
  return (result as unknown as { readonly of: T }).of;
}

/** Milliseconds for which the main thread was ready to run and waited. Source: Documentation/scheduler/sched-stats.rst. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

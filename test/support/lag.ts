/** Measures how long work of this process blocks its event loop while something runs. */

import { expect } from 'vitest';
import { machineMs, workMs } from './machine-time.mjs';

const BEAT_MS = 20;

/** The largest lag that a hostile case may cause, in ms. */
export const MOST_LAG_MS = 150;

/** Work that blocks the event loop does so in every try; delays by other programs come and go. */
const TRIES = 5;

/** Retries of a test that compares the lag of another process with `MOST_LAG_MS`, for the same reason. */
export const LAG_RETRIES = TRIES - 1;

/**
 * Repeats `work` until it blocks the event loop for less than `MOST_LAG_MS`; fails after `TRIES` tries. A lag above the
 * limit is divided by `slowness()`, to discount what other programs cause.
 */
export async function withoutLag<T>(work: () => Promise<T>): Promise<T> {
  const lags: number[] = [];
  for (;;) {
    const { lag, result } = await lagOf(work);
    if (lag < MOST_LAG_MS) return result;
    lags.push(lag / slowness());
    if ((lags.at(-1) as number) < MOST_LAG_MS) return result;
    if (lags.length === TRIES) expect.fail(`The event loop was held for ${lags.join(', ')} ms.`);
  }
}

const REFERENCE = JSON.stringify(
  Array.from({ length: 20_000 }, () => ({ key: [1, 2, 'a text of some words', { x: null }] })),
);

/** Time in ms to parse `REFERENCE` on an idle 2 GHz machine. */
const REFERENCE_MS = 7;

/** Factor by which work is slower now than on an idle machine, since programs share caches and cores. At least 1. */
export function slowness(): number {
  const times = Array.from({ length: 9 }, () => {
    const [at, waited] = [performance.now(), machineMs()];
    JSON.parse(REFERENCE);
    return performance.now() - at - (machineMs() - waited);
  });
  return Math.max(1, (times.sort((a, b) => a - b)[4] as number) / REFERENCE_MS);
}

/** The longest time in ms that the main thread worked before a timer that was due could run. */
async function lagOf<T>(work: () => Promise<T>): Promise<{ lag: number; result: T }> {
  let largest = 0;
  let at = workMs();
  const look = (): void => {
    const now = workMs();
    largest = Math.max(largest, now - at - BEAT_MS);
    at = now;
  };
  const beat = setInterval(look, BEAT_MS);
  try {
    const result = await work();
    look();
    return { lag: largest, result };
  } finally {
    clearInterval(beat);
  }
}

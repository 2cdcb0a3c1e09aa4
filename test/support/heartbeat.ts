/** How long the event loop of this process is held: a beat every 20 ms, and how late each of them comes. */

import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';

const BEAT_MS = 20;

/** What no hostile input may pass, in ms. */
const MOST_LAG_MS = 150;

export interface Heartbeat {
  /** The largest lag so far in ms, without the time in which this process waited for a processor. */
  lag(): number;
}

export function heartbeat(): Heartbeat {
  let largest = 0;
  let last = performance.now();
  let waited = inRunQueue();
  const beat = (): void => {
    const [now, queued] = [performance.now(), inRunQueue()];
    largest = Math.max(largest, now - last - BEAT_MS - (queued - waited));
    last = now;
    waited = queued;
  };
  const timer = setInterval(beat, BEAT_MS);
  onTestFinished(() => clearInterval(timer));
  return {
    lag() {
      beat();
      return largest;
    },
  };
}

/** Does the work while the heart beats. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const heart = heartbeat();
  const result = await work();
  expect(heart.lag()).toBeLessThan(MOST_LAG_MS);
  return result;
}

/** Milliseconds for which the main thread was ready and did not run. Source: proc_pid_schedstat in the kernel's docs. */
function inRunQueue(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

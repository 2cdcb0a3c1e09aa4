/** The deadline of a search or a walk, and its progress messages. */

import type { Call } from '../../types/call.ts';

/** Milliseconds kept back at most. */
const RESERVE_MS = 2000;

/**
 * `performance.now()` at which one step of work that must be over at `deadline` ends. Something is kept back for the
 * steps after it, so that what was found by then can still be answered.
 */
export function lookUntil(deadline: number): number {
  const left = deadline - performance.now();
  return deadline - Math.min(RESERVE_MS, left / 4);
}

/** Reports once a second, until `work` is done, that it goes on. */
export async function withProgress<T>(call: Call, doing: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const report = (): void => {
    const seconds = Math.round((performance.now() - start) / 1000);
    call.progress({ message: `${doing}, ${seconds} s` });
  };
  const timer = setInterval(report, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

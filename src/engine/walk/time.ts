/** The deadline of a search or a walk. */

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

/** Deadlines for the steps of a search or a walk. */

/** The most milliseconds reserved for later steps. */
const RESERVE_MS = 2000;

/** Milliseconds reserved for ranking each file, on a busy machine. */
const RESERVE_EACH_MS = 0.1;

/**
 * The deadline of a step, in milliseconds of `performance.now()`, for work with the given `deadline`. Some time is reserved
 * for later steps, so that the results found so far can still be shown.
 */
export function lookUntil(deadline: number): number {
  const left = deadline - performance.now();
  return deadline - Math.min(RESERVE_MS, left / 4);
}

/** The deadline of the first of two long steps: half of the remaining time. */
export function halfUntil(deadline: number): number {
  return deadline - (deadline - performance.now()) / 2;
}

/**
 * The deadline of a step whose `count` results are processed after it. A quarter of the time or more is reserved (at most
 * half): on a busy machine processing takes seconds, and a partial answer is better than none.
 */
export function gatherUntil(deadline: number, count: number): number {
  const left = deadline - performance.now();
  const reserve = Math.max(RESERVE_MS + count * RESERVE_EACH_MS, left / 4);
  return deadline - Math.min(reserve, left / 2);
}

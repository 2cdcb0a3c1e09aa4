/** The deadline of a search or a walk. */

/** Maximum milliseconds reserved for later steps. */
const RESERVE_MS = 2000;

/** Milliseconds reserved for ranking each file, on a busy machine. */
const RESERVE_EACH_MS = 0.1;

/**
 * The deadline of a step (by `performance.now()`) in work with the given `deadline`. Some time is reserved
 * for later steps, so that the results found so far can still be shown.
 */
export function lookUntil(deadline: number): number {
  const left = deadline - performance.now();
  return deadline - Math.min(RESERVE_MS, left / 4);
}

/** The same for the first of several long steps: it gets half of the time. */
export function halfUntil(deadline: number): number {
  return deadline - (deadline - performance.now()) / 2;
}

/**
 * The same for a step whose results, `count` of them, are put together after it. At least a quarter of the time is kept
 * back: where this process gets a tenth of a processor that takes seconds, and a part is worth more than no answer.
 */
export function gatherUntil(deadline: number, count: number): number {
  const left = deadline - performance.now();
  const reserve = Math.max(RESERVE_MS + count * RESERVE_EACH_MS, left / 4);
  return deadline - Math.min(reserve, left / 2);
}

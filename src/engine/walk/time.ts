/** The deadline of a search or a walk. */

/** Milliseconds kept back at most. */
const RESERVE_MS = 2000;

/** Milliseconds to rank one of many files, on a busy machine. */
const RESERVE_EACH_MS = 0.1;

/**
 * `performance.now()` at which one step of work that must be over at `deadline` ends. Something is kept back for the
 * steps after it, so that what was found by then can still be answered.
 */
export function lookUntil(deadline: number): number {
  const left = deadline - performance.now();
  return deadline - Math.min(RESERVE_MS, left / 4);
}

/** The same for the first step of several that each take long: it has half of the time. */
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

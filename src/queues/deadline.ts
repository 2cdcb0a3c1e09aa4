/** A deadline for work that may wait in queues. Waiting time counts only if the claim is `timed`. */

import { withOthers } from './caller.ts';
import { Clock, runOn } from './clock.ts';

export interface Deadline {
  /** Aborts with the signal it was made from, and at the deadline. It has the same caller as that signal. */
  readonly signal: AbortSignal;
  /** Stops the clock. Call it when the work is done. */
  stop(): void;
}

const reasons = new WeakSet<object>();

/** Whether `reason` is that of a deadline that has passed. */
export function isLate(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && reasons.has(reason);
}

/** A deadline `ms` milliseconds from now. `late` creates the abort reason. */
export function deadlineOf(signal: AbortSignal, ms: number, late: () => Error): Deadline {
  const over = new AbortController();
  const clock = new Clock(ms, () => {
    const reason = late();
    reasons.add(reason);
    over.abort(reason);
  });
  runOn(over.signal, [clock]);
  return { signal: withOthers(signal, over.signal), stop: () => clock.stop() };
}

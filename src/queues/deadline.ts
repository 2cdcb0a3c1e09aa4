/** A deadline for work that may wait in queues: waiting time counts only if the queue claim says so. */

import { withOthers } from './caller.ts';
import { Clock, runOn } from './clock.ts';

export interface Deadline {
  /** Aborted with what it was made of, and at the deadline. Work that waits with it counts as that of the same caller. */
  readonly signal: AbortSignal;
  /** The work is done. */
  stop(): void;
}

const reasons = new WeakSet<object>();

/** Whether a signal that was aborted with `reason` had a deadline that has passed. */
export function isLate(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && reasons.has(reason);
}

/** `ms` milliseconds from now. `late` makes the reason with which the signal is aborted then. */
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

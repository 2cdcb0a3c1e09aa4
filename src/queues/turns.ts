/** Cooperative scheduling on the event loop: of all work that shares a scheduler, one piece runs per loop iteration. */

import type { Caller } from './caller.ts';
import { WaitingList } from './waiting-list.ts';

/** Returns a function whose promise resolves when the caller may run its next piece; first come, first served. */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const serve = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(serve);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(serve);
    });
}

/** A piece of work that begins; false if there is nothing to do any more, so that another one may begin instead. */
export type Start = () => boolean;

/**
 * Returns a function that begins work, immediately unless other work was begun in this iteration of the event loop. What
 * waits is begun in the next one: one piece if `isSingle()` then, otherwise all. Addresses take turns, and the callers of
 * each; `caller` is asked only if the work waits.
 */
export function createStarts(isSingle: () => boolean): (start: Start, caller: () => Caller) => void {
  const waiting = new WaitingList<{ readonly start: Start }>();
  let isTaken = false;
  const serve = (): void => {
    isTaken = waiting.size > 0;
    if (!isTaken) return;
    setImmediate(serve);
    for (let left = isSingle() ? 1 : waiting.size; left > 0;) {
      const next = waiting.takeNext(() => true);
      if (!next) return;
      if (next.entry.start()) left -= 1;
    }
  };
  return (start, caller) => {
    if (isTaken) return waiting.add([caller()], { start });
    isTaken = start();
    if (isTaken) setImmediate(serve);
  };
}

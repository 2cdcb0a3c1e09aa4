/** Cooperative scheduling on the event loop: of all work that shares a scheduler, one piece runs per loop iteration. */

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

/**
 * Returns a function that calls `start`, immediately unless another was called in this iteration of the event loop. Those that
 * wait are called in the next one: the first if `isSingle()` then, otherwise all.
 */
export function createStarts(isSingle: () => boolean): (start: () => void) => void {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const serve = (): void => {
    isTaken = waiting.length > 0;
    if (!isTaken) return;
    setImmediate(serve);
    for (let left = isSingle() ? 1 : waiting.length; left > 0; left -= 1) waiting.shift()?.();
  };
  return (start) => {
    waiting.push(start);
    if (!isTaken) serve();
  };
}

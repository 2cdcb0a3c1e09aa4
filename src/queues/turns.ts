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

/** Returns a function that calls `start`, immediately unless another was called in this iteration of the event loop. */
export function createStarts(): (start: () => void) => void {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const serve = (): void => {
    const start = waiting.shift();
    isTaken = start !== undefined;
    if (!start) return;
    setImmediate(serve);
    start();
  };
  return (start) => {
    waiting.push(start);
    if (!isTaken) serve();
  };
}

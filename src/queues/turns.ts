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

/** Bodies are taken in pieces, of all bodies together one in each turn of the event loop. */

const waiting: (() => void)[] = [];

/** Resolves when the caller may take its next piece. Served in order. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serve);
  });
}

function serve(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(serve);
}

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

// A merge sort that does not block the event loop: it yields after every few thousand items.

const nextTurn = createTurns();

/** Items that are sorted or merged before the next yield: a few milliseconds. */
const AT_ONCE = 4096;

/** Maps the items with `prepare` and sorts the results with `compare`. */
export async function sortInTurns<T, U>(
  items: readonly T[],
  prepare: (item: T) => U,
  compare: (a: U, b: U) => number,
  /** Yields to the event loop. */
  rest: () => Promise<void> = nextTurn,
): Promise<U[]> {
  let runs: U[][] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    if (at > 0) await rest();
    runs.push(
      items
        .slice(at, at + AT_ONCE)
        .map(prepare)
        .sort(compare),
    );
  }
  while (runs.length > 1) {
    const merged: U[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await merge(runs[i] as U[], runs[i + 1] ?? [], compare, rest));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<U>(
  a: readonly U[],
  b: readonly U[],
  compare: (a: U, b: U) => number,
  rest: () => Promise<void>,
): Promise<U[]> {
  const merged: U[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const first = j === b.length || (i < a.length && compare(a[i] as U, b[j] as U) <= 0);
    merged.push((first ? a[i++] : b[j++]) as U);
    if (merged.length % AT_ONCE === 0) await rest();
  }
  return merged;
}

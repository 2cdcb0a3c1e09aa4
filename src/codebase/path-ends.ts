/** Paths by how they end, found in the time that a binary search takes: a tree has as many imports as lines. */

/** Paths with the same end that are looked at. */
const MOST = 1_000;

export class Ends<T> {
  /** Sorted. The names of each path from its last to its first, each with a slash after it. */
  readonly #keys: readonly string[];
  readonly #values: readonly T[];

  constructor(entries: readonly (readonly [path: string, value: T])[]) {
    const sorted = entries
      .map(([path, value]) => [backwards(path), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#keys = sorted.map(([key]) => key);
    this.#values = sorted.map(([, value]) => value);
  }

  /** The values of paths that are `end`, or end in it after a slash; of more than 1,000 any so many. */
  endingIn(end: string): readonly T[] {
    const wanted = backwards(end);
    const from = this.#placeOf(wanted);
    let to = from;
    while (to < this.#keys.length && to - from < MOST && this.#keys[to]?.startsWith(wanted)) to += 1;
    return this.#values.slice(from, to);
  }

  /** The position of the first key that is not before `key`. */
  #placeOf(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function backwards(path: string): string {
  return `${path.split('/').toReversed().join('/')}/`;
}

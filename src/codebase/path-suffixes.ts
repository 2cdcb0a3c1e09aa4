/** Finds paths by their last names, with binary search, because a large tree has very many imports. */

/** Maximum results. */
const MOST = 1_000;

export class PathSuffixes<T> {
  /** Sorted. Each is a path with its names in reverse order, each followed by a slash. */
  readonly #keys: readonly string[];
  readonly #values: readonly T[];

  constructor(entries: readonly (readonly [path: string, value: T])[]) {
    const sorted = entries
      .map(([path, value]) => [reversed(path), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#keys = sorted.map(([key]) => key);
    this.#values = sorted.map(([, value]) => value);
  }

  /** The values of paths that equal `suffix` or end in `/` and `suffix`, at most 1,000 of them. */
  withSuffix(suffix: string): readonly T[] {
    const wanted = reversed(suffix);
    const from = this.#firstFrom(wanted);
    let to = from;
    while (to < this.#keys.length && to - from < MOST && this.#keys[to]?.startsWith(wanted)) to += 1;
    return this.#values.slice(from, to);
  }

  /** The 0-based position of the first key that is not less than `key`. */
  #firstFrom(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** `"a/b/c.ts"` → `"c.ts/b/a/"`. */
function reversed(path: string): string {
  return `${path.split('/').toReversed().join('/')}/`;
}

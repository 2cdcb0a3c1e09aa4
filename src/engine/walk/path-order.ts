/**
 * Owns the order of paths: name by name, each compared by its bytes, so that a folder's files stand together and no
 * locale, thread or file system has a say. ripgrep's `--sort path` gives the same order.
 */

/** A key that plain string comparison orders. `/` goes before all others: "a/z" < "a.ts". */
export function orderKey(path: string): string {
  return path.replaceAll('/', '\0');
}

/** Keeps the smallest of many keys, in memory bounded by `most`. */
export class Smallest {
  #kept: string[] = [];
  #limit: string | undefined;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  offer(key: string): void {
    if (this.#limit !== undefined && key >= this.#limit) return;
    this.#kept.push(key);
    // Twice the number before sorting again: n offers cost about n comparisons.
    if (this.#kept.length >= 2 * this.#most + 64) this.#trim();
  }

  /** In order, at most `most`. */
  sorted(): string[] {
    this.#trim();
    return this.#kept;
  }

  #trim(): void {
    this.#kept.sort();
    if (this.#kept.length <= this.#most) return;
    this.#kept.length = this.#most;
    this.#limit = this.#kept.at(-1);
  }
}

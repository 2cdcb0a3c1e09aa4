/**
 * Owns the order of paths: name by name, each compared by its bytes, so that a folder's files stand together and no
 * locale, thread or file system has a say. ripgrep's `--sort path` gives the same order.
 */

/** Compares paths in either form, text or one character a byte, but not the two together. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [orderKey(a), orderKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A key that plain string comparison orders. `/` goes before all others: "a/z" < "a.ts". */
export function orderKey(path: string): string {
  return path.replaceAll('/', '\0');
}

/** Keeps the smallest of many keys, in memory bounded by `most`. */
export class Smallest {
  #kept: string[] = [];
  #limit: string | undefined;
  #dropped = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether more than `most` were offered. */
  get dropped(): boolean {
    return this.#dropped || this.#kept.length > this.#most;
  }

  offer(key: string): void {
    if (this.#limit !== undefined && key >= this.#limit) {
      this.#dropped = true;
      return;
    }
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
    this.#dropped = true;
    this.#limit = this.#kept.at(-1);
  }
}

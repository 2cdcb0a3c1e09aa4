/** Owns a map that forgets what was not used for longest. (A library for these lines costs 5 ms of every start.) */

export class Lru<T> {
  readonly #most: number;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#touch(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.#touch(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #touch(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}

/** A map that evicts the least recently used entry. (lru-cache 11.5.3 costs 4 ms of every start for these lines.) */

export class Lru<T> {
  readonly #most: number;
  readonly #mostWeight: number;
  #weight = 0;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();

  /** Holds at most `most` entries with a total weight of at most `mostWeight`, in the unit of the weights given to `set`. */
  constructor(most: number, mostWeight = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostWeight = mostWeight;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry) this.set(key, entry.value, entry.weight);
    return entry?.value;
  }

  set(key: string, value: T, weight = 0): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#weight <= this.#mostWeight) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

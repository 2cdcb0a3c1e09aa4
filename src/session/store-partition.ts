/** The entries of one kind in the order of their last use, with the kind's counters. */

import type { Kind, KindStats, Weight } from '../types/store.ts';
import type { Entry } from './store-entry.ts';
import type { SharedComputation } from './store-computation.ts';

export type Measure = keyof Weight;

export const measures: readonly Measure[] = ['memory', 'disk', 'descriptors'];

export class Partition<T> {
  readonly kind: Kind<T>;
  readonly computations = new Map<string, SharedComputation<T>>();
  readonly weight: Record<Measure, number> = { memory: 0, disk: 0, descriptors: 0 };
  hits = 0;
  misses = 0;
  joined = 0;
  evictions = 0;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(kind: Kind<T>) {
    this.kind = kind;
  }

  /** Returns the entry and makes it the most recently used one. */
  use(key: string): Entry<T> | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  add(entry: Entry<T>): void {
    this.#entries.set(entry.key, entry);
    this.reweigh(entry);
  }

  reweigh(entry: Entry<T>): void {
    const weight = entry.weigh();
    for (const measure of measures) this.weight[measure] += weight[measure] - entry.weight[measure];
    entry.weight = weight;
  }

  /** Removes an entry; calls that use it may continue to do so. */
  remove(entry: Entry<T>): void {
    entry.kept = false;
    this.#entries.delete(entry.key);
    for (const measure of measures) this.weight[measure] -= entry.weight[measure];
  }

  /** The least recently used entry that no call uses now and that has weight in `measure`. */
  oldest(measure: Measure): Entry<T> | undefined {
    for (const entry of this.#entries.values()) {
      if (entry.uses === 0 && entry.weight[measure] > 0) return entry;
    }
    return undefined;
  }

  /** Whether the kind exceeds its own limit (`mostMemory`). */
  isFull(measure: Measure): boolean {
    return measure === 'memory' && this.weight.memory > (this.kind.mostMemory ?? Infinity);
  }

  all(): readonly Entry<T>[] {
    return [...this.#entries.values()];
  }

  stats(): KindStats {
    const { hits, misses, joined, evictions, weight } = this;
    return { hits, misses, joined, evictions, entries: this.#entries.size, weight: { ...weight } };
  }
}

/**
 * The cache of derived data in this process. All kinds share one budget, and each has an equal share of it. Entries in use
 * are never evicted; of the others, the least recently used entry of the kind that is furthest over its share goes first.
 *
 * lru-cache 11.5.3 was tried: its import takes 4 ms of every start, and it has one measure of size, no reference counts
 * and no shares.
 */

import { OrielError } from '../errors.ts';
import type { Facts, Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { DerivedStore, Kind, KindStats, Made, Making, StoreUser, Weight } from '../types/store.ts';
import { Backing, Entry } from './store-entry.ts';
import { SharedMaking } from './store-making.ts';
import { type Measure, measures, Shelf } from './store-shelf.ts';

export type StoreBudget = Required<Weight>;

const DEFAULT_BUDGET: StoreBudget = { memory: 128 << 20, disk: 1 << 30, descriptors: 32 };

export class Store implements DerivedStore {
  readonly #budget: StoreBudget;
  readonly #shelves = new Map<string, Shelf<unknown>>();
  /** Computations on bytes with a unique identity, which no other call can share. */
  readonly #unshared = new Set<SharedMaking<unknown>>();
  readonly #disposing = new Set<Promise<void>>();
  #closed = false;

  readonly #onError: ((error: unknown) => void) | undefined;

  /** `onError` receives errors of disposing values. */
  constructor(budget: Partial<StoreBudget> = {}, onError?: (error: unknown) => void) {
    this.#budget = { ...DEFAULT_BUDGET, ...budget };
    this.#onError = onError;
  }

  get<T, O extends Facts>(
    kind: Kind<T, O>,
    of: ByteSource,
    options: O,
    make: (making: Making) => Promise<Made<T>>,
    user: StoreUser,
  ): Promise<T> {
    if (user.signal.aborted) return Promise.reject(user.signal.reason as Error);
    const shelf = this.#shelf(kind);
    const identity = of.identity.derive(kind, options);
    const { entry, making } = this.#known(shelf, identity);
    if (entry) return Promise.resolve(this.#use(shelf, entry, of, user));
    if (making) shelf.joined += 1;
    else shelf.misses += 1;
    return (making ?? this.#begin(shelf, of.identity, identity, make)).wait(of, user);
  }

  getNow<T, O extends Facts>(
    kind: Kind<T, O>,
    of: ByteSource,
    options: O,
    make: () => T,
    user: StoreUser,
  ): T {
    const shelf = this.#shelf(kind);
    const identity = of.identity.derive(kind, options);
    const known = this.#known(shelf, identity).entry;
    if (known) return this.#use(shelf, known, of, user);
    shelf.misses += 1;
    const entry = new Entry<T>(kind, identity.key, make(), this.#keeps(identity));
    if (entry.kept) shelf.add(entry);
    return this.#use(shelf, entry, of, user);
  }

  stats(): ReadonlyMap<string, KindStats> {
    return new Map(Array.from(this.#shelves, ([name, shelf]) => [name, shelf.stats()]));
  }

  /** Disposes all values; those in use are disposed when their calls end. Values computed later are not kept. */
  async close(): Promise<void> {
    this.#closed = true;
    const over = new OrielError('CANCELLED', 'The session is closed.');
    const makings = [
      ...this.#unshared,
      ...[...this.#shelves.values()].flatMap(({ making }) => [...making.values()]),
    ];
    for (const making of makings) making.cancel(over);
    for (const shelf of this.#shelves.values()) for (const entry of shelf.all()) this.#evict(shelf, entry);
    await Promise.all(this.#disposing);
  }

  #shelf<T>(kind: Kind<T>): Shelf<T> {
    const shelf = this.#shelves.get(kind.name) ?? new Shelf<unknown>(kind as Kind<unknown>);
    this.#shelves.set(kind.name, shelf);
    return shelf as Shelf<T>;
  }

  #keeps(identity: Identity): boolean {
    return identity.recurs && !this.#closed;
  }

  #known<T>(shelf: Shelf<T>, { key, recurs }: Identity): { entry?: Entry<T>; making?: SharedMaking<T> } {
    if (!recurs) return {};
    const entry = shelf.use(key);
    if (entry?.lasts) {
      shelf.hits += 1;
      return { entry };
    }
    if (entry) this.#evict(shelf, entry);
    const making = shelf.making.get(key);
    return making ? { making } : {};
  }

  #begin<T>(
    shelf: Shelf<T>,
    of: Identity,
    identity: Identity,
    make: (making: Making) => Promise<Made<T>>,
  ): SharedMaking<T> {
    const { key } = identity;
    const backing = new Backing(of, identity);
    const making = new SharedMaking<T>({
      backing,
      make,
      made: ({ value, keep }) => {
        const entry = new Entry<T>(shelf.kind, key, value, keep && this.#keeps(identity), backing);
        if (entry.kept) shelf.add(entry);
        return (bytes, user) => this.#use(shelf, entry, bytes, user);
      },
      over: () => {
        if (shelf.making.get(key) === making) shelf.making.delete(key);
        this.#unshared.delete(making as SharedMaking<unknown>);
      },
      unwanted: ({ value }) => void this.#dispose(new Entry<T>(shelf.kind, key, value, false, backing)),
    });
    if (identity.recurs) shelf.making.set(key, making);
    else this.#unshared.add(making as SharedMaking<unknown>);
    return making;
  }

  /** Keeps the entry until `user` ends; meanwhile its value may read the bytes that the user has opened. */
  #use<T>(shelf: Shelf<T>, entry: Entry<T>, of: ByteSource, user: StoreUser): T {
    entry.uses += 1;
    const back = entry.backing?.lend(of, user);
    user.onEnd(() => {
      back?.();
      entry.uses -= 1;
      if (!entry.kept) return entry.uses === 0 ? this.#dispose(entry) : undefined;
      shelf.reweigh(entry);
      if (entry.uses === 0 && (!entry.lasts || this.#isTooLarge(entry))) return this.#evict(shelf, entry);
      return this.#balance();
    });
    return entry.value;
  }

  /** Whether the entry alone exceeds the budget. It is not kept, because it would only evict all others. */
  #isTooLarge({ weight }: Entry<unknown>): boolean {
    return measures.some((measure) => weight[measure] > this.#budget[measure]);
  }

  /** Evicts unused entries until the rest fits into the budget or only entries in use are left. */
  #balance(): Promise<void> | undefined {
    let disposed: Promise<void> | undefined;
    for (const measure of measures) {
      for (;;) {
        const found = this.#overweight(measure);
        if (!found) break;
        disposed = Promise.all([disposed, this.#evict(found.shelf, found.entry)]).then(() => undefined);
      }
    }
    return disposed;
  }

  /** The next entry to evict if the budget of `measure` is exceeded. A kind within its share loses no entry. */
  #overweight(measure: Measure): { shelf: Shelf<unknown>; entry: Entry<unknown> } | undefined {
    const shelves = [...this.#shelves.values()].filter(({ weight }) => weight[measure] > 0);
    const total = shelves.reduce((sum, { weight }) => sum + weight[measure], 0);
    const isOver = total > this.#budget[measure];
    const share = this.#budget[measure] / shelves.length;
    const heaviest = shelves
      .filter((shelf) => (isOver && shelf.weight[measure] > share) || shelf.isFull(measure))
      .sort((a, b) => b.weight[measure] - a.weight[measure]);
    for (const shelf of heaviest) {
      const entry = shelf.oldest(measure);
      if (entry) return { shelf, entry };
    }
    return undefined;
  }

  #evict<T>(shelf: Shelf<T>, entry: Entry<T>): Promise<void> | undefined {
    shelf.remove(entry);
    shelf.evictions += 1;
    return entry.uses === 0 ? this.#dispose(entry) : undefined;
  }

  #dispose<T>(entry: Entry<T>): Promise<void> {
    const done = entry
      .dispose()
      // A failed disposal leaks a resource of this process; no answer depends on it.
      .catch((error: unknown) => this.#onError?.(error))
      .finally(() => this.#disposing.delete(done));
    this.#disposing.add(done);
    return done;
  }
}

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
import type {
  Computation,
  Computed,
  DerivedStore,
  Kind,
  KindStats,
  StoreUser,
  Weight,
} from '../types/store.ts';
import { Backing, Entry } from './store-entry.ts';
import { SharedComputation } from './store-computation.ts';
import { type Measure, measures, Partition } from './store-partition.ts';

export type StoreBudget = Required<Weight>;

const DEFAULT_BUDGET: StoreBudget = { memory: 128 << 20, disk: 1 << 30, descriptors: 32 };

export class Store implements DerivedStore {
  readonly #budget: StoreBudget;
  readonly #partitions = new Map<string, Partition<unknown>>();
  /** Computations on bytes with a unique identity, which no other call can share. */
  readonly #unshared = new Set<SharedComputation<unknown>>();
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
    make: (computation: Computation) => Promise<Computed<T>>,
    user: StoreUser,
  ): Promise<T> {
    if (user.signal.aborted) return Promise.reject(user.signal.reason as Error);
    const partition = this.#partition(kind);
    const identity = of.identity.derive(kind, options);
    const { entry, computation } = this.#known(partition, identity);
    if (entry) return Promise.resolve(this.#use(partition, entry, of, user));
    if (computation) partition.joined += 1;
    else partition.misses += 1;
    return (computation ?? this.#begin(partition, of.identity, identity, make)).wait(of, user);
  }

  getNow<T, O extends Facts>(
    kind: Kind<T, O>,
    of: ByteSource,
    options: O,
    make: () => T,
    user: StoreUser,
  ): T {
    const partition = this.#partition(kind);
    const identity = of.identity.derive(kind, options);
    const known = this.#known(partition, identity).entry;
    if (known) return this.#use(partition, known, of, user);
    partition.misses += 1;
    const entry = new Entry<T>(kind, identity.key, make(), this.#keeps(identity));
    if (entry.kept) partition.add(entry);
    return this.#use(partition, entry, of, user);
  }

  stats(): ReadonlyMap<string, KindStats> {
    return new Map(Array.from(this.#partitions, ([name, partition]) => [name, partition.stats()]));
  }

  /** Disposes all values; those in use are disposed when their calls end. Values computed later are not kept. */
  async close(): Promise<void> {
    this.#closed = true;
    const over = new OrielError('CANCELLED', 'The session is closed.');
    const running = [
      ...this.#unshared,
      ...[...this.#partitions.values()].flatMap(({ computations }) => [...computations.values()]),
    ];
    for (const computation of running) computation.cancel(over);
    for (const partition of this.#partitions.values())
      for (const entry of partition.all()) this.#evict(partition, entry);
    await Promise.all(this.#disposing);
  }

  #partition<T>(kind: Kind<T>): Partition<T> {
    const partition = this.#partitions.get(kind.name) ?? new Partition<unknown>(kind as Kind<unknown>);
    this.#partitions.set(kind.name, partition);
    return partition as Partition<T>;
  }

  #keeps(identity: Identity): boolean {
    return identity.recurs && !this.#closed;
  }

  #known<T>(
    partition: Partition<T>,
    { key, recurs }: Identity,
  ): { entry?: Entry<T>; computation?: SharedComputation<T> } {
    if (!recurs) return {};
    const entry = partition.use(key);
    if (entry?.lasts) {
      partition.hits += 1;
      return { entry };
    }
    if (entry) this.#evict(partition, entry);
    const computation = partition.computations.get(key);
    return computation ? { computation } : {};
  }

  #begin<T>(
    partition: Partition<T>,
    of: Identity,
    identity: Identity,
    make: (computation: Computation) => Promise<Computed<T>>,
  ): SharedComputation<T> {
    const { key } = identity;
    const backing = new Backing(of, identity);
    const computation = new SharedComputation<T>({
      backing,
      make,
      made: ({ value, keep }) => {
        const entry = new Entry<T>(partition.kind, key, value, keep && this.#keeps(identity), backing);
        if (entry.kept) partition.add(entry);
        return (bytes, user) => this.#use(partition, entry, bytes, user);
      },
      over: () => {
        if (partition.computations.get(key) === computation) partition.computations.delete(key);
        this.#unshared.delete(computation as SharedComputation<unknown>);
      },
      unwanted: ({ value }) => void this.#dispose(new Entry<T>(partition.kind, key, value, false, backing)),
    });
    if (identity.recurs) partition.computations.set(key, computation);
    else this.#unshared.add(computation as SharedComputation<unknown>);
    return computation;
  }

  /** Keeps the entry until `user` ends; meanwhile its value may read the bytes that the user has opened. */
  #use<T>(partition: Partition<T>, entry: Entry<T>, of: ByteSource, user: StoreUser): T {
    entry.uses += 1;
    const back = entry.backing?.lend(of, user);
    user.onEnd(() => {
      back?.();
      entry.uses -= 1;
      if (!entry.kept) return entry.uses === 0 ? this.#dispose(entry) : undefined;
      partition.reweigh(entry);
      if (entry.uses === 0 && (!entry.lasts || this.#isTooLarge(entry))) return this.#evict(partition, entry);
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
        disposed = Promise.all([disposed, this.#evict(found.partition, found.entry)]).then(() => undefined);
      }
    }
    return disposed;
  }

  /** The next entry to evict if the budget of `measure` is exceeded. A kind within its share loses no entry. */
  #overweight(measure: Measure): { partition: Partition<unknown>; entry: Entry<unknown> } | undefined {
    const partitions = [...this.#partitions.values()].filter(({ weight }) => weight[measure] > 0);
    const total = partitions.reduce((sum, { weight }) => sum + weight[measure], 0);
    const isOver = total > this.#budget[measure];
    const share = this.#budget[measure] / partitions.length;
    const heaviest = partitions
      .filter((partition) => (isOver && partition.weight[measure] > share) || partition.isFull(measure))
      .sort((a, b) => b.weight[measure] - a.weight[measure]);
    for (const partition of heaviest) {
      const entry = partition.oldest(measure);
      if (entry) return { partition, entry };
    }
    return undefined;
  }

  #evict<T>(partition: Partition<T>, entry: Entry<T>): Promise<void> | undefined {
    partition.remove(entry);
    partition.evictions += 1;
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

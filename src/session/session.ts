/** Assembles everything that outlives one call: snapshots of shown lines, kept outputs, derived data, private files. */

import { OrielError } from '../errors.ts';
import { keepFromClients } from '../files/kept-files.ts';
import type { Facts, Identity } from '../identity.ts';
import { type Caller, within } from '../queues/caller.ts';
import { type TelemetryOptions, TelemetryRecorder } from '../telemetry/telemetry.ts';
import type { ByteSource } from '../types/access.ts';
import type {
  ComputedValue,
  DerivedKind,
  DerivedStore,
  KindStats,
  Session,
  SessionBackground,
  SnapshotStore,
  StoreUser,
  ValueComputation,
  ValueWeight,
} from '../types/session.ts';
import type { RemoteWork, StateSpace } from '../types/state.ts';
import { ScratchDirectory } from './directories.ts';
import { type DiskCacheOptions, FileCache } from './disk-cache.ts';
import { shareSession } from './shared.ts';
import { LocalSnapshots, SeenVersions } from './snapshots.ts';
import type { SpillQuota } from './spill-writer.ts';
import { LocalSpills, type SpillOptions } from './spills.ts';
import { EntryBacking, SharedComputation, StoreEntry } from './store-entry.ts';

export interface SessionOptions {
  readonly spills?: SpillOptions | undefined;
  /** The quota for kept outputs, shared with other sessions. */
  readonly room?: SpillQuota | undefined;
  /** The total budget of derived data. */
  readonly store?: Partial<StoreBudget> | undefined;
  /** The cache on disk; there is none when absent. */
  readonly disk?: DiskCacheOptions | undefined;
  /** How and where calls are recorded: in memory only when absent, not at all when false. */
  readonly telemetry?: TelemetryOptions | TelemetryRecorder | false | undefined;
  /** The state shared with other replicas; none when absent. */
  readonly state?: SessionState | undefined;
  /** Receives errors of disposing derived data, such as a file that could not be closed. */
  readonly onError?: (error: unknown) => void;
}

/** The part of a shared store that a session uses. */
export interface SessionState {
  readonly space: StateSpace;
  /**
   * Set if several clients use the space: outputs then get random numbers and are not listed. The value names
   * the owner of the quota.
   */
  readonly unlisted?: string | undefined;
  /** The space with the counters of a caller. When absent, counters are not shared. Without a caller it is `space`. */
  readonly spaceOf?: (caller: Caller) => StateSpace | undefined;
  /** Workers for heavy work. */
  readonly work?: RemoteWork | undefined;
  /** Closes the store with the session, if no other session uses it. */
  readonly close?: (() => Promise<void>) | undefined;
}

export function createSession(options: SessionOptions = {}): Session {
  if (options.spills?.state !== undefined) keepFromClients(options.spills.state);
  const directory = new ScratchDirectory();
  const { state } = options;
  const unlisted = state?.unlisted;
  const spills = new LocalSpills(options.spills, options.room, unlisted !== undefined);
  const store = new MemoryStore(options.store, options.onError);
  const files = options.disk && new FileCache(options.disk);
  const shared = state && shareSession({ files, spills, space: state.space, unlisted });
  const disk = shared ? shared.disk : files;
  const background = new BackgroundWork();
  const { telemetry: recording = {}, onError } = options;
  const telemetry =
    recording instanceof TelemetryRecorder
      ? recording
      : recording &&
        new TelemetryRecorder({
          ...recording,
          ...(state && { spaces: (caller) => (caller ? state.spaceOf?.(caller) : state.space) }),
          ...(onError && { onError }),
        });
  let snapshots: SnapshotStore | undefined = shared?.shownTo;
  let seen: SeenVersions | undefined;
  return {
    get snapshots() {
      return (snapshots ??= new LocalSnapshots());
    },
    get seen() {
      return (seen ??= new SeenVersions(state?.space));
    },
    spills: shared?.spills ?? spills,
    store,
    disk,
    files,
    work: state?.work,
    telemetry: telemetry || undefined,
    background,
    scratch: () => directory.file(),
    async close() {
      await background.close();
      await store.close();
      await Promise.all([
        shared?.shownTo?.close(),
        spills.close(),
        disk?.close(),
        directory.remove(),
        telemetry && telemetry.close(),
      ]);
      await state?.close?.();
    },
  };
}

// Background work that continues after its call, such as refreshing a cached page. It ends with its session.

class BackgroundWork implements SessionBackground {
  readonly #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#controller;
    if (signal.aborted) return;
    const done = work(signal)
      .catch(() => undefined)
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async idle(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#running.size === 0 || signal?.aborted) return;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    await within(ms, Promise.race([this.#all(), aborted]));
  }

  /** Cancels running work and waits for its end. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#all();
  }

  async #all(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

// The cache of derived data in this process. All kinds share one budget, and each has an equal share of it. Entries in use
// are never evicted; of the others, the least recently used entry of the kind that is furthest over its share goes first.
//
// lru-cache 11.5.3 was tried: its import takes 4 ms of every start, and it has one measure of size, no reference counts
// and no shares.

export type StoreBudget = Required<ValueWeight>;

const DEFAULT_BUDGET: StoreBudget = { memory: 128 << 20, disk: 1 << 30, descriptors: 32 };

export class MemoryStore implements DerivedStore {
  readonly #budget: StoreBudget;
  readonly #partitions = new Map<string, StorePartition<unknown>>();
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
    kind: DerivedKind<T, O>,
    of: ByteSource,
    options: O,
    make: (computation: ValueComputation) => Promise<ComputedValue<T>>,
    user: StoreUser,
  ): Promise<T> {
    if (user.signal.aborted) return Promise.reject(user.signal.reason as Error);
    const partition = this.#partition(kind);
    const identity = of.identity.derive(kind, options);
    const { entry, computation } = this.#known(partition, identity);
    if (entry) return Promise.resolve(this.#use(partition, entry, of, user));
    if (computation) partition.joined += 1;
    else partition.misses += 1;
    return (computation ?? this.#begin(partition, of.identity, identity, make, user)).wait(of, user);
  }

  getNow<T, O extends Facts>(
    kind: DerivedKind<T, O>,
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
    const entry = new StoreEntry<T>(kind, identity.key, make(), this.#keeps(identity));
    if (entry.kept) partition.add(entry);
    return this.#use(partition, entry, of, user);
  }

  stats(): ReadonlyMap<string, KindStats> {
    return new Map(Array.from(this.#partitions, ([name, partition]) => [name, partition.stats()]));
  }

  /** Disposes all values; those in use are disposed when their calls end. Values computed later are not kept. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [
      ...this.#unshared,
      ...[...this.#partitions.values()].flatMap(({ computations }) => [...computations.values()]),
    ];
    for (const computation of running)
      computation.cancel(new OrielError('CANCELLED', 'The session is closed.'));
    for (const partition of this.#partitions.values())
      for (const entry of partition.all()) this.#evict(partition, entry);
    await Promise.all(this.#disposing);
  }

  #partition<T>(kind: DerivedKind<T>): StorePartition<T> {
    const partition =
      this.#partitions.get(kind.name) ?? new StorePartition<unknown>(kind as DerivedKind<unknown>);
    this.#partitions.set(kind.name, partition);
    return partition as StorePartition<T>;
  }

  #keeps(identity: Identity): boolean {
    return identity.recurs && !this.#closed;
  }

  #known<T>(
    partition: StorePartition<T>,
    { key }: Identity,
  ): { entry?: StoreEntry<T> | undefined; computation?: SharedComputation<T> | undefined } {
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
    partition: StorePartition<T>,
    of: Identity,
    identity: Identity,
    make: (computation: ValueComputation) => Promise<ComputedValue<T>>,
    { signal }: StoreUser,
  ): SharedComputation<T> {
    const { key } = identity;
    const backing = new EntryBacking(of, identity, signal);
    const computation = new SharedComputation<T>({
      backing,
      make,
      made: ({ value, keep }) => {
        const entry = new StoreEntry<T>(partition.kind, key, value, keep && this.#keeps(identity), backing);
        if (entry.kept) partition.add(entry);
        return (bytes, user) => this.#use(partition, entry, bytes, user);
      },
      over: () => {
        if (partition.computations.get(key) === computation) partition.computations.delete(key);
        this.#unshared.delete(computation as SharedComputation<unknown>);
      },
      unwanted: ({ value }) =>
        void this.#dispose(new StoreEntry<T>(partition.kind, key, value, false, backing)),
    });
    if (identity.recurs) partition.computations.set(key, computation);
    else this.#unshared.add(computation as SharedComputation<unknown>);
    return computation;
  }

  /** Keeps the entry until `user` ends; meanwhile its value may read the bytes that the user has opened. */
  #use<T>(partition: StorePartition<T>, entry: StoreEntry<T>, of: ByteSource, user: StoreUser): T {
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
  #isTooLarge({ weight }: StoreEntry<unknown>): boolean {
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
  #overweight(
    measure: WeightMeasure,
  ): { partition: StorePartition<unknown>; entry: StoreEntry<unknown> } | undefined {
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

  #evict<T>(partition: StorePartition<T>, entry: StoreEntry<T>): Promise<void> | undefined {
    partition.remove(entry);
    partition.evictions += 1;
    return entry.uses === 0 ? this.#dispose(entry) : undefined;
  }

  #dispose<T>(entry: StoreEntry<T>): Promise<void> {
    const done = entry
      .dispose()
      // A failed disposal leaks a resource of this process; no answer depends on it.
      .catch((error: unknown) => this.#onError?.(error))
      .finally(() => this.#disposing.delete(done));
    this.#disposing.add(done);
    return done;
  }
}

// The entries of one kind in the order of their last use, with the kind's counters.

type WeightMeasure = keyof ValueWeight;

const measures: readonly WeightMeasure[] = ['memory', 'disk', 'descriptors'];

class StorePartition<T> {
  readonly kind: DerivedKind<T>;
  readonly computations = new Map<string, SharedComputation<T>>();
  readonly weight: Record<WeightMeasure, number> = { memory: 0, disk: 0, descriptors: 0 };
  hits = 0;
  misses = 0;
  joined = 0;
  evictions = 0;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, StoreEntry<T>>();

  constructor(kind: DerivedKind<T>) {
    this.kind = kind;
  }

  /** Returns the entry and makes it the most recently used one. */
  use(key: string): StoreEntry<T> | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  add(entry: StoreEntry<T>): void {
    this.#entries.set(entry.key, entry);
    this.reweigh(entry);
  }

  reweigh(entry: StoreEntry<T>): void {
    const weight = entry.weigh();
    for (const measure of measures) this.weight[measure] += weight[measure] - entry.weight[measure];
    entry.weight = weight;
  }

  /** Removes an entry; calls that use it may continue to do so. */
  remove(entry: StoreEntry<T>): void {
    entry.kept = false;
    this.#entries.delete(entry.key);
    for (const measure of measures) this.weight[measure] -= entry.weight[measure];
  }

  /** The least recently used entry that no call uses now and that has weight in `measure`. */
  oldest(measure: WeightMeasure): StoreEntry<T> | undefined {
    for (const entry of this.#entries.values()) {
      if (entry.uses === 0 && entry.weight[measure] > 0) return entry;
    }
    return undefined;
  }

  /** Whether the kind exceeds its own limit (`mostMemory`). */
  isFull(measure: WeightMeasure): boolean {
    return measure === 'memory' && this.weight.memory > (this.kind.mostMemory ?? Infinity);
  }

  all(): readonly StoreEntry<T>[] {
    return [...this.#entries.values()];
  }

  stats(): KindStats {
    const { hits, misses, joined, evictions, weight } = this;
    return { hits, misses, joined, evictions, entries: this.#entries.size, weight: { ...weight } };
  }
}

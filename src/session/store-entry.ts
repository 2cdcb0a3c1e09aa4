/** One entry of the store: its value, the calls that use it, its weight and its disposal. */

import type { Identity } from '../identity.ts';
import { callerOf, registerCaller } from '../queues/caller.ts';
import type { ByteSource } from '../types/access.ts';
import type {
  ComputedValue,
  DerivedKind,
  Progress,
  StoreUser,
  ValueComputation,
  ValueWeight,
} from '../types/session.ts';

// The computation of a value of the store, shared by all calls that wait for it.

interface Waiter<T> {
  readonly user: StoreUser;
  readonly of: ByteSource;
  resolve(value: T): void;
  reject(error: unknown): void;
  leave(): void;
}

interface ComputationOptions<T> {
  readonly backing: EntryBacking;
  make(computation: ValueComputation): Promise<ComputedValue<T>>;
  /** Called with the result. The returned function is then called for each waiter, without an `await` in between. */
  made(computed: ComputedValue<T>): (of: ByteSource, user: StoreUser) => T;
  /** Called once: when the computation has succeeded or failed, or when no call waits for it any more. */
  over(): void;
  /** Disposes a value that was completed when no call waited for it any more. */
  unwanted(computed: ComputedValue<T>): void;
}

export class SharedComputation<T> {
  readonly #options: ComputationOptions<T>;
  readonly #waiters = new Set<Waiter<T>>();
  #begun = false;
  #over = false;

  constructor(options: ComputationOptions<T>) {
    this.#options = options;
  }

  /** Waits for the value; the first call starts the computation. Rejects with its error, or when the user's signal aborts. */
  wait(of: ByteSource, user: StoreUser): Promise<T> {
    return new Promise((resolve, reject) => {
      const back = this.#options.backing.lend(of, user);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        user.signal.removeEventListener('abort', abort);
        back();
      };
      const abort = (): void => {
        leave();
        reject(user.signal.reason as Error);
        if (this.#waiters.size === 0) this.#abandon();
      };
      const waiter: Waiter<T> = { user, of, resolve, reject, leave };
      this.#waiters.add(waiter);
      user.signal.addEventListener('abort', abort);
      if (!this.#begun) void this.#run();
    });
  }

  /** Aborts the computation and rejects all waiters with `reason`. */
  cancel(reason: Error): void {
    this.#settle((waiter) => waiter.reject(reason));
    this.#abandon();
  }

  async #run(): Promise<void> {
    this.#begun = true;
    const { backing, make, made, unwanted } = this.#options;
    try {
      const { source, identity, signal } = backing;
      const progress = backing.progress.bind(backing);
      const result = await make({ source, identity, signal, progress });
      if (this.#over) return unwanted(result);
      this.#end();
      const take = made(result);
      this.#settle((waiter) => waiter.resolve(take(waiter.of, waiter.user)));
    } catch (error) {
      this.#end();
      this.#settle((waiter) => waiter.reject(error));
      backing.end();
    }
  }

  #settle(tell: (waiter: Waiter<T>) => void): void {
    for (const waiter of this.#waiters) {
      // The waiter starts to use the value before it leaves, so that there is always a lender of the bytes.
      tell(waiter);
      waiter.leave();
    }
  }

  #abandon(): void {
    this.#end();
    this.#options.backing.end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.over();
  }
}

/** Bytes that an entry takes besides its value: cells of two maps, the objects of this file, its key. */
const ENTRY_BYTES = 600;

/** Bytes that a backing takes: its signals, its caller, its byte source. The mean of 20,000. */
const BACKING_BYTES = 2_500;

/** The abort reason of the work for a value. */
const DISPOSED = new Error('No call uses this any more.');

/** The bytes that a value reads from and the calls that use it, from the start of its computation until it is disposed. */
export class EntryBacking {
  readonly source: LentBytes;
  /** The identity of the value. */
  readonly identity: Identity;
  readonly #stop = new AbortController();
  readonly #users = new Set<StoreUser>();

  /** In queues, the work for the value counts as work of the call of `signal`, which asked first. */
  constructor(of: Identity, identity: Identity, signal: AbortSignal) {
    registerCaller(callerOf(signal), this.#stop.signal);
    this.source = new LentBytes(of, this.#stop.signal);
    this.identity = identity;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Lets the value read from `of` and report to `user` until the returned function is called. */
  lend(of: ByteSource, user: StoreUser): () => void {
    this.#users.add(user);
    const back = this.source.lend(of);
    return () => {
      this.#users.delete(user);
      back();
    };
  }

  progress(progress: Progress): void {
    for (const user of this.#users) user.progress(progress);
  }

  end(): void {
    this.#stop.abort(DISPOSED);
  }
}

export class StoreEntry<T> {
  readonly key: string;
  readonly value: T;
  readonly backing: EntryBacking | undefined;
  /** The number of calls that use it now. */
  uses = 0;
  /** Whether the store keeps it when no call uses it. */
  kept: boolean;
  weight: Required<ValueWeight> = { memory: 0, disk: 0, descriptors: 0 };
  readonly #kind: DerivedKind<T>;

  constructor(kind: DerivedKind<T>, key: string, value: T, kept: boolean, backing?: EntryBacking) {
    this.#kind = kind;
    this.key = key;
    this.value = value;
    this.kept = kept;
    this.backing = backing;
  }

  get lasts(): boolean {
    return this.#kind.lasts?.(this.value) ?? true;
  }

  weigh(): Required<ValueWeight> {
    const { memory, disk = 0, descriptors = 0 } = this.#kind.weigh(this.value);
    const own = ENTRY_BYTES + 2 * this.key.length + (this.backing ? BACKING_BYTES : 0);
    return { memory: memory + own, disk, descriptors };
  }

  async dispose(): Promise<void> {
    this.backing?.end();
    await this.#kind.dispose?.(this.value);
  }
}

// The bytes from which a derived value is computed, read through the calls that use the value. Each such call has opened
// the bytes anyway and lends its `ByteSource`, so the value needs no descriptor of its own. A read waits while there is
// no lender.

class LentBytes implements ByteSource {
  readonly identity: Identity;
  #size: number | undefined;
  #remote = false;
  /** Reads use the last lender, which will probably stay open longest. */
  readonly #lenders: ByteSource[] = [];
  readonly #lifetime: AbortSignal;
  /** Reads that wait for a lender. */
  readonly #waiting = new Set<() => void>();

  constructor(identity: Identity, lifetime: AbortSignal) {
    this.identity = identity;
    this.#lifetime = lifetime;
  }

  get size(): number | undefined {
    return this.#lenders.at(-1)?.size ?? this.#size;
  }

  get remote(): boolean {
    return this.#remote;
  }

  /** Reads may use `source` until the returned function is called. It must have the same bytes as all other lenders. */
  lend(source: ByteSource): () => void {
    this.#lenders.push(source);
    this.#remote = source.remote ?? false;
    for (const go of this.#waiting) go();
    return () => {
      this.#size = source.size ?? this.#size;
      this.#lenders.splice(this.#lenders.indexOf(source), 1);
    };
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    for (;;) {
      const source = this.#lenders.at(-1);
      if (!source) {
        await this.#lent();
        continue;
      }
      try {
        return await source.readInto(target, offset, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // The lending call has ended: try the next lender.
        if (this.#lenders.includes(source)) throw error;
      }
    }
  }

  /** Resolves when there is a lender. Rejects with the abort reason when the lifetime ends. */
  #lent(): Promise<void> {
    this.#lifetime.throwIfAborted();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(settle);
        this.#lifetime.removeEventListener('abort', settle);
        if (this.#lifetime.aborted) reject(this.#lifetime.reason as Error);
        else resolve();
      };
      this.#waiting.add(settle);
      this.#lifetime.addEventListener('abort', settle);
    });
  }
}

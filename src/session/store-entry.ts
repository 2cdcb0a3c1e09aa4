/** One entry of the store: its value, the calls that use it, its weight and its disposal. */

import type { Identity } from '../identity.ts';
import { callerOf, waitAs } from '../queues/caller.ts';
import { createSharedCaller, joinCaller } from '../queues/shared-caller.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Progress } from '../types/progress.ts';
import type { Kind, StoreUser, Weight } from '../types/store.ts';
import { LentBytes } from './lent-bytes.ts';

/** Bytes that an entry takes besides its value: cells of two maps, the objects of this file, its key. */
const ENTRY_BYTES = 600;

/** Bytes that a backing takes: its signals, its caller, its byte source. The mean of 20,000. */
const BACKING_BYTES = 2_500;

/** The abort reason of the work for a value. */
const DISPOSED = new Error('No call uses this any more.');

/** The bytes that a value reads from and the calls that use it, from the start of its computation until it is disposed. */
export class Backing {
  readonly source: LentBytes;
  /** The identity of the value. */
  readonly identity: Identity;
  readonly #stop = new AbortController();
  readonly #users = new Set<StoreUser>();
  /** In queues, the work for the value counts for all calls that wait for it or use it. */
  readonly #caller = createSharedCaller();

  constructor(of: Identity, identity: Identity) {
    waitAs(this.#caller, this.#stop.signal);
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
    const leave = joinCaller(this.#caller, callerOf(user.signal));
    return () => {
      this.#users.delete(user);
      back();
      leave();
    };
  }

  progress(progress: Progress): void {
    for (const user of this.#users) user.progress(progress);
  }

  end(): void {
    this.#stop.abort(DISPOSED);
  }
}

export class Entry<T> {
  readonly key: string;
  readonly value: T;
  readonly backing: Backing | undefined;
  /** The number of calls that use it now. */
  uses = 0;
  /** Whether the store keeps it when no call uses it. */
  kept: boolean;
  weight: Required<Weight> = { memory: 0, disk: 0, descriptors: 0 };
  readonly #kind: Kind<T>;

  constructor(kind: Kind<T>, key: string, value: T, kept: boolean, backing?: Backing) {
    this.#kind = kind;
    this.key = key;
    this.value = value;
    this.kept = kept;
    this.backing = backing;
  }

  get lasts(): boolean {
    return this.#kind.lasts?.(this.value) ?? true;
  }

  weigh(): Required<Weight> {
    const { memory, disk = 0, descriptors = 0 } = this.#kind.weigh(this.value);
    const own = ENTRY_BYTES + 2 * this.key.length + (this.backing ? BACKING_BYTES : 0);
    return { memory: memory + own, disk, descriptors };
  }

  async dispose(): Promise<void> {
    this.backing?.end();
    await this.#kind.dispose?.(this.value);
  }
}

/** One entry of the store: its value, the calls that use it, its weight and its disposal. */

import type { Identity } from '../identity.ts';
import { callerOf, waitAs } from '../queues/caller.ts';
import { createSharedCaller, joinCaller } from '../queues/shared-caller.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Progress } from '../types/progress.ts';
import type { Kind, StoreUser, Weight } from '../types/store.ts';
import { LentBytes } from './lent-bytes.ts';

/** What an entry itself takes beside its value: two maps' cells, the objects of this file, its key. */
const ENTRY_BYTES = 600;

/** What a backing takes: its signals, its caller, its bytes. Measured over 20,000. */
const BACKING_BYTES = 2_500;

/** The reason with which the work for a value is aborted. */
const DISPOSED = new Error('No call uses this any more.');

/** What a value reads from and reports to, from before it is made until it is disposed: bytes and calls that use it. */
export class Backing {
  readonly source: LentBytes;
  /** Of the value. */
  readonly identity: Identity;
  readonly #stop = new AbortController();
  readonly #users = new Set<StoreUser>();
  /** In queues the work for the value has the turns of all calls that wait for it or use it. */
  readonly #caller = createSharedCaller();

  constructor(of: Identity, identity: Identity) {
    waitAs(this.#caller, this.#stop.signal);
    this.source = new LentBytes(of, this.#stop.signal);
    this.identity = identity;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Until the returned function is called. */
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
  /** Calls that use it now. */
  uses = 0;
  /** Whether it stays when no call uses it. */
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

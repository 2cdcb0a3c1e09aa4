/** The store of derived data: the declaration of a kind, the input of a maker, and the lookup of a value. */

import type { Derivation, Facts, Identity } from '../identity.ts';
import type { ByteSource } from './byte-source.ts';
import type { Progress } from './progress.ts';

/** The resources that a value holds. */
export interface Weight {
  /** Bytes of this process's memory. */
  readonly memory: number;
  /** Bytes in private files. */
  readonly disk?: number;
  readonly descriptors?: number;
}

/**
 * A kind of derived values, declared once: line indexes, outlines, unpacked members. Its options are everything that
 * affects the value, limits included. They are part of the cache key.
 */
export interface Kind<T, O extends Facts = Facts> extends Derivation<O> {
  /** Called again after each call that used the value, because it may have grown. */
  weigh(value: T): Weight;
  /** Maximum bytes of memory for all its values, if that is less than its share of the store. */
  readonly mostMemory?: number;
  /** Frees the resources of the value. Called once, when no call uses the value any more. */
  dispose?(value: T): void | Promise<void>;
  /** Whether the value may stay in the store: a stream that has failed may not. True when absent. */
  lasts?(value: T): boolean;
}

export interface Computed<T> {
  readonly value: T;
  /**
   * Whether the same bytes and options always give this value. False if a timeout, a cancellation, a lack of resources or
   * a failure affected it; it is then used once and disposed.
   */
  readonly keep: boolean;
}

/** The input of a computation. It must not use anything else of its call: other calls may still wait when that call has ended. */
export interface Computation {
  /** The bytes to derive from. Open for as long as any call waits for the value or uses it. */
  readonly source: ByteSource;
  /** The identity of the value: of its source, the kind and the options. */
  readonly identity: Identity;
  /** Aborted when no call waits for the value any more, and when it is disposed. */
  readonly signal: AbortSignal;
  /** Reports progress to all calls that wait for the value or use it. */
  progress(progress: Progress): void;
}

/** A user of a derived value: a call, until its end. */
export interface StoreUser {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  onEnd(cleanup: () => void | Promise<void>): void;
}

export interface KindStats {
  /** The value was in the store. */
  readonly hits: number;
  /** The value was made. */
  readonly misses: number;
  /** The value was already being made for another call. */
  readonly joined: number;
  readonly evictions: number;
  /** Number of values in the store now. */
  readonly entries: number;
  readonly weight: Required<Weight>;
}

export interface DerivedStore {
  /**
   * The value of this kind for the bytes of `of`: from the store, from another call that is already making it, or new. It
   * stays valid until the end of `user`. Throws what `make` threw, and the reason of the user's signal when that aborts.
   */
  get<T, O extends Facts>(
    kind: Kind<T, O>,
    of: ByteSource,
    options: O,
    make: (computation: Computation) => Promise<Computed<T>>,
    user: StoreUser,
  ): Promise<T>;
  /** The same for values that are made synchronously. */
  getNow<T, O extends Facts>(kind: Kind<T, O>, of: ByteSource, options: O, make: () => T, user: StoreUser): T;
  /** By the name of the kind; only kinds that were requested at least once. */
  stats(): ReadonlyMap<string, KindStats>;
}

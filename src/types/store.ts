/** The store of derived data: what a kind declares, what a maker is given, and how an entry is asked for. */

import type { Derivation, Facts, Identity } from '../identity.ts';
import type { ByteSource } from './byte-source.ts';
import type { Progress } from './progress.ts';

/** What a value holds. */
export interface Weight {
  /** Bytes of this process's memory. */
  readonly memory: number;
  /** Bytes in private files. */
  readonly disk?: number;
  readonly descriptors?: number;
}

/**
 * One kind of derived value, declared once: line indexes, outlines, unpacked members. Its options are everything
 * that shapes the value, limits included: they are part of the cache key.
 */
export interface Kind<T, O extends Facts = Facts> extends Derivation<O> {
  /** Asked again after each call that used the value: it may have grown. */
  weigh(value: T): Weight;
  /** Bytes of memory that all its values may hold, where that is less than its share. */
  readonly mostMemory?: number;
  /** Frees what the value holds. Called once, when no call uses the value any more. */
  dispose?(value: T): void | Promise<void>;
  /** Whether the value may stay in the store, where that can change: a stream that has failed may not. */
  lasts?(value: T): boolean;
}

export interface Made<T> {
  readonly value: T;
  /**
   * Whether the same bytes and options always give this value. False for what a timeout, a cancel, a shortage or a
   * failure shaped: it is used once and disposed.
   */
  readonly keep: boolean;
}

/** What a maker works with. Nothing else of the call that began may be used: others may be waiting when it has ended. */
export interface Making {
  /** The bytes to derive from, for as long as any call waits for the value or uses it. */
  readonly source: ByteSource;
  /** The identity of the value: of its source, the kind and the options. */
  readonly identity: Identity;
  /** Aborted when nobody waits for the value any more, and when it is disposed. */
  readonly signal: AbortSignal;
  /** Tells all calls that wait for the value or use it. */
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
  /** In the store now. */
  readonly entries: number;
  readonly weight: Required<Weight>;
}

export interface DerivedStore {
  /**
   * The value of this kind for the bytes of `of`: kept, in the making for another call, or made. It stays valid until
   * the end of `user`. Throws what the maker threw, and the reason of the user's signal when that aborts.
   */
  get<T, O extends Facts>(
    kind: Kind<T, O>,
    of: ByteSource,
    options: O,
    make: (making: Making) => Promise<Made<T>>,
    user: StoreUser,
  ): Promise<T>;
  /** The same for values that are made without a wait. */
  getNow<T, O extends Facts>(kind: Kind<T, O>, of: ByteSource, options: O, make: () => T, user: StoreUser): T;
  /** By the name of the kind, of those that were asked for at least once. */
  stats(): ReadonlyMap<string, KindStats>;
}

/** The state that replicas share: the store, and its interface for a session. state/ implements it. */

/** A key-value store of texts that several replicas use. Every method rejects if the store does not answer. */
export interface StateBackend {
  /** Connects, or checks that the store answers. */
  ping(): Promise<void>;
  get(key: string): Promise<string | undefined>;
  /** The value expires after `ttl` milliseconds. */
  set(key: string, value: string, ttl: number): Promise<void>;
  remove(key: string): Promise<void>;
  /**
   * Adds `by` to the number under `key` in one step, for all replicas, and returns the sum; if there is none, it
   * begins at `start`. The number expires `ttl` milliseconds after it was last added to.
   */
  add(key: string, by: number, start: number, ttl: number): Promise<number>;
  /** Closes connections that do not answer: the next operation connects again. Never throws. */
  reset(): Promise<void>;
  /**
   * Whether an error is a reply of the store to one operation: the store is available, and other operations
   * may succeed.
   */
  isRefusal(error: unknown): boolean;
  close(): Promise<void>;
}

/** Options for opening a store. */
export interface BackendOptions {
  readonly url: string;
  /** Timeout of one operation, or of connecting, in milliseconds. */
  readonly timeoutMs: number;
}

/** The kinds of values; a part of their keys in the store, so that an operator can distinguish them. */
type StateKind =
  | 'spill'
  | 'piece'
  | 'cache'
  | 'seen'
  | 'shown'
  | 'task'
  | 'number'
  | 'quota'
  | 'order'
  | 'job'
  | 'worker';

/** The name of a value: its kind, and its name within its space. */
export interface StateName {
  readonly kind: StateKind;
  readonly of: readonly (string | number)[];
}

/**
 * The part of the shared store that belongs to one client, or to all. No method throws. While the store is unavailable
 * they return `'away'` immediately. A value that is damaged, forged or of another version counts as missing.
 */
export interface StateSpace {
  /** Whether the store answers. */
  readonly isUp: boolean;
  get(name: StateName): Promise<Buffer | 'away' | undefined>;
  /** False if the value is too large or the store refuses it. `bytes` must not change meanwhile. */
  put(name: StateName, bytes: Uint8Array, ttl: number): Promise<boolean>;
  remove(name: StateName): Promise<void>;
  /** As `StateBackend.add`; `'away'` also if the store refuses it. */
  add(name: StateName, by: number, start: number, ttl: number): Promise<number | 'away'>;
}

export type StateOperation = 'get' | 'put' | 'remove' | 'add';

/** Counters since the start. */
export interface StateStats {
  /** Whether the store answers. */
  readonly up: boolean;
  /** How often it stopped answering. */
  readonly outages: number;
  /** By operation and how it ended. */
  readonly operations: ReadonlyMap<StateOperation, Readonly<Record<StateOutcome, number>>>;
  /** Bytes of encrypted values. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * `refused`: the value is damaged, forged, of another version or too large, or the store answered with an error. `away`:
 * the store was not asked, or did not answer.
 */
export type StateOutcome = 'ok' | 'missing' | 'refused' | 'away';

/** `why`: a code, such as `ECONNREFUSED` or `OOM`. */
export type StateChange =
  | { readonly kind: 'away'; readonly why: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'refused'; readonly why: string };

export type StateListener = (change: StateChange) => void;

/** The shared store of one process. */
export interface SharedState {
  /** The space with that name. It is the same on all replicas that have the same key. */
  space(name: string): StateSpace;
  /** A keyed hash of `text`: it reveals nothing without the key, and is the same on all replicas. */
  nameOf(text: string): string;
  /** Remote work for a session whose cache is in that space; undefined if the host did not turn it on. */
  work(space: string): RemoteWork | undefined;
  stats(): StateStats;
  /** Calls the listener at each change and for each refusal of the store, for the same reason once a minute. */
  onChange(listener: StateListener): void;
  /** Resolves when the first attempt to reach the store has ended, with or without success. */
  connected(): Promise<void>;
  close(): Promise<void>;
}

// Heavy work on other machines: the orders of a replica, and their results. state/ transports them.

/** One piece of work, equal for all replicas that request it. */
export interface WorkOrder {
  /** Which handler of a worker does it: `document`. */
  readonly kind: string;
  /** Version of the code that does it: workers of another version are not used. */
  readonly version: string;
  /** The cache key of the result: the bytes and all options that affect the result. */
  readonly key: string;
  /** For the handler; plain JSON. */
  readonly head: unknown;
  /** Bytes of the input. */
  readonly bytes: number;
  /** `length` bytes of it from `start` (0-based). */
  read(start: number, length: number): Promise<Uint8Array>;
  /** Hexadecimal; a worker refuses other bytes. */
  readonly sha256: string;
}

/** `here`: no worker did it, so do it in this process. `failed`: a worker found that it cannot be done. */
export type WorkOutcome =
  | { readonly kind: 'done'; readonly result: Buffer }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'here' };

export interface RemoteWork {
  /** Whether there are workers for that kind and version. Never throws. */
  hasWorkers(work: Pick<WorkOrder, 'kind' | 'version'>): Promise<boolean>;
  /**
   * Lets a worker do it, and waits until `giveUpAt` at most, on the clock of `performance.now()`. Throws the
   * reason of the signal, and what `read` throws.
   */
  run(
    order: WorkOrder,
    options: { readonly signal: AbortSignal; readonly giveUpAt: number },
  ): Promise<WorkOutcome>;
}

/** How one kind of work is done, by a worker. */
export interface WorkHandler {
  readonly kind: string;
  readonly version: string;
  /** The result, as it is cached. Reads all of the input. */
  run(
    head: unknown,
    input: { readonly body: AsyncIterable<Uint8Array>; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Buffer | WorkFailure>;
}

/** It cannot be done with these bytes. `isLasting`: another attempt would fail too. */
export interface WorkFailure {
  readonly why: string;
  readonly isLasting: boolean;
}

/** An event of a worker when a job ends. */
export interface WorkEvent {
  readonly event: 'job';
  readonly kind: string;
  /** `known`: the result existed already. `dropped`: not sealed by a replica, or too old. */
  readonly outcome: 'done' | 'known' | 'failed' | 'retry' | 'dropped';
  readonly ms: number;
  readonly why?: string | undefined;
}

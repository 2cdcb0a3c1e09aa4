/** The interfaces of everything that outlives one call. session/ implements them. */

import type { Derivation, Facts, Identity } from '../identity.ts';
import type { ByteSource, OpenedFile } from './access.ts';
import type { RemoteWork } from './state.ts';
import type { TelemetrySink } from './telemetry.ts';

export interface Session {
  readonly snapshots: SnapshotStore;
  /** Versions of remote files that callers have seen. */
  readonly seen: SeenStore;
  /** Full outputs of which only a part was shown. */
  readonly spills: SpillStore;
  /** Line indexes, outlines, unpacked members: everything derived from bytes that the next call may use again. */
  readonly store: DerivedStore;
  /**
   * The second level of the store: small results that are slow to make outlive the process. Absent if the
   * host turned it off.
   */
  readonly disk?: DiskCache | undefined;
  /** The part of `disk` that is not shared with other machines: for data about local files. */
  readonly files?: LocalCache | undefined;
  /** Workers for heavy work on other machines; absent if the host configures none. */
  readonly work?: RemoteWork | undefined;
  /** Where calls are recorded; absent if the host turned telemetry off. */
  readonly telemetry?: TelemetrySink | undefined;
  /** A private file (mode 0600) for data that is too large for memory. */
  scratch(): Promise<ScratchFile>;
  /** Work that continues after the call that began it. */
  readonly background: SessionBackground;
  /** Disposes everything derived and removes what the session left on disk. */
  close(): Promise<void>;
}

/** Work of a session in the background: no call waits for it. It ends with the session. */
export interface SessionBackground {
  /** Errors of `work` are ignored. Its signal aborts with the session. */
  start(work: (signal: AbortSignal) => Promise<void>): void;
  /** Resolves when no work is running, after `ms` milliseconds, or when the signal aborts. */
  idle(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Values under keys, shared by all processes of this user. A key contains everything that affects its value:
 * the digest of the source bytes, the kind, its version and all options.
 */
export interface DiskCache {
  /** Number of lookups since the start. */
  readonly lookups?: { readonly hits: number; readonly misses: number } | undefined;
  /** The bytes exactly as they were written, or undefined. Never throws. */
  get(key: string): Promise<Buffer | undefined>;
  /**
   * The same in pieces, for values too large for memory. They are verified only at the end: when this
   * resolves to false, discard all pieces. `begin` is called before the first piece, and again if another
   * copy is tried. Throws what the receiver throws.
   */
  getPieces(key: string, begin: () => TakePiece): Promise<boolean>;
  /** All values under the key, of this machine and of other replicas. Absent if the cache is not shared. Never throws. */
  all?(key: string): Promise<readonly Buffer[]>;
  /**
   * Writes the concatenation of `parts` in the background, if possible; they must not change meanwhile.
   * Resolves when it was written, or has failed.
   */
  put(key: string, parts: readonly CachePart[]): Promise<void>;
  /** Removes the value in the background, after pending writes. */
  remove(key: string): void;
}

/** Bytes, or a function that reads `length` bytes from `start` (0-based). */
export type CachePart =
  | Uint8Array
  | { readonly length: number; read(start: number, length: number): Promise<Uint8Array> };

/** Resolves when the next piece may come; the receiver owns the bytes. */
export type TakePiece = (piece: Buffer) => Promise<void>;

/** The cache of one machine. */
export interface LocalCache extends DiskCache {
  /**
   * Replaces the value by `next(value)` under a lock between processes, so that concurrent changes are not
   * lost. Resolves when it was written, or has failed.
   */
  change(key: string, next: (value: Buffer | undefined) => Uint8Array): Promise<void>;
  /** Removes all values unless the last call with this `name`, of any process, had the same `version`. */
  keepWhile(name: string, version: string): Promise<void>;
}

/** A kept output. */
export interface SpilledOutput {
  /** `artifact://N`. */
  readonly url: string;
  readonly path: string;
  /** Bytes kept. */
  readonly bytes: number;
  /** More was written than the cap allows to keep. */
  readonly capped: boolean;
  /** If replicas share outputs: why only this replica can read this one. */
  readonly unshared?: string | undefined;
}

/** A file that is appended to, and read at offsets. */
export interface ScratchFile {
  /** The descriptor, for code that reads in a worker or child. */
  readonly fd: number;
  /** Resolves when the bytes are written. */
  append(bytes: Uint8Array): Promise<void>;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  /** The file is unlinked, so closing its descriptor frees it. */
  close(): Promise<void>;
}

export interface OpenedSpill {
  readonly file: OpenedFile;
  /** It was truncated: the output was larger than the cap. */
  readonly capped: boolean;
}

export interface KeptSpill {
  /** `artifact://3` */
  readonly url: string;
  readonly bytes: number;
}

/** For each caller, the version of a remote file that it was shown last. */
export interface SeenStore {
  last(caller: object, place: string): Promise<SeenVersion>;
  /** Records the version. Resolves when other replicas can read it. Never throws. */
  saw(caller: object, place: string, version: string): Promise<void>;
}

/**
 * The version shown by this process, and by any replica. They differ if another replica has answered the
 * caller, or one with the same name, since.
 */
export interface SeenVersion {
  readonly here?: string | undefined;
  readonly shared?: string | undefined;
}

/** The lines that were shown of each version of a file. */
export interface SnapshotStore {
  /** The tag of this content of `path`; `content` is a digest of it (hexadecimal). */
  tag(path: string, content: string): string;
  /** Remembers lines (1-based number, text without prefix) that were shown under a tag. */
  see(path: string, tag: string, lines: Iterable<readonly [number, string]>): void;
  /**
   * The lines `from` to `to` (1-based, both included) that were shown under a tag, in order; if replicas
   * share a store, by any of them. Does not throw if the store is unavailable.
   */
  lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>>;
}

/** Full outputs, kept as numbered files named `artifact://N`. */
export interface SpillStore {
  /** The private directory of the spills; created on first use. */
  readonly directory: string;
  /** The private directory of `local://`; created on first use. */
  local(): string;
  /** Whether `path` is the path of a spill. */
  has(path: string): boolean;
  /** Begins a spill under the next free number. Throws OrielError (`LIMIT`, `BUSY`) when its file cannot be created. */
  create(): SpillSink;
  /** Opens `artifact://number` for reading. Throws OrielError `NOT_FOUND`. */
  open(number: number): Promise<OpenedSpill>;
  /** Whether there are no spills in this process. */
  readonly isEmpty: boolean;
  /** The spills of this process, the oldest first. */
  list(): readonly KeptSpill[];
  /** As `list`, with the spills of other replicas if they are shared. Does not throw if the store is unavailable. */
  listAll?(): Promise<readonly KeptSpill[]>;
}

/** A spill that is being written. */
export interface SpillSink {
  /**
   * Takes all of `bytes` (the caller may reuse them immediately). If it returns a promise, wait for it before the next
   * write: backpressure.
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /**
   * `capped` says that the input was already truncated. Throws OrielError (`LIMIT`, `BUSY`) when not all of it could be
   * written; the file is then removed.
   */
  finish(capped?: boolean): Promise<SpilledOutput>;
}

// The store of derived data: the declaration of a kind, the input of a maker, and the lookup of a value.

/** The resources that a value holds. */
export interface ValueWeight {
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
export interface DerivedKind<T, O extends Facts = Facts> extends Derivation<O> {
  /** Called again after each call that used the value, because it may have grown. */
  weigh(value: T): ValueWeight;
  /** Maximum bytes of memory for all its values, if that is less than its share of the store. */
  readonly mostMemory?: number | undefined;
  /** Frees the resources of the value. Called once, when no call uses the value any more. */
  dispose?(value: T): void | Promise<void>;
  /** Whether the value may stay in the store: a stream that has failed may not. True when absent. */
  lasts?(value: T): boolean;
}

export interface ComputedValue<T> {
  readonly value: T;
  /**
   * Whether the same bytes and options always give this value. False if a timeout, a cancellation, a lack of resources or
   * a failure affected it; it is then used once and disposed.
   */
  readonly keep: boolean;
}

/** The input of a computation. It must not use anything else of its call: other calls may still wait when that call has ended. */
export interface ValueComputation {
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
  readonly weight: Required<ValueWeight>;
}

export interface DerivedStore {
  /**
   * The value of this kind for the bytes of `of`: from the store, from another call that is already making it, or new. It
   * stays valid until the end of `user`. Throws what `make` threw, and the reason of the user's signal when that aborts.
   */
  get<T, O extends Facts>(
    kind: DerivedKind<T, O>,
    of: ByteSource,
    options: O,
    make: (computation: ValueComputation) => Promise<ComputedValue<T>>,
    user: StoreUser,
  ): Promise<T>;
  /** The same for values that are made synchronously. */
  getNow<T, O extends Facts>(
    kind: DerivedKind<T, O>,
    of: ByteSource,
    options: O,
    make: () => T,
    user: StoreUser,
  ): T;
  /** By the name of the kind; only kinds that were requested at least once. */
  stats(): ReadonlyMap<string, KindStats>;
}

// Progress of a long operation, for a person who waits for it.

export interface Progress {
  /** What is being done: "scanning 412 MiB of 1 GiB". */
  readonly message: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
  /** The last lines of a running command's output. */
  readonly tail?: string | undefined;
}

/** What outlives one call, as the engine uses it. session/ implements it. */

import type { OpenedFile } from './access.ts';
import type { DerivedStore } from './store.ts';
import type { TelemetrySink } from './telemetry.ts';
import type { RemoteWork } from './work.ts';

export interface Session {
  readonly snapshots: SnapshotStore;
  /** Versions of what is elsewhere. */
  readonly seen: SeenStore;
  /** Full outputs of which only a part was shown. */
  readonly spills: SpillStore;
  /** Line indexes, outlines, unpacked members: everything derived from bytes that the next call may use again. */
  readonly store: DerivedStore;
  /** The second level of the store: what is slow to make and small outlives the process. Absent if the host turned it off. */
  readonly disk?: DiskCache;
  /** The part of it that no other machine has: for what depends on the files of this one. */
  readonly files?: LocalCache;
  /** Other machines that do what is heavy; absent if the host names none. */
  readonly work?: RemoteWork;
  /** Where calls are recorded; absent if the host wants none of that. */
  readonly telemetry?: TelemetrySink;
  /** A private file (mode 0600), for what is too large for memory. */
  scratch(): Promise<ScratchFile>;
  /** Work that continues after the call that began it. */
  readonly background: Background;
  /** Disposes everything derived and removes what the session left on disk. */
  close(): Promise<void>;
}

/** Work of a session for which no call waits. Its end ends it. */
export interface Background {
  /** `work` throws for nobody: what fails is its own affair. Its signal aborts with the session. */
  start(work: (signal: AbortSignal) => Promise<void>): void;
  /** Resolves when no work is under way, after `ms` milliseconds, or when the signal aborts. */
  idle(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Values under keys, shared by all processes of this user. A key names everything that shapes its value: the digest of
 * the bytes that it is derived from, the kind, its version and all options.
 */
export interface DiskCache {
  /** Since the start. */
  readonly lookups?: { readonly hits: number; readonly misses: number };
  /** The bytes exactly as they were put, or undefined. Never throws. */
  get(key: string): Promise<Buffer | undefined>;
  /**
   * The same in pieces, for what memory is not to hold. Only at the end is it known whether they are what was put: when
   * this resolves to false, all that was taken is to be forgotten. `begin` is called before the first piece, and again
   * where another copy is tried. Throws what a taker throws.
   */
  getPieces(key: string, begin: () => TakePiece): Promise<boolean>;
  /** All that there are under the key, of this machine and of other replicas. Absent if nobody else has any. Never throws. */
  all?(key: string): Promise<readonly Buffer[]>;
  /**
   * Writes the concatenation of `parts` in the background, if it can; they must not change meanwhile. Resolves when it has,
   * or has given up.
   */
  put(key: string, parts: readonly CachePart[]): Promise<void>;
  /** Removes the value in the background, once what is being written is. */
  remove(key: string): void;
}

/** Bytes, or what reads `length` bytes from `start` (0-based). */
export type CachePart =
  | Uint8Array
  | { readonly length: number; read(start: number, length: number): Promise<Uint8Array> };

/** Resolves when the next piece may come; the bytes are the taker's. */
export type TakePiece = (piece: Buffer) => Promise<void>;

/** The cache of one machine. */
export interface LocalCache extends DiskCache {
  /**
   * Writes what `next` makes of the value, one process after the other: what another one writes meanwhile is not lost.
   * Resolves when it has, or has given up.
   */
  change(key: string, next: (value: Buffer | undefined) => Uint8Array): Promise<void>;
}

/** A kept output. */
export interface Spill {
  /** `artifact://N`. */
  readonly url: string;
  readonly path: string;
  /** Bytes kept. */
  readonly bytes: number;
  /** More was written than the cap allows to keep. */
  readonly capped: boolean;
  /** Where replicas share outputs: why this one can be read here alone. */
  readonly unshared?: string;
}

/** Appended to in order, read at offsets. */
export interface ScratchFile {
  /** The descriptor, for code that reads in a worker or child. */
  readonly fd: number;
  /** Resolves when written. */
  append(bytes: Uint8Array): Promise<void>;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  /** The file goes with its descriptor. */
  close(): Promise<void>;
}

export interface OpenedSpill {
  readonly file: OpenedFile;
  /** Its end is missing: the output was larger than the cap. */
  readonly capped: boolean;
}

export interface KeptSpill {
  /** `artifact://3` */
  readonly url: string;
  readonly bytes: number;
}

/** Which version of a place elsewhere each caller was shown last. */
export interface SeenStore {
  last(caller: object, place: string): Promise<SeenVersion>;
  /** Resolves when other replicas can know it. Never throws. */
  saw(caller: object, place: string, version: string): Promise<void>;
}

/** By this process, and by any replica. They differ where the caller, or one that has the same name, has asked another one since. */
export interface SeenVersion {
  readonly here?: string;
  readonly shared?: string;
}

/** What was shown of which version of a file. */
export interface SnapshotStore {
  /** The tag of this content of `path`; `content` is a digest of it (hexadecimal). */
  tag(path: string, content: string): string;
  /** Remembers lines (1-based number, text without prefix) that were shown under a tag. */
  see(path: string, tag: string, lines: Iterable<readonly [number, string]>): void;
  /** The text of line `no` as it was shown under `tag`; undefined when it was not shown or is forgotten. */
  recall(path: string, tag: string, no: number): string | undefined;
  /** Every line shown under a tag, by number; empty for an unknown tag. */
  seen(path: string, tag: string): ReadonlyMap<number, string>;
  /**
   * The lines `from` to `to` (1-based, both included) that were shown under a tag, in order; where replicas share a store, by
   * whichever of them. Never throws for a store that is unavailable.
   */
  lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>>;
}

/** Full outputs, kept as numbered files named `artifact://N`. */
export interface SpillStore {
  /** The private directory of the spills; made when first asked for. */
  readonly directory: string;
  /** The private directory of `local://`; made when first asked for. */
  local(): string;
  /** Whether `path` is that of a spill. */
  has(path: string): boolean;
  /** Begins a spill under the next free number. Throws OrielError (`LIMIT`, `BUSY`) when its file cannot be made. */
  create(): SpillSink;
  /** Opens `artifact://number` for reading. Throws OrielError `NOT_FOUND`. */
  open(number: number): Promise<OpenedSpill>;
  /** Whether nothing is kept here. */
  readonly isEmpty: boolean;
  /** Those that are here, in the order in which they were made. */
  list(): readonly KeptSpill[];
  /** Also those of other replicas, where they share them. Never throws for a store that is unavailable. */
  listAll?(): Promise<readonly KeptSpill[]>;
}

/** A spill that is being written. */
export interface SpillSink {
  /** Takes all of `bytes` (they may be reused at once). Write on when a returned promise resolves: backpressure. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Throws OrielError (`LIMIT`, `BUSY`) when not all of it could be written; then nothing is left of it. */
  finish(): Promise<Spill>;
}

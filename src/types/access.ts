/**
 * The file system as the rest of the engine sees it: opened files and directories, inside the roots.
 * Checks apply to the opened file, not to the path: a path can change between a check and an open.
 */

import type { Identity } from '../identity.ts';

export interface OpenedFile {
  readonly kind: 'file';
  /** Absolute real path of what was opened. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly bytes: ByteSource;
  /** The descriptor, for code that reads in a worker or child; absent for things that live in memory. */
  readonly fd?: number | undefined;
  /** Opens a file beside this one (`-wal`), or undefined when there is none. Same roots. */
  sibling?(suffix: string): Promise<OpenedFile | undefined>;
  close(): Promise<void>;
}

export interface FileSystemEntry {
  readonly name: string;
  /** Its content is not read; its size is shown as 0. */
  readonly isPrivate?: true | undefined;
  readonly type: 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'device' | 'unknown';
}

export interface FileSystemEntryStat extends FileSystemEntry {
  /** Bytes; of the link itself for a link. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: bigint;
}

export interface OpenedDirectory {
  readonly kind: 'directory';
  /** Absolute real path of what was opened. */
  readonly path: string;
  /** The descriptor, for code that walks in a worker thread. */
  readonly fd: number;
  readonly mtimeMs: number;
  /**
   * Names and types of the entries whose names begin with `prefix`, in the order of the file system. Returns at most
   * `most`; `more`: whether there are others.
   */
  list(
    most: number,
    signal?: AbortSignal,
    prefix?: string,
  ): Promise<{ entries: FileSystemEntry[]; more: boolean }>;
  /** Undefined for an entry that has vanished. Links are not followed. */
  stat(name: string): Promise<FileSystemEntryStat | undefined>;
  /** The target of a symbolic link, as stored; undefined if `name` is not a link, or is private. */
  linkTarget(name: string): Promise<string | undefined>;
  /** The rules for private files that let it be opened; absent if nothing is private. */
  readonly privateNames: PrivateNames | undefined;
  /** Opens the directory above it by the same rules. */
  readonly above: () => Promise<OpenedItem>;
  /** Opens a real directory inside this one (links refused), or undefined when `name` is not one. */
  enter(name: string): Promise<OpenedDirectory | undefined>;
  close(): Promise<void>;
}

export type OpenedItem = OpenedFile | OpenedDirectory;

export interface FileAccess {
  /** Absolute; relative paths are resolved against it. */
  readonly cwd: string;
  /** Absolute real paths of the roots; empty if there are none. */
  readonly roots: readonly string[];
  /** Turns `~`, `@`, `file://` and relative forms into an absolute path. Does not touch the disk. */
  absolute(typed: string): string;
  /**
   * Opens the file or directory at `path` (absolute). Throws OrielError: `NOT_FOUND`, `OUTSIDE_ROOT`,
   * `NOT_REGULAR`, `DENIED`, …
   */
  open(path: string, signal?: AbortSignal): Promise<OpenedItem>;
  /** The rules that make files private, as they are now; absent if nothing is. */
  readonly privateNames?: (() => Promise<PrivateNames>) | undefined;
  /** The same, but that git's own files are not private: for what reads repositories; absent if no rule is about them. */
  readonly forGit?: FileAccess | undefined;
  /** The path as a model is shown it: relative to `cwd` if it is below `cwd`, otherwise absolute. */
  display(path: string): string;
}

// Private files: rules by which nothing of a file is shown but its name.

/** One rule, and where it comes from. */
export interface DenyRule {
  /** In gitignore syntax, relative to the directory of its source. */
  readonly pattern: string;
  /** As it was written. */
  readonly rule: string;
  /** The file, as it is shown, or the option. */
  readonly from: string;
  /** 1-based. */
  readonly line?: number | undefined;
  /** How a person lifts it, as the end of a sentence. */
  readonly lift: string;
  /** Why a file is private without a rule. */
  readonly because?: string | undefined;
}

/** All rules. */
export interface DenyData {
  /** Changes with the rules. */
  readonly key: string;
  readonly sources: readonly DenySource[];
  /** Real paths of the directories below which files with several names are compared. */
  readonly projects: readonly string[];
}

/** Rules of one origin, of which the last one that matches decides. */
export interface DenySource {
  /** Real path of the directory to which the patterns are relative. */
  readonly base: string;
  readonly rules: readonly DenyRule[];
}

export interface PrivateNames {
  readonly data: DenyData;
  /** The data as JSON, for worker threads: they read it only if it is not the one before. */
  readonly packed: string;
  /** Whether a rule may match an entry of this name in a directory of the name `above`. Fast. */
  mayMatch(name: string, above: string): boolean;
  /** The rule that makes the path (absolute), or a directory on its way, private. */
  decide(path: string, isDirectory: boolean): DenyRule | undefined;
  /** The same for the path of a member in the archive at `container`. */
  inside(container: string, member: string, isDirectory: boolean): DenyRule | undefined;
}

// Bytes at offsets, with their identity: the interface of everything that can be read.

export interface ByteSource {
  /** Bytes; undefined while the source grows (a stream that has not ended). */
  readonly size: number | undefined;
  /** Which bytes these are: the cache key of what is derived from them (line indexes, outlines, unpacked members). */
  readonly identity: Identity;
  /**
   * Fills `target` from byte `offset` (0-based) and resolves to the number of bytes written: fewer than
   * `target.length` only at the end. Throws OrielError (`CANCELLED`, `CORRUPT`, …).
   */
  readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  /** Whether the content is no longer that of `identity`. Absent if content cannot change. */
  changed?(): Promise<boolean>;
  /** The bytes come from a stream: their number is unknown until the stream has ended. Such a source never changes. */
  readonly streamed?: boolean | undefined;
  /** Each read may be a request to a server, so unnecessary reads are avoided. */
  readonly remote?: boolean | undefined;
}

/**
 * The file system as the rest of the engine sees it: opened files and directories, inside the roots.
 * Checks apply to the opened file, not to the path: a path can change between a check and an open.
 */

import type { ByteSource } from './byte-source.ts';

export interface OpenedFile {
  readonly is: 'file';
  /** Absolute real path of what was opened. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly bytes: ByteSource;
  /** The descriptor, for code that reads in a worker or child; absent for things that live in memory. */
  readonly fd?: number;
  /** Opens a file beside this one (`-wal`), or undefined when there is none. Same roots. */
  sibling?(suffix: string): Promise<OpenedFile | undefined>;
  close(): Promise<void>;
}

export interface Entry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'device' | 'unknown';
}

export interface EntryStat extends Entry {
  /** Bytes; of the link itself for a link. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: bigint;
}

export interface OpenedDirectory {
  readonly is: 'directory';
  /** Absolute real path of what was opened. */
  readonly path: string;
  /** The descriptor, for code that walks in a worker thread. */
  readonly fd: number;
  readonly mtimeMs: number;
  /**
   * Names and types of the entries whose names begin with `prefix`, in the order of the file system. Returns at most
   * `most`; `more`: whether there are others.
   */
  list(most: number, signal?: AbortSignal, prefix?: string): Promise<{ entries: Entry[]; more: boolean }>;
  /** Undefined for an entry that has vanished. Links are not followed. */
  stat(name: string): Promise<EntryStat | undefined>;
  /** The target of a symbolic link, as stored; undefined if `name` is not a link. */
  linkTarget(name: string): Promise<string | undefined>;
  /** Opens a real directory inside this one (links refused), or undefined when `name` is not one. */
  enter(name: string): Promise<OpenedDirectory | undefined>;
  close(): Promise<void>;
}

export type Opened = OpenedFile | OpenedDirectory;

export interface Access {
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
  open(path: string, signal?: AbortSignal): Promise<Opened>;
  /** The path as a model is shown it: relative to `cwd` if it is below `cwd`, otherwise absolute. */
  display(path: string): string;
}

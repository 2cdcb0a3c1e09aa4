/** The files whose code is asked about, wherever they are, as everything that asks about code sees them. */

import type { GapsSeen } from '../walk/gaps.ts';

/** Bytes of a code file that is parsed: what is larger was made by a program. */
export const MOST_BYTES = 1 << 20;

/** Files that are looked at. */
export const MOST_FILES = 100_000;

export interface CodeFiles {
  /** What paths begin with in the thread that knows them: no other files have it. Ends in a slash. */
  readonly base: string;
  /** What is kept on disk together: `base`, or what it begins with. */
  readonly home: string;
  /** What it is called by those who import from it. */
  readonly top: string;
  /** Relative to `base`. */
  readonly paths: readonly string[];
  /** The key of each file's identity, in the order of `paths`; empty for what is no code. */
  readonly keys: ReadonlyMap<string, string>;
  readonly gaps: GapsSeen;
  /** The directory, where it is one of the file system: its real path. */
  readonly directory?: string;
  /** Opens one of `paths`; undefined if it is no file that may be read any more. */
  open(path: string, signal: AbortSignal): Promise<CodeFile | undefined>;
}

export interface CodeFile {
  /** Of the identity of its bytes, now, and whether other bytes cannot have the same. */
  readonly key: string;
  readonly recurs: boolean;
  /** Undefined if it is known to have more than `MOST_BYTES`. */
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

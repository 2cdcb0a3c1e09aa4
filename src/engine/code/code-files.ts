/** The files that a question about code covers, independent of where they are (directory or archive). */

import type { GapsSeen } from '../walk/gaps.ts';

/** The most bytes of a code file that is parsed; larger ones are usually generated. */
export const MOST_BYTES = 1 << 20;

/** The most files that are considered. */
export const MOST_FILES = 100_000;

export interface CodeFiles {
  /** The prefix of the paths in the codebase thread, unique to these files. Ends in a slash. */
  readonly base: string;
  /** The prefix of everything that is cached on disk together: `base` or a prefix of it. */
  readonly home: string;
  /** The name by which importers call these files. */
  readonly top: string;
  /** Relative to `base`. */
  readonly paths: readonly string[];
  /** The identity key of each file, in the order of `paths`; empty for files that are not code. */
  readonly keys: ReadonlyMap<string, string>;
  readonly gaps: GapsSeen;
  /** The real path of the directory; absent for an archive. */
  readonly directory?: string;
  /** Opens one of `paths`; undefined if it is gone or may no longer be read. */
  open(path: string, signal: AbortSignal): Promise<CodeFile | undefined>;
}

export interface CodeFile {
  /** The current identity key of its bytes, and whether a later call can have an equal one (`Identity.recurs`). */
  readonly key: string;
  readonly recurs: boolean;
  /** Undefined if it has more than `MOST_BYTES`. */
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

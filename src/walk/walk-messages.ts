/** The messages between a walk's worker thread and the call that started it. */

import type { GlobPlace } from '../files/glob.ts';
import { openRefusalFor } from '../files/held-directory.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import type { PrivateNames } from '../types/access.ts';
import type { SearchGaps } from '../types/result.ts';
import type { GapsBefore } from './gaps.ts';

/** Requests to a thread: `walk` starts its work for a call, `rest` ends it. */
export type WalkRequest = { readonly kind: 'walk'; readonly job: WalkJob } | { readonly kind: 'rest' };

export interface WalkJob {
  /** Open directories with their real paths: from the outermost whose ignore files may apply down to the walked one. */
  readonly chain: readonly { readonly path: string; readonly fd: number }[];
  /** The index of the first directory of the chain whose rules apply if there is no repository. */
  readonly top: number;
  /** The roots as byte strings (latin1); nothing outside them is entered. Empty for no roots. */
  readonly roots: readonly string[];
  /** The prefix of the searched directory in shown paths. */
  readonly front: string;
  /** What is skipped silently: oriel's own files and directories. */
  readonly kept: KeptFiles;
  /** Private files, of which only names are found. */
  readonly denied: PrivateNames['packed'] | undefined;
  readonly wants: WalkQuery;
  /**
   * Whether the prefilter may read files before their type is checked, to skip those without the needle. Only on file systems
   * without special kernel files.
   */
  readonly prefilters: boolean;
  /** Only files whose path (UTF-8, relative to the directory) matches. */
  readonly filter?: WalkFilter | undefined;
  /** A second glob that file names must match. */
  readonly named?: string | undefined;
  /** The deadline, in milliseconds of `now()`. */
  readonly until: number;
  readonly control: Int32Array;
}

export type WalkFilter =
  | { readonly kind: 'glob'; readonly pattern: string; readonly place?: GlobPlace | undefined }
  /** Matches paths that end in these names. */
  | { readonly kind: 'ending'; readonly names: string };

/** The first `most` paths, or the texts of the files. */
export type WalkQuery = WantedPaths | WantedTexts;

export interface WantedPaths {
  readonly kind: 'paths';
  readonly most: number;
  /** Whether modification times are included. */
  readonly times?: boolean | undefined;
  /** Whether the identity keys of code files are included, and whether there are more paths. */
  readonly keys?: boolean | undefined;
  /** Whether only documents, archives and databases (by name) are wanted. */
  readonly containers?: boolean | undefined;
}

export interface WantedTexts {
  readonly kind: 'texts';
  /** The literal that every match contains; texts without it may be left out. */
  readonly needle: string | undefined;
  /** Whether every match is ASCII, so that an unknown encoding of a text hides none. */
  readonly isAscii: boolean;
  /** Whether documents and archives whose bytes are text are searched as text, because `read` shows them so. */
  readonly asStored: boolean;
  /** Only code files of at most so many bytes, with the identity keys that they had before they were read. */
  readonly code?: { readonly most: number } | undefined;
}

/** Messages of a thread. Paths are byte strings (latin1) that are valid UTF-8. */
export type WalkMessage =
  | PathsFound
  | PackedTexts
  | LargeTextFile
  | { readonly kind: 'end'; readonly gaps: SearchGaps }
  /** No descriptor became free in time. */
  | { readonly kind: 'shortage' }
  /** The thread has closed everything and sends no more messages for this call. */
  | { readonly kind: 'resting' };

/** Paths joined by `\0`, and what was requested of each. */
export interface PathsFound {
  readonly kind: 'paths';
  readonly paths: string;
  /** Modification times in ms since the epoch. */
  readonly times: Float64Array | undefined;
  /** One line per path: the key of its `Identity`, empty for files that are not code. */
  readonly keys: string | undefined;
}

/** Concatenated texts of files, as UTF-8 without byte order marks, each ending with a newline. */
export interface PackedTexts {
  readonly kind: 'texts';
  readonly bytes: Uint8Array;
  /** Paths joined by `\0`. */
  readonly paths: string;
  /** The offset in `bytes` after the last byte of each file. */
  readonly ends: Uint32Array;
  /** One line per path: the key of its `Identity`, empty if it does not recur. Absent unless requested. */
  readonly keys?: string | undefined;
  /** Guessed encodings, by the index of the file in `ends`. */
  readonly guessed?: Readonly<Record<number, string>> | undefined;
  /** Gaps before or between the files since the last message. */
  readonly gaps?: readonly GapsBefore[] | undefined;
}

/** A file that is too large for memory; the thread keeps it open until the call has released it. */
export interface LargeTextFile {
  readonly kind: 'large';
  readonly path: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  /** Gaps before it since the last message. */
  readonly gaps?: SearchGaps | undefined;
}

/** The current time in ms, on a clock that all threads of the process share. */
export function now(): number {
  return ORIGIN + performance.now();
}

const ORIGIN = performance.timeOrigin;

// Shared memory between a walk's worker thread and the call: counters for backpressure and for released files. The
// constants are indices into the array.

/** Incremented with every change of another counter, to wake the waiting thread. */
const SIGNAL = 0;
/** KiB of texts that the call has not released. */
const UNREAD = 1;
/** The number of large files that the call has released. */
const RELEASED = 2;

export class WalkControl {
  readonly numbers: Int32Array;

  constructor(numbers: Int32Array = new Int32Array(new SharedArrayBuffer(3 * 4))) {
    this.numbers = numbers;
  }

  get unread(): number {
    return Atomics.load(this.numbers, UNREAD);
  }

  get released(): number {
    return Atomics.load(this.numbers, RELEASED);
  }

  /** Adds to the unreleased bytes; negative when texts are released. */
  noteUnread(bytes: number): void {
    this.#add(UNREAD, Math.trunc(bytes / 1024));
  }

  noteReleased(): void {
    this.#add(RELEASED, 1);
  }

  /** Blocks the thread until the condition holds, or until the thread is terminated. */
  waitUntil(holds: () => boolean): void {
    for (;;) {
      const seen = Atomics.load(this.numbers, SIGNAL);
      if (holds()) return;
      Atomics.wait(this.numbers, SIGNAL, seen);
    }
  }

  /** Blocks the thread for `ms` milliseconds or until the next change. */
  pause(ms: number): void {
    Atomics.wait(this.numbers, SIGNAL, Atomics.load(this.numbers, SIGNAL), ms);
  }

  #add(index: number, by: number): void {
    Atomics.add(this.numbers, index, by);
    Atomics.add(this.numbers, SIGNAL, 1);
    Atomics.notify(this.numbers, SIGNAL);
  }
}

// Retries an open in a worker thread while there are no free descriptors (EMFILE, ENFILE), up to a timeout.

/** Milliseconds to wait for descriptors. */
const SHORTAGE_MS = 2_000;

/** Thrown if no descriptor became free in time. */
export class DescriptorShortage extends Error {}

/** Retries `open` while there are no descriptors. Throws `DescriptorShortage` after the timeout. */
export function retryOnShortage<T>(control: WalkControl, open: () => T): T {
  for (const end = now() + SHORTAGE_MS; ; control.pause(20)) {
    try {
      return open();
    } catch (error) {
      if (openRefusalFor(error) !== 'shortage') throw error;
      if (now() > end) throw new DescriptorShortage();
    }
  }
}

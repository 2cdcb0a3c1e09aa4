/** The messages between a walk's worker threads and the call that started them. */

import { openRefusalFor } from '../files/held-directory.ts';
import type { KeptFiles } from '../files/private-files.ts';
import type { SearchGaps } from '../types/result.ts';
import type { GapsBefore } from './gaps.ts';

/** Requests to a thread: `walk` or `help` starts its work for a call, `rest` ends it. */
export type WalkRequest =
  | { readonly is: 'walk'; readonly job: WalkJob }
  | { readonly is: 'help'; readonly job: HelpJob }
  | { readonly is: 'block'; readonly block: WalkBlock }
  | { readonly is: 'rest' };

/** The job of the walking thread. */
export interface WalkJob {
  /** Open directories with their real paths: from the outermost whose ignore files may apply down to the walked one. */
  readonly chain: readonly { readonly path: string; readonly fd: number }[];
  /** The index of the first directory of the chain whose rules apply if there is no repository. */
  readonly top: number;
  /** The roots as byte strings (latin1); nothing outside them is entered. Empty for no roots. */
  readonly roots: readonly string[];
  /** What is skipped silently: oriel's own files and directories. */
  readonly kept: KeptFiles;
  readonly wants: WalkQuery;
  /**
   * Whether the prefilter may read files before their type is checked, to skip those without the needle. Only on file systems
   * without special kernel files.
   */
  readonly prefilters: boolean;
  /** Only files whose path (UTF-8, relative to the directory) matches. */
  readonly filter?: WalkFilter;
  /** A second glob that file names must match. */
  readonly named?: string;
  /** The deadline, in milliseconds of `now()`. */
  readonly until: number;
  readonly control: Int32Array;
}

/** The job of the helper thread; its blocks follow in separate requests. */
export interface HelpJob {
  readonly control: Int32Array;
  readonly kept: KeptFiles;
  readonly needle: string | undefined;
  readonly prefilters: boolean;
  /** See `WantedTexts`. */
  readonly asStored: boolean;
}

export type WalkFilter =
  | { readonly is: 'glob'; readonly pattern: string }
  /** Matches paths that end in these names. */
  | { readonly is: 'ending'; readonly names: string };

/** The first `most` paths, or these with the identity keys of code files, or the texts of the files. */
export type WalkQuery = WantedPaths | { readonly is: 'versions'; readonly most: number } | WantedTexts;

export interface WantedPaths {
  readonly is: 'paths';
  readonly most: number;
  /** Whether modification times are included. */
  readonly times?: boolean;
  /** Whether only documents, archives and databases (by name) are wanted. */
  readonly containers?: boolean;
}

export interface WantedTexts {
  readonly is: 'texts';
  /** The literal that every match contains; texts without it may be left out. */
  readonly needle: string | undefined;
  /** Whether documents and archives whose bytes are text are searched as text, because `read` shows them so. */
  readonly asStored: boolean;
}

/** A unit of work: files that one thread reads in order. */
export interface WalkBlock {
  /** The sequence number (0-based) that gives the order of all blocks. */
  readonly no: number;
  readonly parts: readonly BlockPart[];
  readonly until: number;
}

export interface BlockPart {
  /** A path that refers to the open directory until the block is read. */
  readonly self: string;
  readonly dev: number;
  readonly ino: number;
  /** The prefix of the names in paths: empty, or ending with a slash. A byte string, as are the names. */
  readonly front: string;
  /** File names, joined by slashes. */
  readonly names: string;
  /** Gaps of the walk between the previous part and this one. */
  readonly gaps?: SearchGaps;
}

/** Messages of a thread. Paths are byte strings (latin1) that are valid UTF-8. */
export type WalkMessage =
  | PathsFound
  /** `keys` has one line per path: the key of its `Identity`, empty for files that are not code. */
  | { readonly is: 'versions'; readonly paths: string; readonly keys: string }
  /** A block for the helper. */
  | { readonly is: 'block'; readonly block: WalkBlock }
  | BlockTexts
  | LargeTextFile
  | BlockEnd
  /** `blocks` is the total number of blocks. */
  | { readonly is: 'end'; readonly blocks: number; readonly gaps: SearchGaps }
  /** No descriptor became free in time. */
  | { readonly is: 'shortage' }
  /** The thread has closed everything and sends no more messages for this call. */
  | { readonly is: 'resting' };

/** Paths joined by `\0`, and their modification times (ms since the epoch) if requested. */
export interface PathsFound {
  readonly is: 'paths';
  readonly paths: string;
  readonly times?: Float64Array;
}

/** Concatenated texts of files, as UTF-8 without byte order marks, each ending with a newline. */
export interface BlockTexts {
  readonly is: 'texts';
  readonly block: number;
  readonly thread: number;
  readonly bytes: Uint8Array;
  /** Paths joined by `\0`. */
  readonly paths: string;
  /** The offset in `bytes` after the last byte of each file. */
  readonly ends: Uint32Array;
  /** Guessed encodings, by the index of the file in `ends`. */
  readonly guessed?: Readonly<Record<number, string>>;
  /** Gaps before or between the files since the last message of the block. */
  readonly gaps?: readonly GapsBefore[];
}

/** A file that is too large for memory; the thread keeps it open until the call has released it. */
export interface LargeTextFile {
  readonly is: 'large';
  readonly block: number;
  readonly thread: number;
  readonly path: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  /** Gaps before it since the last message of the block. */
  readonly gaps?: SearchGaps;
}

/** The end of a block; `gaps` since its last message. */
export interface BlockEnd {
  readonly is: 'block-end';
  readonly block: number;
  readonly gaps: SearchGaps;
}

/** The current time in ms, on a clock that all threads of the process share. */
export function now(): number {
  return ORIGIN + performance.now();
}

const ORIGIN = performance.timeOrigin;

// Shared memory between a walk's worker threads and the call: counters for backpressure and for released files. The
// constants are indices into the array.

/** Incremented with every change of another counter, to wake waiting threads. */
const SIGNAL = 0;
/** The number of blocks that the helper has read. */
const READ = 1;
/** Per thread: KiB of texts that the call has not released. */
const UNREAD = 2;
/** Per thread: the number of large files that the call has released. */
const RELEASED = 4;

/** The numbers of the walking thread and of the helper thread. */
export const WALKER = 0;
export const HELPER = 1;

export class WalkControl {
  readonly numbers: Int32Array;

  constructor(numbers: Int32Array = new Int32Array(new SharedArrayBuffer(6 * 4))) {
    this.numbers = numbers;
  }

  get blocksRead(): number {
    return Atomics.load(this.numbers, READ);
  }

  unread(thread: number): number {
    return Atomics.load(this.numbers, UNREAD + thread);
  }

  released(thread: number): number {
    return Atomics.load(this.numbers, RELEASED + thread);
  }

  noteBlockRead(): void {
    this.#add(READ, 1);
  }

  /** Adds to the unreleased bytes of a thread; negative when texts are released. */
  noteUnread(thread: number, bytes: number): void {
    this.#add(UNREAD + thread, Math.trunc(bytes / 1024));
  }

  noteReleased(thread: number): void {
    this.#add(RELEASED + thread, 1);
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

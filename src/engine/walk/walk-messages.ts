/** The messages between a walk's worker threads and the call that started them. */

import type { Gaps } from '../../types/result.ts';
import type { GapsBefore } from './gaps.ts';

/** Requests to a thread; the first two start its work for a call, `rest` ends it. */
export type WalkRequest =
  | { readonly is: 'walk'; readonly job: WalkJob }
  | { readonly is: 'help'; readonly job: HelpJob }
  | { readonly is: 'block'; readonly block: Block }
  | { readonly is: 'rest' };

/** The job of the walking thread. */
export interface WalkJob {
  /**
   * Directories that are held open, by real path, from the outermost whose rules may count down to the one that is
   * walked.
   */
  readonly chain: readonly { readonly path: string; readonly fd: number }[];
  /** The first of the chain whose rules count if there is no repository. */
  readonly top: number;
  /** Bytes of the paths outside which nothing is entered; none for no roots. */
  readonly roots: readonly string[];
  /** Bytes of paths inside the roots that are skipped silently: oriel's own directories. */
  readonly kept: readonly string[];
  readonly keptFiles: KeptFiles;
  readonly wants: Wanted;
  /**
   * Whether files may be read before their type is checked, to skip those without the needle: only on file
   * systems without kernel files.
   */
  readonly sifts: boolean;
  /** Only files whose path (UTF-8, relative to the directory) passes. */
  readonly filter?: WalkFilter;
  /** A glob that the names of files must match besides. */
  readonly named?: string;
  /** By `now()`. */
  readonly until: number;
  readonly control: Int32Array;
}

/** The job of the helper thread. Its blocks follow. */
export interface HelpJob {
  readonly control: Int32Array;
  readonly keptFiles: KeptFiles;
  readonly needle: string | undefined;
  readonly sifts: boolean;
  /** See `WantedTexts`. */
  readonly asStored: boolean;
}

/** Files that are skipped silently under any name, by `fileKey`. */
export type KeptFiles = ReadonlySet<string>;

export type WalkFilter =
  | { readonly is: 'glob'; readonly pattern: string }
  /** The last names of the path. */
  | { readonly is: 'ending'; readonly names: string };

/** The first `most` paths, alone or with what tells versions of a code file apart; or the texts of the files. */
export type Wanted = WantedPaths | { readonly is: 'versions'; readonly most: number } | WantedTexts;

export interface WantedPaths {
  readonly is: 'paths';
  readonly most: number;
  /** Whether modification times are included. */
  readonly times?: boolean;
  /** Only documents, archives and databases, by their names. */
  readonly containers?: boolean;
}

export interface WantedTexts {
  readonly is: 'texts';
  /** Texts that do not contain it may be left out. */
  readonly needle: string | undefined;
  /** Whether documents and archives whose bytes are text are texts like others: where `read` shows them so. */
  readonly asStored: boolean;
}

/** Files of which one thread reads all, in order. */
export interface Block {
  /** From 0, without gaps: the order of all blocks. */
  readonly no: number;
  readonly parts: readonly BlockPart[];
  readonly until: number;
}

export interface BlockPart {
  /** A path that means the directory for as long as the block is not read. */
  readonly self: string;
  readonly dev: number;
  readonly ino: number;
  /** What is before the names in a path: empty, or ending with a slash. Bytes, as are the names. */
  readonly front: string;
  /** Joined by slashes. */
  readonly names: string;
  /** What the walk left out before them, and after the part before. */
  readonly gaps?: Gaps;
}

/** Paths are bytes, one character each, and known to be UTF-8. */
export type WalkMessage =
  | PathsFound
  /** `keys`: for each path the key of its `Identity`, a line each; empty for what is no code. */
  | { readonly is: 'versions'; readonly paths: string; readonly keys: string }
  /** For the helper. */
  | { readonly is: 'block'; readonly block: Block }
  | Texts
  | LargeFile
  | BlockEnd
  /** `blocks` is how many there were. */
  | { readonly is: 'end'; readonly blocks: number; readonly gaps: Gaps }
  /** There were no descriptors for too long. */
  | { readonly is: 'shortage' }
  /** The thread has closed everything and sends no more messages for this call. */
  | { readonly is: 'resting' };

/** Paths joined by `\0`, and when each was last written (ms since the epoch) where that was asked. */
export interface PathsFound {
  readonly is: 'paths';
  readonly paths: string;
  readonly times?: Float64Array;
}

/** Texts of files one after the other, as UTF-8 without byte order marks, each ending with a newline. */
export interface Texts {
  readonly is: 'texts';
  readonly block: number;
  readonly thread: number;
  readonly bytes: Uint8Array;
  /** Joined by `\0`. */
  readonly paths: string;
  /** Where each of them ends in `bytes`. */
  readonly ends: Uint32Array;
  /** By the position of a file in `ends`, how it was decoded, where that was guessed. */
  readonly guessed?: Readonly<Record<number, string>>;
  /** What was left out before or between the files since the last message of the block. */
  readonly gaps?: readonly GapsBefore[];
}

/** A file too large for memory: the thread keeps it open until the call has released it. */
export interface LargeFile {
  readonly is: 'large';
  readonly block: number;
  readonly thread: number;
  readonly path: string;
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  /** What was left out before it since the last message of the block. */
  readonly gaps?: Gaps;
}

/** `gaps` since the last message of the block. */
export interface BlockEnd {
  readonly is: 'block-end';
  readonly block: number;
  readonly gaps: Gaps;
}

/** A clock that all threads of a process share, in ms. */
export function now(): number {
  return ORIGIN + performance.now();
}

const ORIGIN = performance.timeOrigin;

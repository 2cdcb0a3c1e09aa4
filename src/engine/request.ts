/**
 * Owns the engine's whole vocabulary: what a dialect may ask for, as plain JSON, and what comes back as data.
 * Words come later, in render/ and the dialects.
 */

import type { OutputDisplay } from '../render/terminal.ts';
import type { Spill } from '../session/spill-writer.ts';
import type { SourceKind } from '../sources/source.ts';
import type { Keep } from '../window/output.ts';
import type { Excerpt, Limits, Window } from '../window/types.ts';

export type Request = ReadRequest | RunRequest | SearchRequest | FindRequest | ListRequest;

export interface ReadRequest {
  readonly do: 'read';
  /** A path as typed; with `selectors` it may end in the grammar of selector/, with `literal` it is only a path. */
  readonly target: string;
  readonly grammar: 'selectors' | 'literal';
  /** Kinds of things that may be read; all when absent. */
  readonly kinds?: readonly SourceKind[];
  /** For `literal` grammars. */
  readonly window?: Window;
  readonly raw?: boolean;
  /** What to answer where the whole of a text was asked for that has more than this many bytes. */
  readonly whole?: { readonly over: number; readonly as: 'outline' | 'refusal' };
  /** A named remote workspace to read in. */
  readonly on?: string;
}

export interface RunRequest {
  readonly do: 'run';
  readonly command: string;
  /** Seconds, fractions allowed; the setting `run.timeout` when absent. */
  readonly timeout?: number;
  /** The working directory, inside the roots; that of the session when absent. */
  readonly cwd?: string;
  /** One stream in the order in which it was written, or two. */
  readonly streams: 'merged' | 'split';
  /** Which end of a long output is kept. */
  readonly keep: Keep;
  /** Whether a kept head ends with its last whole line, or is filled to the last character. */
  readonly snap: 'line' | 'char';
  readonly display: OutputDisplay;
}

/** `grep`. */
export interface SearchRequest {
  readonly do: 'search';
  /** A regular expression in ripgrep's syntax (linear time: no look-around, no back-references), or plain text. */
  readonly pattern: string;
  /** File or directory; the cwd when absent. */
  readonly path?: string;
  /** Only files whose path matches: see engine/walk/glob.ts. */
  readonly glob?: string;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** The most matching lines in this answer. */
  readonly limit: number;
  /** Matching lines to leave out first (0-based): the next call of a cut answer. */
  readonly offset: number;
  /** Lines over `characters` code points are shown in part: their head, or what is around the match. */
  readonly clip: { readonly characters: number; readonly keep: 'head' | 'match' };
}

/** `find`. */
export interface FindRequest {
  readonly do: 'find';
  /** See engine/walk/glob.ts. */
  readonly pattern: string;
  /** Directory; the cwd when absent. */
  readonly path?: string;
  /** The most paths in this answer. */
  readonly limit: number;
  /** Paths to leave out first (0-based). */
  readonly offset: number;
}

/** `ls`. */
export interface ListRequest {
  readonly do: 'list';
  readonly path?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface SearchResult {
  readonly is: 'matches';
  /** Sorted by path, then line. Not all that was found need be here: texts are read only until they fill the answer. */
  readonly files: readonly MatchedFile[];
  /** Matching lines that belong to this answer: at most `limit`. */
  readonly found: number;
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number;
  /** How many there are in all, when the offset lies beyond them. */
  readonly beyond?: number;
  readonly gaps: Gaps;
  readonly hint?: Hint;
}

export interface MatchedFile {
  /** As shown to the model: relative to the cwd where it lies below it. */
  readonly path: string;
  readonly lines: readonly MatchedLine[];
}

export interface MatchedLine {
  /** 1-based. */
  readonly no: number;
  /** On matching lines: the 0-based rank among all matches of the search. Absent on context lines. */
  readonly rank?: number;
  /** Decoded, without terminator, at most as long as the request's clip. */
  readonly text: string;
  /** On which sides text was left out. */
  readonly clipped?: 'start' | 'end' | 'both';
}

/** Why nothing was found, perhaps: syntax that is plain text here, or a directory where only files are found. */
export type Hint = 'extended-glob' | 'brace-range' | 'directory';

/** What an answer does not cover although it was asked for. */
export interface Gaps {
  /** The time was up: what was not reached is missing. */
  readonly timedOut: boolean;
  /** Something was not allowed to be read. */
  readonly denied: boolean;
  /** Paths longer than the system takes (4,096 bytes) were left out. */
  readonly tooDeep: boolean;
  /** A directory has more entries than are read: which ones were left out is up to the file system. */
  readonly tooMany: boolean;
  /** Files left out because their names are not UTF-8. */
  readonly unnamed: number;
}

export interface ListResult {
  readonly is: 'entries';
  /** Sorted. */
  readonly entries: readonly ListedEntry[];
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number;
  /** How many there are in all, when the offset lies beyond them. */
  readonly beyond?: number;
  readonly gaps: Gaps;
  readonly hint?: Hint;
}

export interface ListedEntry {
  readonly path: string;
  /** `/` for directories and `@` for links. */
  readonly mark?: '/' | '@';
  /** 0-based, among all entries. */
  readonly rank: number;
}

export interface RunResult {
  readonly is: 'run';
  readonly exitCode?: number;
  /** What ended the shell, where it did not exit. */
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** The time limit. */
  readonly timeout: number;
  /** How long it took, in seconds. */
  readonly seconds: number;
  /** Processes in the background that were ended with the shell, and those that could not be. */
  readonly background: { readonly ended: number; readonly left: number };
  readonly streams: readonly RunStream[];
  readonly limits: Limits;
  readonly display: OutputDisplay;
}

export interface RunStream {
  readonly name: 'output' | 'stdout' | 'stderr';
  readonly excerpt: Excerpt;
  readonly bytes: number;
  readonly lines: number;
  readonly truncated: boolean;
  /** The output is no text; a dialect may say so instead of showing it. */
  readonly binary: boolean;
  /** The kept full output, when only a part is shown. Absent then where it could not be written. */
  readonly spill?: Spill;
}

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
  /** What to answer for a whole text over this many bytes. */
  readonly whole?: { readonly over: number; readonly as: 'outline' };
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
  readonly pattern: string;
  /** File or directory; the cwd when absent. */
  readonly path?: string;
  readonly glob?: string;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** The most matches in this answer. */
  readonly limit: number;
  /** Matches to leave out first (0-based): the next call of a cut answer. */
  readonly offset: number;
}

/** `find`. */
export interface FindRequest {
  readonly do: 'find';
  readonly pattern: string;
  readonly path?: string;
  readonly limit: number;
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
  /** Sorted by path, then line. `path` is as shown to the model. */
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly {
      readonly no: number;
      /** 0-based byte column of the first match; absent on context lines. */
      readonly column?: number;
      /** Decoded and clipped: `clipped` says on which sides text was left out. */
      readonly text: string;
      readonly clipped?: 'start' | 'end' | 'both';
    }[];
  }[];
  readonly shown: number;
  /** Matches follow beyond `limit`. */
  readonly more: boolean;
  /** Searched text that could not be: binary files, containers. */
  readonly skipped?: { readonly binary: number; readonly containers: number };
  readonly timedOut?: boolean;
}

export interface ListResult {
  readonly is: 'entries';
  /** Sorted; `mark` is `/` for directories and `@` for links. */
  readonly entries: readonly { readonly path: string; readonly mark?: '/' | '@' }[];
  readonly more: boolean;
  readonly timedOut?: boolean;
  /** Directories deeper than the walk goes were left out. */
  readonly tooDeep?: boolean;
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

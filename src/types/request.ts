/** What a dialect may ask of the engine, as plain JSON. */

import type { OutputDisplay } from './display.ts';
import type { Range, Window } from './excerpt.ts';
import type { SourceKind } from './resource.ts';

/** By the word in `do`: what `Result` is keyed by. */
export interface RequestOf {
  readonly read: ReadRequest;
  readonly lines: LinesRequest;
  readonly run: RunRequest;
  readonly search: SearchRequest;
  readonly find: FindRequest;
  readonly list: ListRequest;
}

export type Request = RequestOf[keyof RequestOf];

export interface ReadRequest {
  readonly do: 'read';
  /** A path as typed; with `selectors` it may end in the grammar of selector/, with `literal` it is only a path. */
  readonly target: string;
  readonly grammar: 'selectors' | 'literal';
  /** Kinds of things that may be read; all when absent. */
  readonly kinds?: readonly SourceKind[];
  /** For `literal` grammars; the whole when absent. */
  readonly window?: Window;
  /** Without a window, a text of more than this many bytes is answered with its outline, if it has one. */
  readonly outlineOver?: number;
}

/** Lines of one text file, all of them or none. */
export interface LinesRequest {
  readonly do: 'lines';
  readonly path: string;
  readonly range: Range;
  /** Set when all of the file was asked for: one of more than this many bytes is refused. */
  readonly wholeUpTo?: number;
  /** The workspace that holds the file, as `settings.workspaces` names it; this machine when absent. */
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
  /** Only files whose path matches: see walk/glob.ts. */
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
  /** See walk/glob.ts. */
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

/** Which end of a long output is kept. */
export type Keep = 'head' | 'tail' | 'ends';

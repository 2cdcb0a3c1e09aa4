/** The requests that a dialect can make to the engine, as plain JSON. */

import type { SourceKind } from './call.ts';
import type { OutputDisplay, Range, Window } from './excerpt.ts';

/** Requests by their `do` field, which also selects the `Result`. */
export interface RequestOf {
  readonly read: ReadRequest;
  readonly lines: LinesRequest;
  readonly run: RunRequest;
  readonly search: SearchRequest;
  readonly count: CountRequest;
  readonly find: FindRequest;
  readonly symbols: SymbolsRequest;
  readonly list: ListRequest;
}

export type EngineRequest = RequestOf[keyof RequestOf];

/** How a path is parsed: `selectors`: it may end with a selector (see selector/). `literal`: all of it is the path. */
export type PathGrammar = 'selectors' | 'literal';

export interface ReadRequest {
  readonly kind: 'read';
  /** A path as typed. */
  readonly target: string;
  readonly grammar: PathGrammar;
  /** Kinds of sources that may be read; all when absent. */
  readonly kinds?: readonly SourceKind[] | undefined;
  /** For `literal` paths; the whole text when absent. */
  readonly window?: Window | undefined;
  /** Whether the result says if the text ends with a newline. */
  readonly tellsEnd?: boolean | undefined;
  /** Without a window, a text of more than this many bytes is answered with its outline, if it has one. */
  readonly outlineOver?: number | undefined;
  /**
   * For `literal` paths: long code and prose are answered with their map, whose calls are line numbers. It shows whole what
   * these words are about, the last ones first.
   */
  readonly about?: readonly SpokenWords[] | undefined;
}

/** What was said in a conversation. */
export interface SpokenWords {
  readonly text: string;
  /** 1 for the words that matter most, down to 0. */
  readonly weight: number;
}

/** Lines of one text file. If they do not all fit, none are returned. */
export interface LinesRequest {
  readonly kind: 'lines';
  readonly path: string;
  readonly range: Range;
  /** Set when the whole file was requested: a file of more than this many bytes is refused. */
  readonly wholeUpTo?: number | undefined;
  /** The entries to list for a directory; without it, a directory is refused. */
  readonly entries?: { readonly offset: number; readonly limit: number } | undefined;
  /** The name in `settings.workspaces` of the workspace that has the file; this machine when absent. */
  readonly on?: string | undefined;
}

export interface RunRequest {
  readonly kind: 'run';
  readonly command: string;
  /** Seconds, fractions allowed; the setting `run.timeout` when absent. */
  readonly timeout?: number | undefined;
  /** The working directory, inside the roots; that of the session when absent. */
  readonly cwd?: string | undefined;
  /** `merged`: stdout and stderr as one stream, in the order in which they were written. */
  readonly streams: 'merged' | 'split';
  /** Which end of a long output is kept. */
  readonly keep: KeptEnd;
  /** Whether a kept head is cut after a whole line or after any character. */
  readonly snap: 'line' | 'char';
  readonly display: OutputDisplay;
  /** Whether runs of equal lines are shown once, unless the setting `run.fold` is off. */
  readonly folds?: boolean | undefined;
}

/** What to search for, where, and which part of the matches to return. */
interface SearchFor {
  /** A regular expression in ripgrep's syntax (linear time: no look-around, no back-references), or plain text. */
  readonly pattern: string;
  /** File or directory; the cwd when absent. */
  readonly path?: string | undefined;
  /** Only files whose path matches: see walk/glob.ts. */
  readonly glob?: string | undefined;
  /** Only files of this type, by ripgrep's name of it (`ts`, `py`). */
  readonly type?: string | undefined;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  /** Whether the pattern must match whole words. */
  readonly word?: boolean | undefined;
  /** Whether a match may span several lines; absent if the dialect does not support it. */
  readonly multiline?: boolean | undefined;
  /** Maximum number of matching lines (or of files, if those are listed) in this answer. */
  readonly limit: number;
  /** Number of matches to skip, for the next page. */
  readonly offset: number;
  /** `time`: the most recently written file first. By path when absent. */
  readonly sort?: 'time' | undefined;
  /**
   * Whether containers are searched inside: only named ones, or also those below a directory. Absent if
   * `read` of this dialect cannot read their parts.
   */
  readonly inside?: 'named' | 'below' | undefined;
}

/** `grep`: the lines that match. */
export interface SearchRequest extends SearchFor {
  readonly kind: 'search';
  /** Lines shown before and after each match. */
  readonly before: number;
  readonly after: number;
  /** Lines over `characters` code points are shown in part: their head, or the part around the match. */
  readonly clip: { readonly characters: number; readonly keep: 'head' | 'match' };
  /**
   * Whether matches are shown with the symbols around them, and with anchors for edits if the display is
   * `hashline`.
   */
  readonly leads?: boolean | undefined;
}

/** `grep` that lists the files with a match, or counts the matching lines in each file. */
export interface CountRequest extends SearchFor {
  readonly kind: 'count';
  /** Whether the lines are counted; otherwise the search stops at the first match of a file. */
  readonly counts: boolean;
}

/** `find`. */
export interface FindRequest {
  readonly kind: 'find';
  /** See walk/glob.ts. */
  readonly pattern: string;
  /** Directory; the cwd when absent. */
  readonly path?: string | undefined;
  /** Maximum number of paths in this answer. */
  readonly limit: number;
  /** Number of paths to skip, for the next page. */
  readonly offset: number;
  /** `time`: the most recently written file first. By path when absent. */
  readonly sort?: 'time' | undefined;
  /** The tool can also find symbols by words: an answer without files may suggest that. */
  readonly findsSymbols?: true | undefined;
}

/** `find` with words instead of a glob: ranks symbols of code. */
export interface SymbolsRequest {
  readonly kind: 'symbols';
  readonly query: string;
  /** Whether the query is a question, answered with the source of the symbols. */
  readonly source?: boolean | undefined;
  /** Directory; the cwd when absent. */
  readonly path?: string | undefined;
  /** Maximum number of symbols in this answer. */
  readonly limit: number;
  /** Number of symbols to skip, for the next page. */
  readonly offset: number;
}

/** `ls`. */
export interface ListRequest {
  readonly kind: 'list';
  readonly path?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Which end of a long output is kept. */
export type KeptEnd = 'head' | 'tail' | 'ends';

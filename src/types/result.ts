/** What the engine hands back for each request, as data. render/ and the dialects have the words. */

import type { TokenCounter } from './limits.ts';
import type { ErrorCode, OrielError } from '../errors.ts';
import type { Identity } from '../identity.ts';
import type { Display, OutputDisplay } from './display.ts';
import type { Encoding } from './encoding.ts';
import type { Excerpt } from './excerpt.ts';
import type { Limits } from './limits.ts';
import type { Notice } from './notice.ts';
import type { Request } from './request.ts';
import type { ImageResource, NoteResource, PartOfDocument, SourceKind } from './resource.ts';
import type { Selection } from './selection.ts';
import type { Spill } from './session.ts';
import type { Summary } from './summary.ts';
import type { FileLines } from './workspace.ts';

/** The answer of a workspace elsewhere. */
export interface WorkspaceResult {
  readonly is: 'workspace';
  readonly lines: FileLines;
}

export interface SearchResult {
  readonly is: 'matches';
  /** Sorted by path, then line. Not all that was found need be here: texts are read only until they fill the answer. */
  readonly files: readonly MatchedFile[];
  /** Matching lines that belong to this answer: at most `limit`. */
  readonly found: number;
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number;
  /** How many there are in all, when the offset is beyond them. */
  readonly beyond?: number;
  readonly gaps: Gaps;
  /** Documents, archives and databases that were skipped and could have been searched with `inside`. */
  readonly passedOver?: number;
  readonly hint?: Hint;
  /** The host's own counter: the list is cut where it is rendered. */
  readonly tokens?: TokenCounter;
}

export interface MatchedFile {
  /** As shown to the model: relative to the cwd where it is below it. */
  readonly path: string;
  readonly lines: readonly MatchedLine[];
  /** The line that names this version of the file: its lines are anchors for edits. */
  readonly anchor?: string;
  /** How it was decoded, where that was guessed. */
  readonly guessed?: string;
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
  /** The symbol around a matching line, with its first and last line (1-based); absent if it is not known. */
  readonly within?: { readonly name: string; readonly from: number; readonly to: number };
}

/** Why nothing was found, perhaps: syntax that is plain text here, a directory where only files are found, or words about code. */
export type Hint =
  | 'extended-glob'
  | 'brace-range'
  | 'backslash'
  | 'directory'
  | 'words'
  | RegexHint
  | NearHint;

/** Paths whose names are near to the one that was looked for, as they are shown: at least one. */
export interface NearHint {
  readonly is: 'near';
  readonly pattern: string;
  readonly others: readonly string[];
}

/** A regular expression as other tools write it; `pattern` is how it is written here, where that is known. */
export type RegexHint =
  /** `a\|b`, `\(a\)`, `a\{2\}`: operators after a backslash, as of grep and sed. */
  | { readonly is: 'escaped-operators'; readonly pattern?: string }
  /** `/a/i`: as of JavaScript. */
  | { readonly is: 'slashes'; readonly pattern?: string; readonly ignoreCase: boolean };

/** What an answer does not cover although it was asked for. */
export interface Gaps {
  /** The deadline passed: what was not reached is missing. */
  readonly timedOut: boolean;
  /** Something was not allowed to be read. */
  readonly denied: boolean;
  /** The machine failed to read something: an input/output error. */
  readonly failed?: boolean;
  /** Paths longer than the system takes (4,096 bytes) were left out. */
  readonly tooDeep: boolean;
  /** A directory has more entries than are read: which ones were left out is up to the file system. */
  readonly tooMany: boolean;
  /** Files left out because their names are not UTF-8. */
  readonly unnamed: number;
  /** Documents, archives and databases, by their names, in which a search for texts did not look. */
  readonly containers: number;
  /** Ignore files that do not count, being too large or no regular files. */
  readonly rules: number;
  /** Files that are too large to be searched over several lines. */
  readonly large?: number;
  /** Texts of documents that were cut, and searched up to there. */
  readonly cut?: number;
  /** Files that were rewritten meanwhile: their lines may be missing, or of two versions. */
  readonly changed?: number;
  /** Documents, archives, databases and members of archives that were not searched although it was asked for. */
  readonly unread?: number;
  /** The first of them, at most three, as they are shown. */
  readonly firstUnread?: readonly string[];
  /** Paths, below the directory that is walked, of containers that only their content tells, as bytes: one character each. */
  readonly disguised?: readonly string[];
  /** Pages of documents that have no text to be searched. */
  readonly scanned?: number;
  /** A thread or process of the search ended too early: what it had found by then is a part. */
  readonly broken: boolean;
}

export interface ListResult {
  readonly is: 'entries';
  /** Sorted. */
  readonly entries: readonly ListedEntry[];
  /** How many the directory has; absent if they are not those of one directory. */
  readonly total?: number;
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number;
  /** How many there are in all, when the offset is beyond them. */
  readonly beyond?: number;
  readonly gaps: Gaps;
  /** As of a search. */
  readonly passedOver?: number;
  readonly hint?: Hint;
  /** The call that reads the first ones together, where an entry is itself a call. */
  readonly best?: string;
  /** Code files that were not parsed for want of time. */
  readonly unparsed?: number;
  /** Code files of which not all symbols are known: too large, not to be read, or with too many. */
  readonly unknown?: number;
  /** The host's own counter: the list is cut where it is rendered. */
  readonly tokens?: TokenCounter;
}

export interface ListedEntry {
  readonly path: string;
  /** `/` for directories and `@` for links. */
  readonly mark?: '/' | '@';
  /** 0-based, among all entries. */
  readonly rank: number;
  /** Lines that match in it, where they were counted. */
  readonly matches?: number;
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
  /** The output is not text; a dialect may say so instead of showing it. */
  readonly binary: boolean;
  /** The kept full output, when only a part is shown. */
  readonly spill?: Spill;
  /** Why it could not be kept, as one sentence with its code. */
  readonly unkept?: { readonly code: ErrorCode; readonly message: string };
}

export interface ImageResult extends Origin {
  readonly is: 'image';
  readonly resource: ImageResource;
}

export interface NoteResult extends Origin {
  readonly is: 'note';
  readonly resource: NoteResource;
}

export type LinesResult = SingleResult | TooLargeResult | WorkspaceResult | ListResult;

export type ReadResult = SingleResult | SeveralResult;

export type SingleResult = TextResult | SummaryResult | BinaryResult | ImageResult | NoteResult;

/** What several paths in one string name, read one after the other under one budget. */
export interface SeveralResult extends Origin {
  readonly is: 'several';
  readonly parts: readonly PartResult[];
}

/** One of the paths as it was typed, with its result: `full` where the answer has no room for it. */
export interface PartResult {
  readonly typed: string;
  readonly result: SingleResult | OrielError | 'full';
}

/** What a read found, whatever its kind. */
export interface Origin {
  readonly kind: SourceKind;
  /** What was read, without its selector: the front of the next call. */
  readonly target: string;
  readonly resolvedPath: string;
  /** Which bytes a text is made of; absent if nothing was opened. */
  readonly identity?: Identity;
  readonly suffix?: { readonly from: string; readonly to: string };
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface TextResult extends Origin {
  readonly is: 'text';
  readonly excerpt: Excerpt;
  readonly selection: Selection;
  readonly encoding: Encoding;
  readonly display: Display;
  /** What is above the text. */
  readonly above?: string;
  /** The tag of the version shown, and the line above the text that carries it. */
  readonly snapshot?: { readonly tag: string; readonly header: string };
  readonly limits: Limits;
  readonly changed: boolean;
  /** Whether the text ends with a newline; absent if the request did not ask. */
  readonly endsWithNewline?: boolean;
  readonly notes: readonly Notice[];
  readonly more?: Notice;
  readonly part?: PartOfDocument;
  /** The calls that show what was left out of the lines that are shown. */
  readonly leftOut?: readonly string[];
  readonly images?: readonly { readonly mimeType: string; readonly data: Uint8Array }[];
}

export interface BinaryResult extends Origin {
  readonly is: 'binary';
  /** A media type, or what was seen. */
  readonly type: string;
  readonly bytes?: number;
  readonly selection: Selection;
}

/** The structure of a long code file, instead of its first lines. */
export interface SummaryResult extends Origin {
  readonly is: 'summary';
  readonly summary: Summary;
  readonly totals: { readonly lines: number; readonly bytes: number };
  /** Whether some of the text was not text and is shown as U+FFFD. */
  readonly invalid: boolean;
  readonly encoding: Encoding;
  readonly display: Display;
  readonly snapshot?: { readonly tag: string; readonly header: string };
  readonly limits: Limits;
  readonly notes: readonly Notice[];
}

/** More than the request takes as a whole: nothing of it was read. */
export interface TooLargeResult extends Origin {
  readonly is: 'too-large';
  readonly bytes: number;
  /** The most that is taken. */
  readonly most: number;
}

/** By the word in `do` of the request. */
export interface ResultOf {
  readonly read: ReadResult;
  readonly lines: LinesResult;
  readonly run: RunResult;
  readonly search: SearchResult;
  readonly count: ListResult;
  readonly find: ListResult;
  readonly symbols: ListResult;
  readonly list: ListResult;
}

/** What a request is answered with. */
export type Result<R extends Request = Request> = ResultOf[R['do']];

/** The result of the engine for each request, as data. render/ and the dialects turn it into text. */

import type { ErrorCode, OrielError } from '../errors.ts';
import type { Identity } from '../identity.ts';
import type { Notice } from './answer.ts';
import type { ImageResource, NoteResource, PartOfDocument, SourceKind } from './call.ts';
import type {
  CutBy,
  Excerpt,
  Limits,
  LineDisplay,
  OutputDisplay,
  Selection,
  TextEncoding,
  TokenCounter,
} from './excerpt.ts';
import type { EngineRequest } from './request.ts';
import type { SpilledOutput } from './session.ts';
import type { FileLines } from './settings.ts';

/** The answer of a remote workspace. */
export interface WorkspaceResult {
  readonly kind: 'workspace';
  readonly lines: FileLines;
}

export interface SearchResult {
  readonly kind: 'matches';
  /**
   * Sorted by path, then line. Not all matches need to be here: texts are read only until they fill the
   * answer.
   */
  readonly files: readonly MatchedFile[];
  /** Matching lines that belong to this answer: at most `limit`. */
  readonly found: number;
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number | undefined;
  /** How many there are in all, when the offset is beyond them. */
  readonly beyond?: number | undefined;
  readonly gaps: SearchGaps;
  readonly passed?: readonly PassedOver[] | undefined;
  readonly hint?: SearchHint | undefined;
  /** The host's own counter: the list is cut where it is rendered. */
  readonly tokens?: TokenCounter | undefined;
}

export interface MatchedFile {
  /** As shown to the model: relative to the cwd where it is below it. */
  readonly path: string;
  /** The `path` of a call, where its own cannot be typed. */
  readonly use?: string | undefined;
  readonly lines: readonly MatchedLine[];
  /** The header with the tag of this version of the file: its lines are anchors for edits. */
  readonly anchor?: string | undefined;
  /** The encoding, if it was guessed. */
  readonly guessed?: string | undefined;
}

export interface MatchedLine {
  /** 1-based. */
  readonly no: number;
  /** On matching lines: the 0-based rank among all matches of the search. Absent on context lines. */
  readonly rank?: number | undefined;
  /** Decoded, without terminator, at most as long as the request's clip. */
  readonly text: string;
  /** On which sides text was left out. */
  readonly clipped?: 'start' | 'end' | 'both' | undefined;
  /** The symbol around a matching line, with its first and last line (1-based); absent if it is not known. */
  readonly within?: { readonly name: string; readonly from: number; readonly to: number } | undefined;
}

/** Why files or directories were left out of a search, whatever they hold. */
export type PassedReason =
  | 'ignored'
  /** A rule keeps what it holds from tools. */
  | 'private'
  | 'link'
  /** A pipe, socket or device. */
  | 'special'
  | 'binary'
  /** It has NUL bytes, but otherwise looks like a text. */
  | 'garbled'
  /** A text whose encoding is not known: matches beyond ASCII are not found. */
  | 'undecoded'
  /** A directory that matches a glob, which is for files. */
  | 'directory'
  /** A file that does not match the glob, or is not of the type. */
  | 'glob'
  | 'type';

/** Entries that were left out for one reason. */
export interface PassedEntries {
  readonly count: number;
  /** The first of them, as shown to the model, at most three. */
  readonly first: readonly string[];
}

/** What an answer says of entries that were left out. `container`: a document, archive, notebook or database. */
export interface PassedOver {
  readonly reason: PassedReason | 'container';
  readonly count: number;
  /** The fields that change in the call that includes them, or the first of them. */
  readonly call?: Readonly<Record<string, string | boolean>> | undefined;
  /** The `path` of a read that shows the first of them, if no such call can include it. */
  readonly use?: string | undefined;
}

/** A possible reason why nothing was found: syntax that is plain text here, or words about code. */
export type SearchHint =
  | 'extended-glob'
  | 'brace-range'
  | 'backslash'
  | 'words'
  | RegexHint
  | NearHint
  | ElsewhereHint;

/** The glob names a directory outside the searched one. */
interface ElsewhereHint {
  readonly kind: 'elsewhere';
  /** That directory, as it is shown, and the glob below it. */
  readonly path: string;
  readonly glob: string;
  /** The field of the call for the glob. */
  readonly field: 'pattern' | 'glob';
}

/** Paths with similar names, as they are shown: at least one. */
interface NearHint {
  readonly kind: 'near';
  readonly pattern: string;
  readonly others: readonly string[];
}

/** A regular expression in the syntax of another tool; `pattern` is the equivalent here, if known. */
export type RegexHint =
  /** `a\|b`, `\(a\)`, `a\{2\}`: operators after a backslash, as of grep and sed. */
  | { readonly kind: 'escaped-operators'; readonly pattern?: string | undefined }
  /** `start()`: plain text, in which parentheses are a group of nothing. */
  | { readonly kind: 'empty-group'; readonly pattern?: string | undefined }
  /** `/a/i`: as of JavaScript. */
  | { readonly kind: 'slashes'; readonly pattern?: string | undefined; readonly ignoreCase: boolean };

/** Requested files and parts that an answer does not cover. */
export interface SearchGaps {
  /** The deadline passed: the rest was not searched. */
  readonly timedOut: boolean;
  /** The permission to read some files was denied. */
  readonly denied: boolean;
  /** An input/output error occurred while something was read. */
  readonly failed?: boolean | undefined;
  /** Paths longer than the maximum of the system (4,096 bytes) were left out. */
  readonly tooDeep: boolean;
  /** A directory has more entries than the limit: the file system determines which ones were left out. */
  readonly tooMany: boolean;
  /** Number of documents, archives and databases (by their names) that a search for texts skipped. */
  readonly containers: number;
  /** Number of ignore files that were not used, because they are too large or not regular files. */
  readonly rules: number;
  /** Files that are too large to be searched over several lines. */
  readonly large?: number | undefined;
  /** Number of texts of documents that were truncated; only their beginning was searched. */
  readonly cut?: number | undefined;
  /** Number of files that changed during the search: their lines may be missing, or from two versions. */
  readonly changed?: number | undefined;
  /** Number of documents, archives, databases and members of archives that could not be searched. */
  readonly unread?: number | undefined;
  /** The first of them, at most three, as shown to the model. */
  readonly firstUnread?: readonly string[] | undefined;
  /** Some of the unread were not unpacked because the disk for temporary files is full. */
  readonly full?: boolean | undefined;
  /** It is `broken` because the process has no free file descriptors, which may be temporary. */
  readonly short?: boolean | undefined;
  /** Number of archives and databases inside archives: these are not searched. */
  readonly nested?: number | undefined;
  /** The calls that list the first of them, at most three. */
  readonly firstNested?: readonly string[] | undefined;
  /**
   * Containers that are recognised only by their content: their paths below the searched directory, as bytes
   * (one character each).
   */
  readonly disguised?: readonly string[] | undefined;
  /** Pages of documents that have no text to be searched. */
  readonly scanned?: number | undefined;
  /** Number of files below a directory that were not left out. */
  readonly files?: number | undefined;
  readonly passed?: Readonly<Partial<Record<PassedReason, PassedEntries>>> | undefined;
  /** A thread or process of the search failed: the matches are incomplete. */
  readonly broken: boolean;
}

export interface ListResult {
  readonly kind: 'entries';
  /** Sorted. */
  readonly entries: readonly ListedEntry[];
  /** Number of entries of the directory; absent if they are not from one directory. */
  readonly total?: number | undefined;
  /** The offset of what follows beyond `limit`; absent when nothing does. */
  readonly next?: number | undefined;
  /** How many there are in all, when the offset is beyond them. */
  readonly beyond?: number | undefined;
  readonly gaps: SearchGaps;
  /** As for `SearchResult`. */
  readonly passed?: readonly PassedOver[] | undefined;
  readonly hint?: SearchHint | undefined;
  /** The call that reads the first entries together, if an entry is itself a call. */
  readonly best?: string | undefined;
  /** Number of code files that were not parsed because of the timeout. */
  readonly unparsed?: number | undefined;
  /** Number of code files with missing symbols: too large, unreadable, or with too many symbols. */
  readonly unknown?: number | undefined;
  /** The host's own counter: the list is cut where it is rendered. */
  readonly tokens?: TokenCounter | undefined;
}

export interface ListedEntry {
  readonly path: string;
  /** Lines that are shown instead of the path: a symbol with its source. */
  readonly source?: readonly string[] | undefined;
  /** `/` for directories and `@` for links. */
  readonly mark?: '/' | '@' | undefined;
  /** Nothing but its name is shown. */
  readonly isPrivate?: true | undefined;
  /** The `path` of a call, where its own cannot be typed. */
  readonly use?: string | undefined;
  /** 0-based, among all entries. */
  readonly rank: number;
  /** Number of matching lines in it, if they were counted. */
  readonly matches?: number | undefined;
}

export interface RunResult {
  readonly kind: 'run';
  readonly exitCode?: number | undefined;
  /** The signal that ended the shell, if it did not exit. */
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** The timeout in seconds. */
  readonly timeout: number;
  /** The timeout of the call, if it is over the maximum. */
  readonly capped?: number | undefined;
  /** Duration in seconds. */
  readonly seconds: number;
  /** Background processes that were ended with the shell, and those that could not be ended. */
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
  readonly spill?: SpilledOutput | undefined;
  /** Why it could not be kept, as one sentence with its code. */
  readonly unkept?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

interface ImageResult extends ReadOrigin {
  readonly kind: 'image';
  readonly resource: ImageResource;
}

export interface NoteResult extends ReadOrigin {
  readonly kind: 'note';
  readonly resource: NoteResource;
}

export type LinesResult = SingleResult | TooLargeResult | WorkspaceResult | ListResult;

export type ReadResult = SingleResult | SeveralResult;

export type SingleResult = TextResult | SummaryResult | BinaryResult | ImageResult | NoteResult;

/** The results of several paths in one string, read one after the other within one budget. */
export interface SeveralResult extends ReadOrigin {
  readonly kind: 'several';
  readonly parts: readonly PartResult[];
}

/** One of the paths as it was typed, with its result. `full` is the limit that left no room for it in the answer. */
export interface PartResult {
  readonly typed: string;
  readonly result: SingleResult | OrielError | { readonly full: CutBy };
}

/** The common fields of all results of a read. */
export interface ReadOrigin {
  readonly format: SourceKind;
  /** What was read, without its selector: the start of the next call. */
  readonly target: string;
  readonly resolvedPath: string;
  /** The identity of the bytes; absent if nothing was opened. */
  readonly identity?: Identity | undefined;
  readonly suffix?: { readonly from: string; readonly to: string } | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface TextResult extends ReadOrigin {
  readonly kind: 'text';
  readonly excerpt: Excerpt;
  readonly selection: Selection;
  readonly encoding: TextEncoding;
  readonly display: LineDisplay;
  /** A description of the text, shown above its content. */
  readonly above?: string | undefined;
  /** The tag of the shown version, and the header line above the text that contains it. */
  readonly snapshot?: { readonly tag: string; readonly header: string } | undefined;
  readonly limits: Limits;
  readonly changed: boolean;
  /** Whether the text ends with a newline; absent if the request did not ask. */
  readonly endsWithNewline?: boolean | undefined;
  readonly notes: readonly Notice[];
  readonly more?: Notice | undefined;
  readonly part?: PartOfDocument | undefined;
  /** The calls that show what was left out of the shown lines. */
  readonly leftOut?: readonly string[] | undefined;
  readonly images?: readonly { readonly mimeType: string; readonly data: Uint8Array }[] | undefined;
}

export interface BinaryResult extends ReadOrigin {
  readonly kind: 'binary';
  /** A media type, or a description of the content. */
  readonly type: string;
  readonly bytes?: number | undefined;
  /** Whether it looks like a text into which a few NUL bytes came. */
  readonly isNearlyText: boolean;
  /** Whether the file has changed: while a text is truncated, Linux may read NUL bytes in it. */
  readonly changed: boolean;
  readonly selection: Selection;
}

/** The map of a long code file, which is shown instead of its first lines. */
export interface SummaryResult extends ReadOrigin {
  readonly kind: 'summary';
  readonly summary: CodeSummary;
  readonly totals: { readonly lines: number; readonly bytes: number };
  /** Whether the text has invalid sequences, shown as U+FFFD. */
  readonly invalid: boolean;
  readonly encoding: TextEncoding;
  readonly display: LineDisplay;
  readonly snapshot?: { readonly tag: string; readonly header: string } | undefined;
  readonly limits: Limits;
  readonly notes: readonly Notice[];
}

/** The file is larger than the request accepts, so nothing was read. */
interface TooLargeResult extends ReadOrigin {
  readonly kind: 'too-large';
  readonly bytes: number;
  /** The maximum accepted size. */
  readonly most: number;
}

/** Results by the `do` field of the request. */
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

/** The result of a request. */
export type EngineResult<R extends EngineRequest = EngineRequest> = ResultOf[R['kind']];

// The map of a code file: its lines, merged blocks and gaps.

export type SummaryPart =
  /** A stored line. */
  | { readonly kind: 'line'; readonly from: number; readonly to: number; readonly text: string }
  /** Several lines joined into one: `function run() { ... }`. */
  | { readonly kind: 'merged'; readonly from: number; readonly to: number; readonly text: string }
  /** `...` for lines left out between others. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number; readonly text: string };

/** 1-based, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface CodeSummary {
  readonly parts: readonly SummaryPart[];
  /**
   * All lines whose text is not shown, except blank lines and lines with only a closing bracket, sorted;
   * between two ranges something is shown.
   */
  readonly elided: readonly LineRange[];
  readonly elidedLines: number;
  /** Number of symbols that are not shown. */
  readonly left?: number | undefined;
  /** Whether parts name calls by their selector: `:#Server:outline`. */
  readonly namesCalls?: boolean | undefined;
  /** Its lines begin with the ranges that they stand for, so that the notice names only one. */
  readonly isProse?: boolean | undefined;
}

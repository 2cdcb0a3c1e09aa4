/** Windows and excerpts: the requested part of a text, and the lines and facts that a read returns. */

/** Lines `from` to `to`, 1-based and inclusive; without `to`, to the end. */
export interface Range {
  readonly from: number;
  readonly to?: number | undefined;
}

export type Window =
  /**
   * Sorted, merged ranges. With `context`, lines may be shown around constrained sides. `inside`: the first range
   * begins at this byte (0-based) inside its first line, which is oversized and of which the part before has
   * been shown. `around`: this line was requested, and the range is its context.
   */
  | {
      readonly kind: 'lines';
      readonly ranges: readonly Range[];
      readonly context?: boolean | undefined;
      readonly inside?: number | undefined;
      readonly around?: number | undefined;
    }
  /** `length` bytes from byte `start` (0-based), rounded to whole lines. */
  | { readonly kind: 'bytes'; readonly start: number; readonly length?: number | undefined }
  /**
   * Everything from line `from` (1-based) on; if that is more than `most` lines, the first and the last ones,
   * in two parts.
   */
  | { readonly kind: 'ends'; readonly from: number; readonly most: number }
  /** The last `lines` lines, or the last `lines` lines that end at or before byte `before`. */
  | { readonly kind: 'tail'; readonly lines: number; readonly before?: number | undefined };

export type CutBy = 'lines' | 'bytes' | 'line' | 'tokens' | 'window';

/** One shown line, or the shown part of an oversized one. */
export interface Line {
  /** 1-based; absent if lines are not counted. */
  readonly no?: number | undefined;
  /** Stored byte offset of the shown part: half-open [start, end), terminator included. */
  readonly start: number;
  readonly end: number;
  /** Decoded, terminator included, controls untouched. */
  readonly text: string;
  /** The text is only printable ASCII, tabs and line ends: each character is one byte and shown unchanged. */
  readonly ascii?: true | undefined;
  readonly role: 'asked' | 'context';
  /** For a run of equal lines that is shown as its last one; `no`, `start` and `end` are those of the run. */
  readonly folded?: FoldedRun | undefined;
  /** `slice`: a part of an oversized line; `clip`: its head, the rest left out; absent for whole lines. */
  readonly cut?: 'slice' | 'clip' | undefined;
}

export interface FoldedRun {
  /** Lines of the run, the shown one included. */
  readonly count: number;
  /** `artifact://N`: where all of them are. */
  readonly url: string;
}

/** Where the next call begins. */
export type Next =
  | { readonly kind: 'lines'; readonly ranges: readonly Range[]; readonly inside?: number | undefined }
  | { readonly kind: 'bytes'; readonly start: number; readonly length?: number | undefined }
  | { readonly kind: 'tail'; readonly lines: number; readonly before: number };

/** What a window yielded within the limits. */
export interface Excerpt {
  /** One part for each range; a part's lines are contiguous. */
  readonly parts: readonly (readonly Line[])[];
  /** Of the whole text: bytes as stored; lines where they are counted. */
  readonly totals: { readonly bytes?: number | undefined; readonly lines?: number | undefined };
  /** The limit that cut the excerpt; absent when the window was shown to its end. `window`: the length of a byte window. */
  readonly cutBy?: CutBy | undefined;
  /** Present when requested text follows (or, for a tail, precedes) the shown part. */
  readonly next?: Next | undefined;
  /** Set when nothing could be shown because the window is past the end. */
  readonly pastEnd?: boolean | undefined;
  /** The number of the last line, if a requested range is beyond it, at least in part. */
  readonly lastLine?: number | undefined;
  /** The oversized line that was cut, refused or left out. `bytes`: its stored length, if it was counted. */
  readonly oversized?:
    | { readonly no?: number | undefined; readonly start: number; readonly bytes?: number | undefined }
    | undefined;
  /** The last shown line is cut at byte `at`, where a tail was told to end. `rest` shows what follows in this line. */
  readonly cutEnd?: { readonly at: number; readonly rest: Next } | undefined;
  /** Invalid sequences that were shown as U+FFFD. */
  readonly invalid: number;
  /** Stored bytes of the requested lines, half-open. */
  readonly span?: { readonly start: number; readonly end: number } | undefined;
  /** Set when the fit refuses texts that are too large: this limit was exceeded, and nothing is shown. */
  readonly refusedBy?: CutBy | undefined;
  /** The shown bytes contain a NUL, in a text without 16- or 32-bit units. */
  readonly hasNul?: boolean | undefined;
  /** The last line of the text was shown and has no terminator. */
  readonly unterminated?: boolean | undefined;
}

// What the selector after a path asks for.

export type SelectionMode = 'raw' | 'conflicts' | 'outline' | 'outputs' | 'meta';

export interface Selection {
  /** Absent: the whole text (or its summary). */
  readonly window?: Window | undefined;
  /** `raw`: the decoded text unchanged. The others are views that a source or the engine derives. */
  readonly mode?: SelectionMode | undefined;
  /** What follows the first `#`: `Server.start`, or a list as `a,#Server.start,120..140`. */
  readonly symbol?: string | undefined;
  /** `:encoding=shift_jis`: the encoding of the text, by its WHATWG name. */
  readonly encoding?: string | undefined;
  /** As typed, for messages. */
  readonly typed?: string | undefined;
}

// How a line is shown. The displays themselves are in render/.

export interface LineDisplay {
  /** Maximum bytes of the prefix of a line; 0 when absent. */
  readonly prefix?: number | undefined;
  /** The line as shown, its terminator included. */
  show(line: Line): string;
  /** Bytes of the result of `show`; measured on that result when absent. */
  cost?(line: Line): number;
  /** A piece of text as shown, without a prefix. */
  text(text: string): string;
}

/**
 * `terminal`: escape sequences and overwritten progress bars are removed. `stream`: the decoded text unchanged; its cost
 * is the number of its stored bytes.
 */
export type OutputDisplay = 'terminal' | 'stream';

// How a dialect shows text, as data: its display, and what happens to long lines and long texts.

export type LongLine =
  /** A line over the budget is shown in slices; each call continues inside it. */
  | { readonly kind: 'slice' }
  /** A line over the budget is not shown and ends the answer. */
  | { readonly kind: 'stop' }
  /** A line over `at` (code points, or bytes as shown) is shown up to there; a display may put a marker after it. */
  | { readonly kind: 'clip'; readonly at: number; readonly unit: 'byte' | 'char' };

export interface TextPolicy {
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** When absent, the display of the host's settings. */
  readonly display?: LineDisplay | undefined;
  /** The `\n` does not count for the length of a line when oversized lines are detected. */
  readonly bareLines?: boolean | undefined;
  /** Bytes of a line as shown, if the dialect adds to what the display shows (joiners, envelopes). The unit of its limits is `bytes`. */
  cost?(line: Line): number;
}

// The limits of an answer.

/** The budget of one answer. All limits are inclusive and count what is shown, prefixes and escapes included. */
export interface Limits {
  /** Lines of one answer. */
  readonly lines: number;
  /** Lines of any answer, including lists, byte windows, context and gaps. Infinity for no limit. */
  readonly answerLines: number;
  /** What `bytes` and `line` count of the shown text; bytes when absent, and of windows and files always. A dialect with `bytes` keeps it. */
  readonly unit?: LimitUnit | undefined;
  /** Bytes of UTF-8 of one answer; notices come on top (1 KiB at most). */
  readonly bytes: number;
  /** Bytes of one line: a longer one is cut, dropped or refused as the fit says. */
  readonly line: number;
  /** Estimated tokens of one answer; Infinity for no such limit. */
  readonly tokens: number;
  /** Bytes of a byte window without a length. */
  readonly window: number;
  /** The most bytes a byte window may have. */
  readonly windowMax: number;
  /** Lines are counted in files up to this many bytes; for larger files answers use byte offsets. */
  readonly countBytes: number;
}

export type LimitName = Exclude<keyof Limits, 'unit'>;

/** Bytes of UTF-8, or UTF-16 code units, which most hosts count. */
export type LimitUnit = 'bytes' | 'characters';

/** Tokens of a text. */
export type TokenCounter = (text: string) => number;

// The encoding of a text, and the scanner that finds its newlines in stored bytes.

export interface TextEncoding {
  /** The name of the WHATWG Encoding standard, in lower case. */
  readonly name: UnicodeName | (string & {});
  /** How the encoding was determined, if not from a byte order mark or the first bytes. */
  readonly known?: 'declared' | 'told' | 'guessed' | undefined;
  /** Another encoding to try if the text has invalid sequences in this one. */
  readonly perhaps?: string | undefined;
  /** Not Unicode. */
  readonly legacy?: true | undefined;
  /** Bytes of a code unit. */
  readonly unit: 1 | 2 | 4;
  /** Bytes of the byte order mark at the start of the text; 0 if there is none. */
  readonly bom: number;
  readonly scanner: NewlineScanner;
}

export type UnicodeName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/** Counts and finds newlines. Works on bytes for UTF-8 and single-byte encodings, on code units for UTF-16 and UTF-32. */
export interface NewlineScanner {
  /** The number of newlines in `bytes`. */
  count(bytes: Uint8Array): number;
  /** The position just after the k-th newline (k ≥ 1) in `bytes` at or after `from`, or -1 when it holds fewer. */
  after(bytes: Uint8Array, k: number, from?: number): number;
}

/**
 * An object under construction: setting fields one by one is cheaper than spreading parts, and this runs in
 * every read.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

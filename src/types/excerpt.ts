/** Windows and excerpts: the requested part of a text, and the lines and facts that a read returns. */

/** Lines `from` to `to`, 1-based and inclusive; without `to`, to the end. */
export interface Range {
  readonly from: number;
  readonly to?: number;
}

export type Window =
  /**
   * Sorted, merged ranges. `context` lines may be shown around constrained sides. `inside`: the first range
   * begins at this byte (0-based) inside its first line, which is oversized and of which the part before has
   * been shown. `around`: this line was requested, and the range is its context.
   */
  | {
      readonly by: 'lines';
      readonly ranges: readonly Range[];
      readonly context: boolean;
      readonly inside?: number;
      readonly around?: number;
    }
  /** `length` bytes from byte `start` (0-based), rounded to whole lines. */
  | { readonly by: 'bytes'; readonly start: number; readonly length?: number }
  /**
   * Everything from line `from` (1-based) on; if that is more than `most` lines, the first and the last ones,
   * in two parts.
   */
  | { readonly by: 'ends'; readonly from: number; readonly most: number }
  /** The last `lines` lines, or the last `lines` lines that end at or before byte `before`. */
  | { readonly by: 'tail'; readonly lines: number; readonly before?: number };

export type CutBy = 'lines' | 'bytes' | 'line' | 'tokens' | 'window';

/** One shown line, or the shown part of an oversized one. */
export interface Line {
  /** 1-based; absent if lines are not counted. */
  readonly no?: number;
  /** Stored byte offset of the shown part: half-open [start, end), terminator included. */
  readonly start: number;
  readonly end: number;
  /** Decoded, terminator included, controls untouched. */
  readonly text: string;
  /** The text is only printable ASCII, tabs and line ends: each character is one byte and shown unchanged. */
  readonly ascii?: true;
  readonly role: 'asked' | 'context';
  /** `slice`: a part of an oversized line; `clip`: its head, the rest left out; absent for whole lines. */
  readonly cut?: 'slice' | 'clip';
}

/** Where the next call begins. */
export type Next =
  | { readonly by: 'lines'; readonly ranges: readonly Range[]; readonly inside?: number }
  | { readonly by: 'bytes'; readonly start: number; readonly length?: number }
  | { readonly by: 'tail'; readonly lines: number; readonly before: number };

/** What a window yielded within the limits. */
export interface Excerpt {
  /** One part for each range; a part's lines are contiguous. */
  readonly parts: readonly (readonly Line[])[];
  /** Of the whole text: bytes as stored; lines where they are counted. */
  readonly totals: { readonly bytes?: number; readonly lines?: number };
  /** The limit that cut the excerpt; absent when the window was shown to its end. `window`: the length of a byte window. */
  readonly cutBy?: CutBy;
  /** Present when requested text follows (or, for a tail, precedes) the shown part. */
  readonly next?: Next;
  /** Set when nothing could be shown because the window is past the end. */
  readonly pastEnd?: boolean;
  /** The number of the last line, if a requested range is beyond it, at least in part. */
  readonly lastLine?: number;
  /** The oversized line that was cut, refused or left out. `bytes`: its stored length, if it was counted. */
  readonly oversized?: { readonly no?: number; readonly start: number; readonly bytes?: number };
  /** The last shown line is cut at byte `at`, where a tail was told to end. `rest` shows what follows in this line. */
  readonly cutEnd?: { readonly at: number; readonly rest: Next };
  /** Invalid sequences that were shown as U+FFFD. */
  readonly invalid: number;
  /** Stored bytes of the requested lines, half-open. */
  readonly span?: { readonly start: number; readonly end: number };
  /** Set when the fit refuses texts that are too large: this limit was exceeded, and nothing is shown. */
  readonly refusedBy?: CutBy;
  /** The shown bytes contain a NUL, in a text without 16- or 32-bit units. */
  readonly hasNul?: boolean;
  /** The last line of the text was shown and has no terminator. */
  readonly unterminated?: boolean;
}

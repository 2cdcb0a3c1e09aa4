/** The answer of a tool: the same shape from every face. */

import type { ErrorCode } from '../errors.ts';
import type { CutBy, Limits, Range } from './excerpt.ts';

export interface Answer {
  readonly content: readonly Block[];
  /**
   * Facts about the answer, plain JSON. `truncation.next`: for `read` a string, the `path` of the next call; for `grep`, `find` and
   * `ls` an object with the fields that change. `error.next`: always a string, the `path` for `read`, otherwise all fields as JSON.
   */
  readonly details: AnswerDetails;
  readonly isError: boolean;
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

// The facts beside an answer: the fields of `details` that programs use. Each answer has further facts.

/** Plain JSON. Dialects other than `oriel` have facts of their own beside these, or in their place. */
export interface AnswerDetails {
  /** Present if more follows. */
  readonly truncation?: Truncation | undefined;
  /** Of a failure, of a failed command, and of a window past the end of a text. */
  readonly error?: ErrorDetails | undefined;
  /** The notices of the text, in its order. */
  readonly notices?: readonly NoticeDetails[] | undefined;
  /** The size of the whole text, where it is known. */
  readonly totals?: { readonly bytes?: number | undefined; readonly lines?: number | undefined } | undefined;
  /** The details of each path, if several were read in one call. */
  readonly parts?: readonly AnswerDetails[] | undefined;
  readonly [fact: string]: unknown;
}

export interface Truncation {
  /**
   * The limit that cut the answer. `page`: this is a page of a longer list. `entries`: not all entries of a directory are
   * listed. `limit`: the field `limit` of the call.
   */
  readonly by?: CutBy | 'page' | 'entries' | 'limit' | undefined;
  /**
   * For `read` the `path` of the next call; for `grep`, `find` and `ls` the fields that change. Other dialects have other forms.
   */
  readonly next?: string | Readonly<Record<string, unknown>>;
  /** Calls for what else was left out. */
  readonly others?: readonly string[] | undefined;
  /** What of the text is shown. */
  readonly shown?: Shown | undefined;
  readonly [fact: string]: unknown;
}

export interface Shown {
  /** Runs of lines, 1-based and inclusive. */
  readonly lines?: readonly (readonly [from: number, to: number])[] | undefined;
  /** Stored bytes, 0-based and half-open. */
  readonly bytes?: readonly [from: number, to: number] | undefined;
}

export interface ErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  /** A call that works instead: the `path` for `read`, otherwise all fields as JSON. */
  readonly next?: string | undefined;
}

export interface NoticeDetails {
  readonly kind: string;
  readonly text: string;
}

// The messages beside the text of an answer, as data. The sentences are in render/notices.ts.

/** Byte spans are 0-based and half-open, line spans 1-based and inclusive. */
export type Notice =
  /** More follows. */
  | {
      readonly kind: 'cut';
      readonly lines: readonly (readonly [number, number])[];
      readonly bytes?: readonly [number, number] | undefined;
      readonly totals: { readonly lines?: number | undefined; readonly bytes?: number | undefined };
      readonly by: CutBy;
      readonly limits: Limits;
      /** The unit of the span. */
      readonly in: 'lines' | 'bytes';
      /** The oversized line that the answer ends in. */
      readonly inside?: { readonly no?: number | undefined; readonly bytes?: number | undefined } | undefined;
      readonly backwards?: boolean | undefined;
      /** The exact `path` of the next call. */
      readonly use: string;
    }
  /** The window ends at this byte, inside the last shown line; `use` shows the rest of the line. */
  | {
      readonly kind: 'cut-end';
      readonly line?: number | undefined;
      readonly byte: number;
      readonly use: string;
    }
  | {
      readonly kind: 'past-end';
      readonly target: string;
      readonly asked: string;
      /** The requested line, which exists but ends before the byte in it that was requested. */
      readonly line?: number | undefined;
      /** The call for what follows this text: it is one page of a longer list. */
      readonly continued?: string | undefined;
      readonly totals: { readonly lines?: number | undefined; readonly bytes?: number | undefined };
      readonly use: readonly string[];
    }
  | { readonly kind: 'empty'; readonly target: string }
  /** A range reaches beyond the last line. `missing`: the ranges that are completely beyond it. */
  | {
      readonly kind: 'short';
      readonly target: string;
      readonly last: number;
      readonly missing?: readonly Range[] | undefined;
    }
  /** One line was requested and is shown with its context; `use` continues after the context. */
  | { readonly kind: 'around'; readonly line: number; readonly use: string }
  | {
      readonly kind: 'binary';
      readonly target: string;
      readonly type: string;
      readonly bytes?: number | undefined;
      /** The call that lists its members, if it is a container, or that shows it if it is nearly a text. */
      readonly use?: string | undefined;
      readonly isNearlyText?: boolean | undefined;
    }
  /** `use` shows them as stored; absent if no call does. */
  | {
      readonly kind: 'escaped';
      readonly count: number;
      readonly use?: string | undefined;
      /** Some are NUL, which is shown as an escape in the raw text too. */
      readonly nul?: boolean | undefined;
    }
  /** `use` decodes the text with another encoding. */
  | {
      readonly kind: 'invalid';
      readonly count: number;
      readonly encoding: string;
      readonly use?: string | undefined;
    }
  | { readonly kind: 'encoding'; readonly encoding: string; readonly mark: boolean }
  /** The text declares it. */
  | { readonly kind: 'encoding'; readonly encoding: string; readonly declared: true }
  /** It was guessed; `use` shows the text as UTF-8. */
  | { readonly kind: 'encoding'; readonly encoding: string; readonly guessed: true; readonly use: string }
  | { readonly kind: 'unterminated' }
  | { readonly kind: 'changed'; readonly target: string }
  | { readonly kind: 'suffix'; readonly from: string; readonly to: string }
  /** A command's output is shown in part. */
  | {
      readonly kind: 'output-cut';
      /** The name of the stream; absent if stdout and stderr are merged. */
      readonly stream?: string | undefined;
      readonly lines: readonly (readonly [number, number])[];
      readonly totals: { readonly lines: number; readonly bytes: number };
      readonly by: CutBy;
      readonly limits: Limits;
      /** The line of which only the end is shown, with its length in bytes. */
      readonly partial?: { readonly no: number; readonly shown: number; readonly bytes: number } | undefined;
      readonly kept?: KeptOutput | undefined;
      /** Why it is not kept, as a sentence. */
      readonly unkept?: string | undefined;
      /** The exact `path` of the next call. */
      readonly use?: string | undefined;
    }
  /** A command's output is not text and is not shown. */
  | {
      readonly kind: 'output-binary';
      readonly bytes: number;
      readonly kept?: KeptOutput | undefined;
      readonly unkept?: string | undefined;
    }
  | { readonly kind: 'no-output' }
  /** How a command ended, if it failed. */
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'time-out'; readonly seconds: number }
  | { readonly kind: 'cancelled' }
  /** The timeout of a command was over the maximum. Both are seconds. */
  | { readonly kind: 'timeout-capped'; readonly asked: number; readonly seconds: number }
  /** Processes that outlived their command. */
  | { readonly kind: 'background'; readonly ended: number; readonly left: number }
  /** Shown below a map: how much was left out, and the calls that show it. */
  | {
      readonly kind: 'summary';
      readonly target: string;
      readonly elidedLines: number;
      /** A call that shows exactly the first lines that were left out: at most three ranges. */
      readonly use: string;
      /** The call for the whole text, if the text fits into an answer. */
      readonly whole?: string | undefined;
      /** Number of symbols that did not fit. */
      readonly left?: number | undefined;
      /** Whether the map names calls by their selector only. */
      readonly namesCalls?: boolean | undefined;
    }
  /** Shown below the map of a log: what its lines are. */
  | {
      readonly kind: 'log';
      readonly lines: number;
      /** Shapes of lines that are equal up to numbers, times and names. */
      readonly shapes: number;
      /** Lines that report errors, warnings and failures, and their shapes. */
      readonly reports: number;
      readonly reportShapes: number;
      /** The first and the last time, as written. */
      readonly times?: readonly [string, string] | undefined;
      /** Whether only the beginning, the end and samples between were counted. */
      readonly isSampled: boolean;
      /** First and last lines of reports that are not shown, and the call that reads them. */
      readonly hidden: number;
      readonly use?: string | undefined;
    }
  /** Shown below an outline: how much it lists, and how to read one of its symbols. */
  | {
      readonly kind: 'outline';
      readonly target: string;
      readonly symbols: number;
      /** Number of symbols that did not fit. */
      readonly left?: number | undefined;
      /** Their first line. */
      readonly leftFrom?: number | undefined;
      readonly example?: { readonly name: string; readonly from: number; readonly to: number } | undefined;
    }
  /** The text is shown instead of its map; only `bytes` of it if they are given. */
  | {
      readonly kind: 'no-structure';
      readonly what: 'map';
      readonly why: NoStructure;
      readonly bytes?: number | undefined;
    }
  /** There is no outline: the answer to a call that asked for it. */
  | {
      readonly kind: 'no-structure';
      readonly what: 'outline';
      readonly why: NoStructure;
      readonly target: string;
    }
  /** A name that matches several symbols. */
  | {
      readonly kind: 'symbols';
      readonly target: string;
      readonly name: string;
      readonly candidates: readonly { readonly name: string; readonly use: string }[];
      /** Number of candidates that are not listed. */
      readonly more: number;
      /** The lines of all of them are shown. */
      readonly shown?: boolean | undefined;
    }
  /** A sentence written by a source about its own facts, without brackets and without a final full stop. */
  | {
      readonly kind: 'said';
      readonly text: string;
      readonly use?: string | undefined;
      /** Further calls that the sentence names. */
      readonly calls?: readonly string[] | undefined;
    };

/** Where a full output is kept. */
interface KeptOutput {
  readonly path: string;
  readonly url: string;
  /** Bytes kept. */
  readonly bytes: number;
  /** More was written than is kept. */
  readonly capped: boolean;
  /** Why other replicas cannot read it, if kept outputs are shared. */
  readonly unshared?: string | undefined;
}

/** Why a text has no map or outline; the sentences are in render/notices.ts. */
export type NoStructure =
  /** No grammar or scanner for this kind of text, or it holds no symbols. */
  | 'language'
  | 'empty'
  | 'binary'
  | 'minified'
  | 'size'
  /** Too many bytes or lines for a map. */
  | 'long'
  /** A map of it would be no shorter. */
  | 'dense'
  /** The parser exceeded its timeout. */
  | 'time'
  /** The parser crashed: it ran out of stack or memory. */
  | 'crash';

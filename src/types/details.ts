/** The facts beside an answer: the fields of `details` that programs use. Each answer has further facts. */

import type { ErrorCode } from '../errors.ts';
import type { CutBy } from './excerpt.ts';

/** Plain JSON. Dialects other than `oriel` have facts of their own beside these, or in their place. */
export interface AnswerDetails {
  /** Present if more follows. */
  readonly truncation?: Truncation;
  /** Of a failure, of a failed command, and of a window past the end of a text. */
  readonly error?: ErrorDetails;
  /** The notices of the text, in its order. */
  readonly notices?: readonly NoticeDetails[];
  /** The size of the whole text, where it is known. */
  readonly totals?: { readonly bytes?: number; readonly lines?: number };
  /** The details of each path, if several were read in one call. */
  readonly parts?: readonly AnswerDetails[];
  readonly [fact: string]: unknown;
}

export interface Truncation {
  /**
   * The limit that cut the answer. `page`: this is a page of a longer list. `entries`: not all entries of a directory are
   * listed. `limit`: the field `limit` of the call.
   */
  readonly by?: CutBy | 'page' | 'entries' | 'limit';
  /**
   * For `read` the `path` of the next call; for `grep`, `find` and `ls` the fields that change. Other dialects have other forms.
   */
  readonly next?: string | Readonly<Record<string, unknown>>;
  /** Calls for what else was left out. */
  readonly others?: readonly string[];
  /** What of the text is shown. */
  readonly shown?: Shown;
  readonly [fact: string]: unknown;
}

export interface Shown {
  /** Runs of lines, 1-based and inclusive. */
  readonly lines?: readonly (readonly [from: number, to: number])[];
  /** Stored bytes, 0-based and half-open. */
  readonly bytes?: readonly [from: number, to: number];
}

export interface ErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  /** A call that works instead: the `path` for `read`, otherwise all fields as JSON. */
  readonly next?: string;
}

export interface NoticeDetails {
  readonly kind: string;
  readonly text: string;
}

/** The answer of a tool: the same shape from every face. */

import type { AnswerDetails } from './details.ts';

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

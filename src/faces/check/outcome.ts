/** The outcomes of a case that did not pass. */

import type { Call, Answer } from './server-answer.ts';
import { excerpt, shortened } from './evidence-excerpt.ts';

/** What shows that a law is violated. */
export interface Evidence {
  /** The call; long texts in its arguments are cut. */
  readonly call?: Call;
  /** A part of the answer, escaped. */
  readonly answer?: string;
  /** Files that were changed: `new: work/a.txt`. */
  readonly changes?: readonly string[];
}

export interface BrokenOptions extends ErrorOptions {
  /** The answer that shows it. */
  readonly answer?: Answer | undefined;
  /** The call, if it has no answer. */
  readonly call?: Call | undefined;
  /** The text that shows it, if it is not the text of the answer. */
  readonly text?: string | undefined;
  /** Index in the text of what violates the law. */
  readonly at?: number | undefined;
  readonly changes?: readonly string[];
  /** The evidence of the error that this one replaces. */
  readonly evidence?: Evidence | undefined;
}

/** A law is violated: the message says what happened. */
export class Broken extends Error {
  readonly evidence: Evidence;

  constructor(
    message: string,
    { answer, call = answer?.call, text, at, changes, evidence, ...options }: BrokenOptions = {},
  ) {
    super(message, options);
    const shown = text ?? answer?.text;
    this.evidence = evidence ?? {
      ...(call && { call: shortened(call) }),
      ...(shown !== undefined && { answer: excerpt(shown, at) }),
      ...(changes && { changes }),
    };
  }
}

/** The case cannot be tried: the message says why. */
export class Skipped extends Error {}

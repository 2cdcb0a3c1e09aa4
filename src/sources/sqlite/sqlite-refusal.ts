/** A refusal of a call, before it is converted to an error for the caller. */

import type { ErrorCode } from '../../errors.ts';

/** The message may contain stored names, which are escaped when it is shown. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** The part after the database's path in a next call: `":users?limit=20"`, `""`. */
  readonly rest: string | undefined;

  /** `message` is a sentence without its full stop. */
  constructor(code: ErrorCode, message: string, rest?: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.rest = rest;
  }
}

export const TOO_LONG =
  'The query took too long and was stopped; a smaller limit, or a where on an indexed column, is quicker';

/** The most characters of the caller's text that a message repeats. */
const ECHO = 200;

export function echo(typed: string): string {
  return typed.length > ECHO ? `${typed.slice(0, ECHO)}…` : typed;
}

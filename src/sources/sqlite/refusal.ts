/** Owns a call that cannot be answered, before it is told to the caller. */

import type { ErrorCode } from '../../errors.ts';

/** Its words may hold names as they are stored: they are escaped where they are shown. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** What follows the database's path in a call that works: `":users?limit=20"`, `""`. */
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

/** Characters of what a caller typed that come back in a message. */
const ECHO = 200;

export function echo(typed: string): string {
  return typed.length > ECHO ? `${typed.slice(0, ECHO)}…` : typed;
}

/** Owns what a failure is: a stable code, one sentence for the model, and the call to make instead. */

/** Stable across releases: hosts may branch on these. */
export type ErrorCode =
  | 'OUTSIDE_ROOT'
  | 'NOT_FOUND'
  | 'NOT_REGULAR'
  | 'NOT_DIRECTORY'
  | 'IS_DIRECTORY'
  | 'DENIED'
  | 'LOOP'
  | 'BAD_PATH'
  | 'NAME_TOO_LONG'
  | 'BAD_SELECTOR'
  | 'BAD_INPUT'
  | 'OUT_OF_RANGE'
  | 'BAD_REGEX'
  | 'BAD_QUERY'
  | 'READ_ONLY'
  | 'SQL_ERROR'
  | 'BUSY'
  | 'TIMEOUT'
  | 'CANCELLED'
  | 'LIMIT'
  | 'CORRUPT'
  | 'ENCRYPTED'
  | 'UNSUPPORTED'
  | 'EXIT'
  | 'BLOCKED_ADDRESS'
  | 'BLOCKED_PORT'
  | 'REDIRECT'
  | 'NETWORK'
  | 'TLS'
  | 'INCOMPLETE'
  | 'INTERNAL';

export class OrielError extends Error {
  readonly code: ErrorCode;
  /** A call that works instead, as its exact argument (for `read`: the `path`). */
  readonly next: string | undefined;

  /** `message` is one sentence; anything a caller typed has gone through `quote`. */
  constructor(code: ErrorCode, message: string, next?: string) {
    super(message);
    this.name = 'OrielError';
    this.code = code;
    this.next = next;
  }
}

export function isOrielError(error: unknown): error is OrielError {
  return error instanceof OrielError;
}

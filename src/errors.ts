/** Errors with an explanation for the model: a stable code, one sentence, and a call that works instead. */

/** Stable across releases: hosts may compare them. */
export type ErrorCode =
  | 'OUTSIDE_ROOT'
  | 'NOT_FOUND'
  | 'NOT_REGULAR'
  | 'NOT_DIRECTORY'
  | 'IS_DIRECTORY'
  | 'DENIED'
  | 'PRIVATE'
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
  | 'HOST'
  | 'INTERNAL';

interface OrielErrorOptions {
  /** A call that works instead, as its exact argument (for `read`: the `path`). */
  readonly next?: string | undefined;
  /** The original error, if this one replaces it. */
  readonly cause?: unknown;
  /** What was wrong: `message` without the advice at its end. */
  readonly why?: string | undefined;
  readonly glob?: GlobInPath | undefined;
}

/** The path does not exist because it has a glob, which is no part of a path. Each tool says in which field it belongs. */
export interface GlobInPath {
  /** The existing directory in front of the glob, as it was typed; `.` if there is none. */
  readonly at: string;
  /** The rest of the path: `*.ts` of `src/*.ts`. Valid, also if the one that was typed is not. */
  readonly glob: string;
}

export class OrielError extends Error {
  readonly code: ErrorCode;
  /** A call that works instead, as its exact argument (for `read`: the `path`). */
  readonly next: string | undefined;
  readonly glob: GlobInPath | undefined;
  readonly #why: string | undefined;

  /** `message`: one sentence, in which everything from a caller is escaped by `quote`. */
  constructor(code: ErrorCode, message: string, options: OrielErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OrielError';
    this.code = code;
    this.next = options.next;
    this.glob = options.glob;
    this.#why = options.why;
  }

  /** The problem alone. Equals `message` if the error was not made by `advised`. */
  get why(): string {
    return this.#why ?? this.message;
  }
}

/** An error with advice after the problem. A caller with a better suggestion builds a new error from `why`. */
export function advised(
  code: ErrorCode,
  why: string,
  advice: string,
  options: Omit<OrielErrorOptions, 'why'> = {},
): OrielError {
  return new OrielError(code, `${why} ${advice}`, { ...options, why });
}

export function isOrielError(error: unknown): error is OrielError {
  return error instanceof OrielError;
}

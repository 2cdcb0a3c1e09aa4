/**
 * Unexpected errors: bugs of oriel, and exceptions thrown by functions of the host. Both are reported to the host.
 */

import { type ErrorCode, isOrielError, OrielError } from '../errors.ts';
import { errno, isShortage } from '../files/system-failure.ts';

/** The context of an unexpected error. */
export interface ErrorContext {
  /** `INTERNAL`, or `HOST` for a function that the host gave. */
  readonly code: ErrorCode;
  /** The tool that was called; absent outside of a call. */
  readonly tool?: string | undefined;
  /** The message that the model, or the client, got instead. */
  readonly message: string;
}

/** Receives every error that an answer does not explain. */
export type OnError = (error: unknown, context: ErrorContext) => void;

/** The error for an exception in a function that the host gave as this option. */
export function hostError(option: string, cause: unknown): OrielError {
  return new OrielError(
    'HOST',
    `The application that offers this tool failed in its own code (${option}). Tell its user; another call may work.`,
    { cause },
  );
}

/** Wraps a function of the host, so that its exceptions get the code `HOST`. */
export function ofHost<Given extends unknown[], Got>(
  option: string,
  callback: (...given: Given) => Got,
): (...given: Given) => Got {
  return (...given) => {
    try {
      return callback(...given);
    } catch (error) {
      throw hostError(option, error);
    }
  };
}

/** Reports an unexpected error to the host. `error` is what the model got; its `cause` is the original error. */
export function report(onError: OnError | undefined, error: OrielError, tool?: string): void {
  if (!onError || (error.code !== 'INTERNAL' && error.code !== 'HOST')) return;
  const { code, message, cause = error } = error;
  try {
    onError(cause, { code, message, ...(tool !== undefined && { tool }) });
  } catch {
    // The host's own error handler failed: there is no other place to report to.
  }
}

/** What the errors of the system mean, by their codes. */
const SYSTEM_ERRORS: Readonly<Record<string, readonly [ErrorCode, message: string]>> = {
  ENOSPC: ['LIMIT', 'A disk is full.'],
  EDQUOT: ['LIMIT', 'A disk is full.'],
  EAGAIN: ['BUSY', 'No process or thread can be started at the moment. Call again.'],
  ENOMEM: ['BUSY', 'The system has no free memory at the moment. Call again.'],
  EIO: ['CORRUPT', 'A disk failed while this was read: input/output error. Call again.'],
};

/**
 * Converts any error to one sentence with a stable code, without a stack or a path outside the roots. `signal` is the
 * caller's: errors after its abort are reported as `CANCELLED`.
 */
export function explained(error: unknown, signal?: AbortSignal): OrielError {
  if (isOrielError(error)) return error;
  if (signal?.aborted) return new OrielError('CANCELLED', 'The call was cancelled.', { cause: error });
  if (isShortage(error))
    return new OrielError('BUSY', 'Too many files are open. Call again.', { cause: error });
  const known = SYSTEM_ERRORS[errno(error)];
  if (known) return new OrielError(...known, { cause: error });
  return new OrielError(
    'INTERNAL',
    'An unexpected error inside oriel ended the call. Try another path or window.',
    { cause: error },
  );
}

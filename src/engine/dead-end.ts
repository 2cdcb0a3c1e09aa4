/** Failures of a path that exists, at least in part, and cannot be opened. */

import { type ErrorCode, OrielError } from '../errors.ts';

const DEAD_ENDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'DENIED',
  'LOOP',
  'NAME_TOO_LONG',
]);

/** The error with a call to make instead, where it names none. */
export function withNextCall(error: OrielError): OrielError {
  if (error.next !== undefined || !DEAD_ENDS.has(error.code)) return error;
  const message = `${error.message} Use . to list the working directory.`;
  return new OrielError(error.code, message, { next: '.', cause: error });
}

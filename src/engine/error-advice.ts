/** Adds a next call to errors about paths that exist, at least in part, but cannot be opened or read. */

import { advised, type ErrorCode, isOrielError, OrielError } from '../errors.ts';
import { shellWord } from '../text/shell.ts';

const DEAD_ENDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'DENIED',
  'LOOP',
  'NAME_TOO_LONG',
]);

/** The error with a next call, if it has none. */
export function withNextCall(error: OrielError): OrielError {
  if (error.next !== undefined || !DEAD_ENDS.has(error.code)) return error;
  return advised(error.code, error.why, 'Use . to list the working directory.', { next: '.', cause: error });
}

/**
 * For a damaged file that no other call can read either, the error advises to inspect it with a shell. A message in
 * brackets stands in place of a document and already says what to do.
 */
export function withShell(error: unknown, typed: string): unknown {
  if (!isOrielError(error) || error.code !== 'CORRUPT' || error.message.startsWith('[')) return error;
  if (error.next !== undefined && error.next !== typed && error.next !== '.') return error;
  const word = shellWord(typed);
  const message = `${error.message} Use a shell to look at it: file ${word}, or xxd ${word} | head -100.`;
  return new OrielError(error.code, message, { cause: error });
}

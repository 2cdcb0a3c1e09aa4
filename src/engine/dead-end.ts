/** Failures of a path that exists, at least in part, and cannot be opened. */

import { type ErrorCode, isOrielError, OrielError } from '../errors.ts';
import { shellWord } from '../text/shell.ts';

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

/**
 * The error for a damaged file, where the call that it names does not read it either: other programs may look at it. What
 * is in brackets in place of a document says itself what to do.
 */
export function withShell(error: unknown, typed: string): unknown {
  if (!isOrielError(error) || error.code !== 'CORRUPT' || error.message.startsWith('[')) return error;
  if (error.next !== undefined && error.next !== typed && error.next !== '.') return error;
  const word = shellWord(typed);
  const message = `${error.message} Use a shell to look at it: file ${word}, or xxd ${word} | head -100.`;
  return new OrielError(error.code, message, { cause: error });
}

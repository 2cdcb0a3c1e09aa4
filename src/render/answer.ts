/** Builds answers from text, facts, notices and errors. */

import { OrielError } from '../errors.ts';
import { oneLine, use } from '../text/visible.ts';
import type { Answer } from '../types/answer.ts';
import type { Notice } from '../types/notice.ts';
import { say, type Wording } from './notices.ts';

export function textAnswer(text: string, details: Record<string, unknown> = {}, isError = false): Answer {
  return { content: [{ type: 'text', text }], details, isError };
}

export function errorAnswer(error: OrielError, details: Record<string, unknown> = {}): Answer {
  const { code, message, next } = error;
  return textAnswer(
    message,
    { ...details, error: { code, message, ...(next !== undefined && { next }) } },
    true,
  );
}

/** Maximum bytes of a call in a sentence. */
const MOST_CALL = 800;

/**
 * Adds the call to make instead (`next`) to the message of the error, because a model sees only the text. The call is whole,
 * or left out: a shortened one cannot be made.
 */
export function withCall(error: OrielError): OrielError {
  const { code, message, next, cause } = error;
  if (next === undefined || /\bUse\b/.test(message)) return error;
  if (oneLine(next) !== next || Buffer.byteLength(next) > MOST_CALL) return error;
  const sentence = next === '.' ? 'Use . to list the working directory.' : use(next);
  return new OrielError(code, `${message} ${sentence}`, { next, cause });
}

/** The text with notices below it, each on a separate line. The last one names the next call. */
export function withNotices(text: string, notices: readonly Notice[], words: Wording): string {
  const said = notices.map((notice) => say(notice, words)).join('\n');
  if (said === '') return text;
  return text === '' || text.endsWith('\n') ? text + said : `${text}\n${said}`;
}

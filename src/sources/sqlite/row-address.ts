/**
 * Encodes tables, keys and SQL in a path after that of the database, and decodes them: percent-encoded where a
 * character has a separate meaning (`a:b` → `a%3Ab`) or is invisible.
 */

import { percentDecode, percentEncode } from '../../text/percent.ts';
import { isHidden } from '../../text/visible.ts';
import { decodeText, encodeText } from './stored-text.ts';

/** The empty name as SQL writes it: nothing after a colon would not be a name. */
const EMPTY = '""';

/** The name of a table or a key, encoded to be between colons. */
export function writeSegment(name: string): string {
  if (name === '') return EMPTY;
  if (name === EMPTY) return EMPTY.replaceAll('"', '%22');
  return encodeWhere(name, (character, at, length) => {
    if ('%:?'.includes(character)) return true;
    // A blank at either end would be lost when the path is trimmed.
    if (character.trim() === '' && (at === 0 || at + character.length === length)) return true;
    return isUnseen(character);
  });
}

/** A value of a query parameter, encoded: `&` would end it, and SQL with blanks counts as not encoded. */
export function writeParameter(value: string): string {
  return encodeWhere(
    value,
    (character) => '%&+:#'.includes(character) || /\s/.test(character) || isUnseen(character),
  );
}

/** The possible meanings of a segment, the likelier first: with its escapes decoded, or as typed. */
export function readSegment(typed: string): string[] {
  if (typed === EMPTY) return ['', EMPTY];
  const decoded = decodePercent(typed);
  return decoded === undefined || decoded === typed ? [typed] : [decoded, typed];
}

/** SQL or a value as typed after `=`: percent-encoded or plain. */
export interface Typed {
  readonly text: string;
  /** Present when escapes were not decoded although they could be meant: `a like '%25'`. */
  readonly note?: string;
}

/** SQL with plus signs for blanks, as HTML forms write them. */
const FORM_ENCODED =
  /^(select|with|values|explain|pragma)\+|\+(and|or|not|in|is|like|glob|between|from|where|order\+by)\+/i;

/** Text with blanks is not encoded. Text without is decoded when all its escapes are valid. */
export function readParameter(name: string, typed: string): Typed {
  if (!/\s/.test(typed)) {
    const spaced = FORM_ENCODED.test(typed) ? typed.replaceAll('+', ' ') : typed;
    return { text: decodePercent(spaced) ?? typed };
  }
  if ([typed, undefined].includes(decodePercent(typed))) return { text: typed };
  return {
    text: typed,
    note: `${name} has blanks, so its %XX were taken as they are; percent-encode all of it to have them decoded`,
  };
}

/** Undefined when a `%` is not followed by two hexadecimal digits. */
function decodePercent(typed: string): string | undefined {
  if (!typed.includes('%')) return typed;
  if (/%(?![0-9a-f]{2})/i.test(typed)) return undefined;
  return decodeText(percentDecode(typed, encodeText));
}

function isUnseen(character: string): boolean {
  return character === '\t' || character === '\n' || isHidden(character);
}

/** Runs of what must be encoded are encoded at once: a name can be a megabyte of it. */
function encodeWhere(text: string, must: (character: string, at: number, length: number) => boolean): string {
  let encoded = '';
  let run = '';
  let at = 0;
  for (const character of text) {
    if (must(character, at, text.length)) run += character;
    else {
      if (run !== '') encoded += percentEncode(encodeText(run));
      run = '';
      encoded += character;
    }
    at += character.length;
  }
  return run === '' ? encoded : encoded + percentEncode(encodeText(run));
}

/** Stored text and names of databases: shown on a line, in the part of a path after the database, and in SQL. */

import { decodeText, encodeText } from '../../text/encoding.ts';
import { isHiddenCharacter, oneLine, percentDecode, percentEncode } from '../../text/visible.ts';

/** The most characters of a name that are shown; SQLite accepts names of a megabyte. */
const MAX_SHOWN_NAME_CHARACTERS = 400;

/** A name or message from the database on one line; a longer one is cut before escaping and ends in `…`. */
export function showName(name: string, most = MAX_SHOWN_NAME_CHARACTERS): string {
  if (name.length <= most) return oneLine(name);
  const cut = /[\ud800-\udbff]/.test(name[most - 1] as string) ? most - 1 : most;
  return `${oneLine(name.slice(0, cut))}…`;
}

// Encodes and decodes tables, keys and SQL in the part of a path after the database. Characters with a special meaning (`a:b`
// → `a%3Ab`) and invisible characters are percent-encoded.

/** The encoding of the empty name, because nothing after a colon would not be a name. */
const EMPTY = '""';

/** Encodes the name of a table or a key as a segment between colons. */
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

/** Encodes the value of a query parameter, including `&` and blanks (text with blanks is read as not encoded). */
export function writeParameter(value: string): string {
  return encodeWhere(
    value,
    (character) => '%&+:#'.includes(character) || /\s/.test(character) || isUnseen(character),
  );
}

/** The possible meanings of a segment, most likely first: with escapes decoded, or as typed. */
export function readSegment(typed: string): string[] {
  if (typed === EMPTY) return ['', EMPTY];
  const decoded = decodePercent(typed);
  return decoded === undefined || decoded === typed ? [typed] : [decoded, typed];
}

/** SQL or a value that was typed after `=`, percent-encoded or plain. */
interface TypedParameter {
  readonly text: string;
  /** A note if possible escapes were not decoded: `a like '%25'`. */
  readonly note?: string | undefined;
}

/** Matches SQL with plus signs for blanks, as in HTML forms. */
const FORM_ENCODED =
  /^(select|with|values|explain|pragma)\+|\+(and|or|not|in|is|like|glob|between|from|where|order\+by)\+/i;

/** Decodes a value. Text with blanks is not encoded; text without blanks is decoded if all its escapes are valid. */
export function readParameter(name: string, typed: string): TypedParameter {
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

/** Undefined if a `%` is not followed by two hexadecimal digits. */
function decodePercent(typed: string): string | undefined {
  if (!typed.includes('%')) return typed;
  if (/%(?![0-9a-f]{2})/i.test(typed)) return undefined;
  return decodeText(percentDecode(typed, encodeText));
}

function isUnseen(character: string): boolean {
  return character === '\t' || character === '\n' || isHiddenCharacter(character);
}

/** Percent-encodes the characters that `must` selects. Runs of them are encoded together, because a name can be megabytes. */
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

/** The quoted identifier of a name. Not for names with NUL, at which SQL text ends. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Compares names as SQLite does: it ignores only the case of ASCII letters. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

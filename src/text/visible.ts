/**
 * Makes control, bidirectional and invisible characters visible as escapes like `\x1b` or `\u202e`: no text can control
 * a terminal, reorder a line or contain words that only a model reads.
 */

const SUSPECT = /[\0-\x08\v-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

/** The fast path: most text is printable ASCII and needs no escapes. */
const NOT_PLAIN = /[^\t\n\r\x20-\x7e]|\r(?!\n)/;

export interface Visible {
  readonly text: string;
  /** How many characters were replaced. */
  readonly escaped: number;
}

/** Escapes every hidden character; `\n`, `\t` and the `\r` of a CRLF are kept. */
export function makeVisible(text: string): Visible {
  if (isPlain(text)) return { text, escaped: 0 };
  let escaped = 0;
  const shown = text.replace(SUSPECT, (character, at: number) => {
    if (isInnocent(character, text, at)) return character;
    escaped += 1;
    return escapeCharacter(character);
  });
  return { text: shown, escaped };
}

/** Bytes of UTF-8 that the visible text takes. */
export function visibleBytes(text: string): number {
  return isPlain(text) ? text.length : Buffer.byteLength(makeVisible(text).text);
}

/** Whether every character of the text is visible and one byte long. */
function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** The number of characters at the start of `text` that are visible and one byte long. */
export function plainHead(text: string): number {
  const at = text.search(NOT_PLAIN);
  return at === -1 ? text.length : at;
}

/** Escapes NUL, in verbatim text too: consumers of answers do not accept it. */
export function escapeNul(text: string): Visible {
  const parts = text.split('\0');
  return { text: parts.join('\\x00'), escaped: parts.length - 1 };
}

/** Joiners and variation selectors are ordinary text between certain characters. */
function isInnocent(character: string, text: string, at: number): boolean {
  const code = character.codePointAt(0) as number;
  if (code === 0x0d) return text[at + 1] === '\n';
  if (code === 0x200d || code === 0x200c) {
    const before = lastCodePoint(text, at);
    const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
    if (code === 0x200d && /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(before)) {
      return /^\p{Extended_Pictographic}$/u.test(after);
    }
    return JOINING.test(before) && JOINING.test(after);
  }
  if (code >= 0xfe00 && code <= 0xfe0f)
    return /^[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]$/u.test(lastCodePoint(text, at));
  return false;
}

/** Scripts whose letters change shape by U+200C and U+200D. */
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}\p{M}]$/u;

function lastCodePoint(text: string, before: number): string {
  const low = text.charCodeAt(before - 1);
  const start = low >= 0xdc00 && low <= 0xdfff ? before - 2 : before - 1;
  return text.slice(Math.max(0, start), before);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** Characters of the caller's text that a message repeats. */
const ECHO = 200;

/** The caller's text on one line, safe to print and short. */
export function quote(typed: string): string {
  const short = typed.length > ECHO ? `${typed.slice(0, ECHO).toWellFormed()}…` : typed.toWellFormed();
  return oneLine(short);
}

/** A name on one line: as `makeVisible`, with line breaks and tabs escaped too. */
export function oneLine(name: string): string {
  return makeVisible(name).text.replace(/[\r\n\t]/g, (character) => ESCAPES[character] as string);
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

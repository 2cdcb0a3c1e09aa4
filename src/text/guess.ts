/**
 * Guesses the encoding of a text that is not UTF-8 and declares none. The guess comes from a library of letter
 * frequencies. It is accepted if the library clearly prefers it to all others and the decoded text looks like words.
 */

import { isUtf8 } from 'node:buffer';
import { decodeLegacy, encodingName } from './legacy.ts';

/** The function of a library: encodings by WHATWG name, the most likely first, each with a confidence from 0 to 100. */
export type Analyse = (
  bytes: Uint8Array,
) => readonly { readonly name: string; readonly confidence: number }[];

export interface Guess {
  /** The WHATWG name of the encoding, if the guess is accepted. */
  readonly sure?: string;
  /** The most likely encoding, if the guess is not accepted. */
  readonly perhaps?: string;
}

/** The guess uses only this many bytes from the start of a text. */
export const GUESSED_BY = 64 << 10;

/** Bytes of non-ASCII lines that are analysed: more do not improve a guess. */
const SAMPLE = 4 << 10;

/** Minimum confidence of the best guess, minimum lead over the next one, and minimum number of non-ASCII letters. */
const LEAST = { confidence: 20, lead: 20, letters: 6 };

/** Whether `head` is valid UTF-8, apart from a truncated character at its end. */
export function isUtf8Start(head: Uint8Array): boolean {
  if (isUtf8(head)) return true;
  const whole = head.length - cutAtEnd(head);
  return whole < head.length && isUtf8(head.subarray(0, whole));
}

/** Bytes at the end that may be a truncated UTF-8 character. */
function cutAtEnd(head: Uint8Array): number {
  for (let cut = 1; cut <= 3; cut += 1) {
    const byte = head[head.length - cut] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return length > cut ? cut : 0;
  }
  return 0;
}

/** `start`: the first bytes of the text, at least `GUESSED_BY` of them or all. An empty object for UTF-8. */
export function guessOf(start: Uint8Array, analyse: Analyse): Guess {
  const within = start.subarray(0, GUESSED_BY);
  if (isUtf8Start(within)) return {};
  const sample = foreignLines(within);
  const found: { readonly name: string; readonly confidence: number; readonly text: string }[] = [];
  for (const { name: label, confidence } of analyse(sample)) {
    const name = encodingName(label);
    if (name === undefined || name.startsWith('utf-')) continue;
    const text = decodeLegacy(sample, name);
    // Encodings that decode to the same text count as one.
    if (found.every((other) => other.text !== text)) found.push({ name, confidence, text });
  }
  const [first] = found;
  const [best, next] = found.filter(({ text }) => readsLikeWords(text));
  if (!best) return {};
  const isSure =
    best === first &&
    best.confidence >= LEAST.confidence &&
    best.confidence - (next?.confidence ?? 0) >= LEAST.lead &&
    (best.text.match(FOREIGN_LETTER) ?? []).length >= LEAST.letters;
  return isSure ? { sure: best.name } : { perhaps: best.name };
}

/** The lines with non-ASCII bytes, up to `SAMPLE` bytes. */
function foreignLines(bytes: Uint8Array): Buffer {
  const lines: Uint8Array[] = [];
  let left = SAMPLE;
  for (let at = 0; at < bytes.length && left > 0;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(at, Math.min(end, at + left));
    at = end;
    if (line.every((byte) => byte < 0x80)) continue;
    lines.push(line);
    left -= line.length;
  }
  return Buffer.concat(lines);
}

const NEWLINE = 10;
const FOREIGN_LETTER = /[^\x00-\x7f\P{L}]/gu;

/** A run of letters, or one other character that is neither ASCII nor a digit. */
const WORD = /[\p{L}\p{M}]+|[^\x00-\x7f\p{L}\p{M}\p{Nd}\s]/gu;
const LETTERS = /^[\p{L}\p{M}]+$/u;

/** Usual punctuation outside of ASCII. */
const PUNCTUATION = /^[«»“”„‘’…–—°§€·\u3000-\u303f\uff00-\uffef]$/u;

/** `wORD`, `WORd`: in the wrong encoding, letters often have the wrong case. */
const WRONG_CASE = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/** The share of the words with non-ASCII letters that may be odd. */
const ODD = 0.1;

/** Whether a decoded text looks right: most words are in one script with normal case, and there are no unusual signs. */
function readsLikeWords(text: string): boolean {
  if (/[\ufffd\x80-\x9f]/.test(text)) return false;
  let [words, odd] = [0, 0];
  for (const [word] of text.matchAll(WORD)) {
    if (/^[\x00-\x7f]*$/.test(word)) continue;
    if (LETTERS.test(word) ? isOdd(word) : !PUNCTUATION.test(word)) odd += 1;
    else words += 1;
  }
  return odd <= words * ODD;
}

function isOdd(word: string): boolean {
  return WRONG_CASE.test(word) || SCRIPTS.filter((script) => script.test(word)).length > 1;
}

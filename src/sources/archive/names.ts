/**
 * Owns how a member's name becomes the path a model sees and types: hostile characters are percent-encoded, so
 * every member stays readable by a printable path, and nothing in a name reaches a terminal or another line.
 */

import { percentDecode, percentEncode } from '../../text/percent.ts';
import { validSequence } from '../../text/utf8.ts';
import { oneLine } from '../../text/visible.ts';

/** Upper half of code page 437, the encoding of zip names that do not say they are UTF-8. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
/** A `%` is a sign of ours before two hex digits or `~`; elsewhere it stands for itself. */
const AMBIGUOUS_PERCENT = /%(?=[0-9A-Fa-f]{2}|~)/g;
/** Controls, line separators, lone surrogates, and what is invisible or turns the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `"a\nb"` → `"a%0Ab"`, `"100%41"` → `"100%2541"`. What is printable stays as it is, `/` and `:` included. */
export function escapeName(name: string): string {
  if (PLAIN.test(name)) return name;
  const signed = name.replace(AMBIGUOUS_PERCENT, '%25');
  if (oneLine(signed) === signed) return signed;
  return signed.replace(UNSEEN, (char) => percentEncode(Buffer.from(char, 'utf8')));
}

/** A name as stored: UTF-8, else the fallback; bytes that are no UTF-8 are percent-encoded one by one. */
export function printName(raw: Uint8Array, otherwise?: 'cp437'): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ascii = bytes.toString('latin1');
  if (PLAIN.test(ascii)) return ascii;
  try {
    return escapeName(strict.decode(raw));
  } catch {
    if (otherwise === 'cp437') return escapeName(ascii.replace(/[\x80-\xff]/g, fromCp437));
  }
  let name = '';
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = validSequence(bytes, at);
    if (length === 0) {
      name += escapeName(bytes.toString('utf8', start, at)) + percentEncode(bytes.subarray(at, at + 1));
      start = at + 1;
    }
    at += Math.max(1, length);
  }
  return name + escapeName(bytes.toString('utf8', start));
}

/**
 * The printed forms that `typed` may stand for, the literal one first: a member named `a%41` is found before
 * one named `aA`, and `a%20b` finds `a b`.
 */
export function typedForms(typed: string): string[] {
  const literal = escapeName(typed);
  if (!typed.includes('%')) return [literal];
  const decoded = printName(percentDecode(typed, (part) => Buffer.from(part, 'utf8')));
  return decoded === literal ? [literal] : [literal, decoded];
}

/** A printed name as a path below the root: `"./a//b/"` → `["a", "b"]`; undefined where `..` leads outside. */
export function pathParts(printed: string): string[] | undefined {
  const parts: string[] = [];
  for (const part of printed.split('/')) {
    if (part === '..') return undefined;
    if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

function fromCp437(char: string): string {
  return CP437[char.charCodeAt(0) - 0x80] ?? char;
}

/**
 * Converts stored names of members to the paths that are shown and typed. Control and invisible characters are
 * percent-encoded, so that every member has a printable path and no name can break a line or control a terminal.
 */

import { validSequence } from '../../text/encoding.ts';
import { percentDecode, percentEncode } from '../../text/percent.ts';
import { HIDDEN, oneLine } from '../../text/visible.ts';

/** Upper half of code page 437, the encoding of zip names without the UTF-8 flag. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
/** A `%` before two hex digits or `~` would be read as an escape, so it is escaped itself. */
const AMBIGUOUS_PERCENT = /%(?=[0-9A-Fa-f]{2}|~)/g;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `"a\nb"` → `"a%0Ab"`, `"100%41"` → `"100%2541"`. Printable characters are kept, `/` and `:` included. */
export function escapeName(name: string): string {
  if (PLAIN.test(name)) return name;
  const signed = name.replace(AMBIGUOUS_PERCENT, '%25');
  if (oneLine(signed) === signed) return signed;
  const encode = (run: string): string => percentEncode(Buffer.from(run, 'utf8'));
  return signed.replace(/[\n\t]+/g, encode).replace(HIDDEN, encode);
}

/** Decodes a stored name: as UTF-8, otherwise by the fallback, otherwise with invalid bytes percent-encoded one by one. */
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
 * The printed names that `typed` can mean, the literal one first: `a%41` finds a member with that name before one named `aA`,
 * and `a%20b` finds `a b`.
 */
export function typedForms(typed: string): string[] {
  const forms = [escapeName(typed)];
  if (typed.includes('%')) forms.push(printName(percentDecode(typed, (part) => Buffer.from(part, 'utf8'))));
  // Windows separates directories by backslashes.
  if (typed.includes('\\')) forms.push(escapeName(typed.replaceAll('\\', '/')));
  return Array.from(new Set(forms));
}

/** A printed name as a path below the root: `"./a//b/"` → `["a", "b"]`; undefined if `..` leads outside. */
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

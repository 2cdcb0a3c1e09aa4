/**
 * Decodes stored text without loss, because SQLite accepts any bytes as text and names. An invalid byte becomes a lone
 * surrogate (U+DC80 to U+DCFF), which answers show as `\xff` and paths as `%FF`.
 */

import { validSequence } from '../../text/encoding.ts';
import { oneLine } from '../../text/visible.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf8 = new TextEncoder();

/** Matches the surrogates of invalid bytes. With the flag `u`, halves of valid pairs do not match. */
const RAW_BYTE = /[\udc80-\udcff]/gu;

/** Decodes `bytes`. With `cut`, an incomplete character at the end is dropped. */
export function decodeText(bytes: Uint8Array, cut = false): string {
  const whole = cut ? bytes.subarray(0, lastBoundary(bytes)) : bytes;
  try {
    return strict.decode(whole);
  } catch {
    return decodeLoosely(whole);
  }
}

/** The inverse of `decodeText`. */
export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return utf8.encode(text);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const match of text.matchAll(RAW_BYTE)) {
    parts.push(utf8.encode(text.slice(from, match.index)), Uint8Array.of(match[0].charCodeAt(0) & 0xff));
    from = match.index + 1;
  }
  parts.push(utf8.encode(text.slice(from)));
  return Uint8Array.from(Buffer.concat(parts));
}

/** `text` for display: invalid bytes as `\xff`. */
export function showBytes(text: string): string {
  if (text.isWellFormed()) return text;
  const shown = text.replace(RAW_BYTE, (byte) => `\\x${(byte.charCodeAt(0) & 0xff).toString(16)}`);
  return shown.toWellFormed();
}

/** The most characters of a name that are shown; SQLite accepts names of a megabyte. */
const MOST_NAME = 400;

/** A name or message from the database on one line; a longer one is cut before escaping and ends in `…`. */
export function showName(name: string, most = MOST_NAME): string {
  if (name.length <= most) return oneLine(showBytes(name));
  const cut = /[\ud800-\udbff]/.test(name[most - 1] as string) ? most - 1 : most;
  return `${oneLine(showBytes(name.slice(0, cut)))}…`;
}

/** The offset after the last complete character. */
function lastBoundary(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function decodeLoosely(bytes: Uint8Array): string {
  let text = '';
  let parts: string[] = [];
  let good = 0;
  for (let at = 0; at < bytes.length;) {
    const length = validSequence(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(strict.decode(bytes.subarray(good, at)), String.fromCharCode(0xdc00 + (bytes[at] as number)));
    at += 1;
    good = at;
    // Joined from time to time: megabytes of invalid bytes must not become millions of strings.
    if (parts.length > 10_000) {
      text += parts.join('');
      parts = [];
    }
  }
  parts.push(strict.decode(bytes.subarray(good)));
  return text + parts.join('');
}

function sequenceLength(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

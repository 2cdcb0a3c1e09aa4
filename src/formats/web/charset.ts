/** Decodes a page: the encoding comes from the byte order mark, the header, the page itself, otherwise it is guessed. */

import { setImmediate } from 'node:timers/promises';
import { plural } from '../../render/display.ts';
import { alignDown } from '../../text/bytes.ts';
import { decode, detectEncoding, encodingNamed, lastBoundary, utf8 } from '../../text/encoding.ts';
import { declaredEncoding, encodingName } from '../../text/legacy-encoding.ts';
import type { TextEncoding } from '../../types/excerpt.ts';

interface DecodedText {
  readonly text: string;
  readonly note?: string | undefined;
}

export function charsetOf(contentType: string): string | undefined {
  return /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

/** `cut` says that the body was truncated, so the bytes may end within a character. */
export async function textOfBytes(bytes: Uint8Array, contentType: string, cut = false): Promise<DecodedText> {
  const marked = detectEncoding(bytes.subarray(0, 4096));
  if (marked.bom > 0) return { text: (await decoded(bytes.subarray(marked.bom), marked)).text };
  const label = charsetOf(contentType);
  const stated = (label === undefined ? undefined : encodingName(label)) ?? declared(bytes);
  const unknown = label !== undefined && encodingName(label) === undefined;
  const said = unknown ? `the encoding ${JSON.stringify(label.slice(0, 40))} is not known` : undefined;
  const whole = cut ? bytes.subarray(0, lastBoundary(bytes)) : bytes;
  if (stated !== undefined && stated !== 'utf-8') {
    const { text, invalid } = await decoded(whole, utf8, 0);
    // Text in another encoding is hardly ever valid UTF-8 by chance.
    const isUtf8 = invalid === 0 && whole.length - text.length >= MIN_UTF8_CONTINUATIONS;
    if (!isUtf8) return { text: await named(bytes, stated), note: said };
    return { text, note: `the encoding ${stated} was declared, but the text is UTF-8` };
  }
  const { text, invalid } = await decoded(whole, marked, whole.length / MIN_BYTES_PER_INVALID);
  if (invalid === 0) return { text, note: said };
  if (stated === 'utf-8' ? invalid < bytes.length / 200 : isMostlyUtf8(whole, text, invalid)) {
    return { text, note: `${plural(invalid, 'invalid sequence')} of UTF-8 shown as U+FFFD` };
  }
  const guess = await guessed(bytes);
  return {
    text: await named(bytes, guess),
    note: `the encoding ${guess} was guessed; :encoding=NAME behind the URL decides`,
  };
}

/** Bytes of characters beyond their first ones, from which on valid UTF-8 is no coincidence. */
const MIN_UTF8_CONTINUATIONS = 4;

/** With more than one invalid sequence per so many bytes of multi-byte characters, the text is not UTF-8. */
const MIN_BYTES_PER_INVALID = 8;

/** Multi-byte characters are counted as bytes minus UTF-16 units; text in another encoding has hardly any by chance. */
function isMostlyUtf8(bytes: Uint8Array, text: string, invalid: number): boolean {
  return invalid < (bytes.length - text.length) / MIN_BYTES_PER_INVALID;
}

/** The declared encoding. UTF-16 that is declared in ASCII bytes means UTF-8. Source: HTML, "prescan a byte stream". */
function declared(bytes: Uint8Array): string | undefined {
  const found = declaredEncoding(bytes.subarray(0, 4096));
  return found?.startsWith('utf-16') ? 'utf-8' : found;
}

/** Bytes that are decoded before the event loop gets control again; at most 10 ms, if each byte is invalid. */
const SLICE = 32 << 10;

/** Stops when more than `bearable` sequences are invalid. */
async function decoded(
  bytes: Uint8Array,
  encoding: TextEncoding,
  bearable = Number.POSITIVE_INFINITY,
): Promise<{ text: string; invalid: number }> {
  let [text, invalid] = ['', 0];
  for (let at = 0; at < bytes.length && invalid <= bearable;) {
    const rest = bytes.subarray(at);
    const length = rest.length > SLICE ? alignDown(rest, SLICE, encoding) : rest.length;
    const part = decode(rest.subarray(0, length), encoding);
    text += part.text;
    invalid += part.invalid;
    at += length;
    if (bytes.length > SLICE) await setImmediate();
  }
  return { text, invalid };
}

async function named(bytes: Uint8Array, name: string): Promise<string> {
  return (await decoded(bytes, encodingNamed(name, 'declared', bytes) ?? utf8)).text;
}

/** Bytes from which an encoding is guessed; 64 KiB would block the event loop for 100 ms. */
const MAX_GUESSED_BYTES = 16 << 10;

async function guessed(bytes: Uint8Array): Promise<string> {
  const { default: chardet } = await import('chardet');
  const found = chardet.detect(bytes.subarray(0, MAX_GUESSED_BYTES));
  const name = found === null ? undefined : encodingName(found);
  return name === undefined || name === 'utf-8' ? 'windows-1252' : name;
}

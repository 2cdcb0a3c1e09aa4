/**
 * The encoding of a text: its detection, its byte order mark, and the decoding of a range of bytes. Newlines and offsets
 * refer to stored bytes, in whole code units; text is decoded line by line.
 */

import { queues } from '../queues/queue-table.ts';
import type { NewlineScanner, TextEncoding, UnicodeName } from '../types/excerpt.ts';
import {
  type AnalyseEncoding,
  declaredEncoding,
  decodeLegacy,
  encodingAtEnd,
  type EncodingGuess,
  encodingName,
  GUESSED_BY,
  guessOf,
  isUtf8Start,
} from './legacy-encoding.ts';
import { scanWasm } from './scan-wasm.ts';
import { RAW_BYTE } from './visible.ts';

// Counts newlines in a block. Uses WebAssembly SIMD, or JavaScript where that is not available; both give the same results.

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  count(from: number, length: number): number;
}

/** Bytes of one read buffer; a scan uses two, so that reading and counting overlap. */
export const SCAN_BUFFER: number = 2 << 20;

/** Scans with SIMD. Bytes in its own `buffers` are scanned in place; other bytes are copied first. */
export class SimdScanner {
  readonly buffers: readonly [Uint8Array, Uint8Array];
  readonly #exports: Exports;
  readonly #copy: Uint8Array;

  constructor(exports: Exports) {
    this.#exports = exports;
    const { buffer } = exports.memory;
    this.buffers = [new Uint8Array(buffer, 0, SCAN_BUFFER), new Uint8Array(buffer, SCAN_BUFFER, SCAN_BUFFER)];
    this.#copy = new Uint8Array(buffer, 2 * SCAN_BUFFER);
  }

  count(bytes: Uint8Array): number {
    if (bytes.buffer === this.#copy.buffer) return this.#exports.count(bytes.byteOffset, bytes.length);
    let total = 0;
    for (let at = 0; at < bytes.length; at += this.#copy.length) {
      const part = bytes.subarray(at, at + this.#copy.length);
      this.#copy.set(part);
      total += this.#exports.count(this.#copy.byteOffset, part.length);
    }
    return total;
  }
}

/** The same in JavaScript. */
export class PlainScanner {
  readonly buffers: readonly [Uint8Array, Uint8Array] = [
    new Uint8Array(SCAN_BUFFER),
    new Uint8Array(SCAN_BUFFER),
  ];

  count(bytes: Uint8Array): number {
    return newlinesInBytes.count(bytes);
  }
}

export type BufferedScanner = SimdScanner | PlainScanner;

interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
}

let compiled: object | null | undefined;

/** A new scanner with its own buffers: with SIMD if WebAssembly supports it. */
export function createScanner(): BufferedScanner {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly?: WebAssemblyApi | undefined };
  try {
    if (!wasm || compiled === null) return new PlainScanner();
    compiled ??= new wasm.Module(Buffer.from(scanWasm, 'base64'));
    return new SimdScanner(new wasm.Instance(compiled).exports);
  } catch {
    compiled = null;
    return new PlainScanner();
  }
}

const idle: BufferedScanner[] = [];

/** Runs `use` with a scanner of the pool. `use` may only wait for the reads that fill the buffers. */
export function withScanner<T>(
  use: (scanner: BufferedScanner) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return queues.scans.run(
    async () => {
      const scanner = idle.pop() ?? createScanner();
      try {
        return await use(scanner);
      } finally {
        idle.push(scanner);
      }
    },
    { signal },
  );
}

/** Scans bytes of any buffer for newlines. */
export const newlinesInBytes: NewlineScanner = {
  count(bytes) {
    let total = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) total += 1;
    return total;
  },
  after(bytes, k, from = 0) {
    let at = from - 1;
    for (let left = k; left > 0; left -= 1) {
      at = bytes.indexOf(10, at + 1);
      if (at === -1) return -1;
    }
    return at + 1;
  },
};

/** Scans code units of `unit` bytes for newlines; `bytes` and `from` begin on a unit. */
export function newlinesInUnits(unit: 2 | 4, bigEndian: boolean): NewlineScanner {
  /** The position of the 0x0A within the unit; all other bytes of it are zero. */
  const low = bigEndian ? unit - 1 : 0;
  const next = (bytes: Uint8Array, from: number): number => {
    for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
      const start = at - (at % unit);
      if (at % unit !== low || start + unit > bytes.length) continue;
      let zeros = true;
      for (let i = start; i < start + unit; i += 1) zeros &&= i === at || bytes[i] === 0;
      if (zeros) return start;
    }
    return -1;
  };
  return {
    count(bytes) {
      let total = 0;
      for (let at = next(bytes, 0); at !== -1; at = next(bytes, at + unit)) total += 1;
      return total;
    },
    after(bytes, k, from = 0) {
      let at = from - unit;
      for (let left = k; left > 0; left -= 1) {
        at = next(bytes, at + unit);
        if (at === -1) return -1;
      }
      return at + unit;
    },
  };
}

/** Bytes below which a call into WebAssembly costs more than it saves. */
const SHORT = 512;

let shared: BufferedScanner | undefined;

export function countNewlines(bytes: Uint8Array): number {
  if (bytes.length < SHORT) return newlinesInBytes.count(bytes);
  shared ??= createScanner();
  return shared.count(bytes);
}

/** Bytes of the start of a text in which its byte order mark, its declared encoding and binary content are detected. */
export const HEAD_BYTES = 4096;

const UNITS: Record<UnicodeName, { unit: 1 | 2 | 4; scanner: NewlineScanner }> = {
  'utf-8': { unit: 1, scanner: newlinesInBytes },
  'utf-16le': { unit: 2, scanner: newlinesInUnits(2, false) },
  'utf-16be': { unit: 2, scanner: newlinesInUnits(2, true) },
  'utf-32le': { unit: 4, scanner: newlinesInUnits(4, false) },
  'utf-32be': { unit: 4, scanner: newlinesInUnits(4, true) },
};

export function unicodeEncoding(name: UnicodeName, bom = 0): TextEncoding {
  return { name, bom, ...UNITS[name] };
}

export const utf8: TextEncoding = unicodeEncoding('utf-8');

/** The encoding with that name, which a person or the text itself gave; undefined for an unknown name. */
export function encodingNamed(
  label: string,
  known: NonNullable<TextEncoding['known']>,
  head: Uint8Array,
): TextEncoding | undefined {
  const name = encodingName(label);
  if (name === undefined) return undefined;
  if (!(name in UNITS)) return { name, bom: 0, unit: 1, scanner: newlinesInBytes, legacy: true, known };
  const mark = MARKS.find(([of, bytes]) => of === name && bytes.every((byte, i) => head[i] === byte));
  return { ...unicodeEncoding(name as UnicodeName, mark?.[1].length ?? 0), known };
}

/** As `detectEncoding`; without a byte order mark, the encoding that the text declares in its first bytes. */
export function storedEncoding(head: Uint8Array): TextEncoding {
  const detected = detectEncoding(head);
  if (detected.bom > 0 || detected.unit > 1) return detected;
  const declared = declaredEncoding(head);
  const named = declared === undefined ? undefined : encodingNamed(declared, 'declared', head);
  // If the declaration was readable as ASCII, the text is not in UTF-16, whatever it declares.
  return named?.legacy ? named : detected;
}

/** The mark of UTF-32LE begins with that of UTF-16LE, so it is tried first. Source: the Unicode Standard, table 23-6. */
const MARKS: readonly (readonly [UnicodeName, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding of the byte order mark; without one, UTF-16 if the first bytes clearly are UTF-16, otherwise UTF-8. */
export function detectEncoding(head: Uint8Array): TextEncoding {
  for (const [name, mark] of MARKS) {
    if (mark[0] === head[0] && mark.every((byte, i) => head[i] === byte))
      return unicodeEncoding(name, mark.length);
  }
  return unicodeEncoding((head.includes(0) ? unmarkedUtf16(head) : undefined) ?? 'utf-8');
}

/**
 * Detects UTF-16 without a byte order mark: nearly every unit is a printable character below U+0100, so that every
 * second byte is zero, and no other byte is zero. With letters of other scripts: some units are, and all of them are
 * characters in use.
 */
function unmarkedUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const units = head.length >> 1;
  if (units < 2) return undefined;
  const plain = { 'utf-16le': 0, 'utf-16be': 0 };
  for (let i = 0; i + 1 < head.length; i += 2) {
    const [first, second] = [head[i] as number, head[i + 1] as number];
    if (first === 0 && second === 0) return undefined;
    if (second === 0 && isPrintable(first)) plain['utf-16le'] += 1;
    if (first === 0 && isPrintable(second)) plain['utf-16be'] += 1;
  }
  if (plain['utf-16le'] >= units * 0.9 && plain['utf-16be'] === 0) return 'utf-16le';
  if (plain['utf-16be'] >= units * 0.9 && plain['utf-16le'] === 0) return 'utf-16be';
  const few = Math.min(plain['utf-16le'], plain['utf-16be']);
  const many = Math.max(plain['utf-16le'], plain['utf-16be']);
  // A text has blanks and line breaks, and seldom a letter that looks like one in the other order, such as U+4E00.
  if (units < 16 || many < units / 32 || few > units / 50) return undefined;
  const name = plain['utf-16le'] === many ? 'utf-16le' : 'utf-16be';
  if (!isUtf16(head, name)) return undefined;
  const letters = decode(head, unicodeEncoding(name)).text.match(LIKE_ASCII)?.length ?? 0;
  return letters > units / 2 || !isNearlyText(head) ? name : undefined;
}

/** Letters of which both bytes can be those of a text in ASCII: from Syriac to Sinhala, and kana. */
const LIKE_ASCII = /[\u0700-\u0dff\u3040-\u30ff]/g;

/** Whether all characters are in use, if the first bytes of a text are read in this order. */
export function isUtf16(head: Uint8Array, name: 'utf-16le' | 'utf-16be'): boolean {
  const { text } = decode(head.subarray(0, head.length & ~1), unicodeEncoding(name));
  return !UNUSED.test(text.replace(/\ufffd$/, ''));
}

/** Controls, unpaired surrogates (decoded as U+FFFD), code points for private use, and unassigned ones. */
const UNUSED = /[\0-\x08\x0e-\x1f\x7f-\x9f\ufffd\p{Co}\p{Cn}]/u;

/** Whether binary data looks like a text into which a few control characters came: at most one in ten bytes, and UTF-8. */
export function isNearlyText(head: Uint8Array): boolean {
  if (!head.includes(0)) return false;
  let odd = 0;
  for (const byte of head) if (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b) odd += 1;
  if (odd * 10 > head.length) return false;
  return isUtf8Start(head);
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || (byte >= 0x09 && byte <= 0x0d);
}

interface DecodedBytes {
  readonly text: string;
  /** Invalid sequences that became U+FFFD, one for each maximal subpart (WHATWG Encoding). */
  readonly invalid: number;
}

/** Decodes whole code units. An incomplete unit at the end becomes one U+FFFD. */
export function decode(bytes: Uint8Array, encoding: TextEncoding): DecodedBytes {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (encoding.name) {
    case 'utf-8':
      return decodeUtf8(buffer);
    case 'utf-16le':
      return decodeUtf16(buffer);
    case 'utf-16be': {
      const even = Buffer.from(buffer.subarray(0, buffer.length & ~1)).swap16();
      return decodeUtf16(Buffer.concat([even, buffer.subarray(even.length)]));
    }
    case 'utf-32le':
      return decodeUtf32(buffer, (at) => buffer.readUInt32LE(at));
    case 'utf-32be':
      return decodeUtf32(buffer, (at) => buffer.readUInt32BE(at));
    default: {
      const text = decodeLegacy(bytes, encoding.name);
      return { text, invalid: count(text, '\ufffd') };
    }
  }
}

function decodeUtf8(bytes: Buffer): DecodedBytes {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return { text, invalid: 0 };
  return { text, invalid: count(text, '\ufffd') - countStoredReplacements(bytes) };
}

/** A stored U+FFFD is not an invalid sequence. */
function countStoredReplacements(bytes: Buffer): number {
  let total = 0;
  const stored = Buffer.from('\ufffd');
  for (let at = bytes.indexOf(stored); at !== -1; at = bytes.indexOf(stored, at + 3)) total += 1;
  return total;
}

function decodeUtf16(bytes: Buffer): DecodedBytes {
  const odd = bytes.length % 2;
  const text = bytes.toString('utf16le', 0, bytes.length - odd);
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  let invalid = odd;
  for (let i = 0; whole !== text && i < text.length; i += 1) if (whole[i] !== text[i]) invalid += 1;
  return { text: odd ? `${whole}\ufffd` : whole, invalid };
}

function decodeUtf32(bytes: Buffer, read: (at: number) => number): DecodedBytes {
  let text = '';
  let invalid = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const code = at + 4 <= bytes.length ? read(at) : -1;
    const ok = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    text += ok ? String.fromCodePoint(code) : '\ufffd';
    if (!ok) invalid += 1;
  }
  return { text, invalid };
}

function count(text: string, character: string): number {
  let total = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) total += 1;
  return total;
}

/** Bytes of the valid UTF-8 sequence at `at`, or 0 if there is none. */
export function validSequence(bytes: Uint8Array, at: number): number {
  const length = lengthByLead(bytes[at]);
  return sequenceLength(bytes, at) === length ? length : 0;
}

/** Bytes of the UTF-8 sequence at `at`, or of its maximal invalid subpart: 1 to 4. Source: the Unicode Standard, table 3-7. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  const length = lengthByLead(lead);
  for (let i = 1; i < length; i += 1) {
    const byte = bytes[at + i] ?? 0;
    const low = i > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = i > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return i;
  }
  return Math.max(1, length);
}

/** Bytes of a sequence that begins with `lead`; 0 if no sequence begins with it. */
function lengthByLead(lead: number | undefined): number {
  if (lead === undefined || lead > 0xf4) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

// Finds the encoding of a stored text: from its byte order mark, from its declaration, or by a guess if it is not UTF-8.

/** Bytes at the end of a text that are searched for a mode line. */
export const END_BYTES = 1024;

/** The encoding to try if no other is more likely. */
const USUAL = 'windows-1252';

/** The encoding of a complete text in memory. `library` loads the analysis, which is needed only if it is not UTF-8. */
export function encodingOfText(bytes: Uint8Array, library: () => AnalyseEncoding): TextEncoding {
  const head = bytes.subarray(0, HEAD_BYTES);
  const stored = storedEncoding(head);
  if (!isUndeclared(stored)) return stored;
  const declared = isUtf8Start(head) ? undefined : declaredAtEnd(bytes.subarray(-END_BYTES), head);
  if (declared) return declared;
  const start = bytes.subarray(0, GUESSED_BY);
  return guessEncoding(stored, isUtf8Start(start) ? {} : guessOf(start, library()), head);
}

/** Whether the text has neither a byte order mark nor a declaration. */
export function isUndeclared({ name, bom, known }: TextEncoding): boolean {
  return name === 'utf-8' && bom === 0 && known === undefined;
}

/** Only for texts whose beginning is not valid UTF-8. */
export function declaredAtEnd(tail: Uint8Array, head: Uint8Array): TextEncoding | undefined {
  const label = encodingAtEnd(tail);
  const named = label === undefined ? undefined : encodingNamed(label, 'declared', head);
  return named?.legacy ? named : undefined;
}

/** The encoding of an accepted guess; otherwise `stored`, with the encoding to try if it has invalid sequences. */
export function guessEncoding(
  stored: TextEncoding,
  { sure, perhaps = USUAL }: EncodingGuess,
  head: Uint8Array,
): TextEncoding {
  const named = sure === undefined ? undefined : encodingNamed(sure, 'guessed', head);
  return named ?? { ...stored, perhaps };
}

// Decodes without loss what may be any bytes: names of files, text in databases. An invalid byte becomes a lone surrogate
// (U+DC80 to U+DCFF), as in Python (PEP 383); answers show it as `\xff`, and URLs as `%FF`.

const exact = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes `bytes`. With `cut`, an incomplete character at the end is dropped. */
export function decodeText(bytes: Uint8Array, cut = false): string {
  const whole = cut ? bytes.subarray(0, lastBoundary(bytes)) : bytes;
  try {
    return exact.decode(whole);
  } catch {
    return decodeLoosely(whole);
  }
}

/** The inverse of `decodeText`. */
export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const match of text.matchAll(RAW_BYTE)) {
    parts.push(encoder.encode(text.slice(from, match.index)), Uint8Array.of(match[0].charCodeAt(0) & 0xff));
    from = match.index + 1;
  }
  parts.push(encoder.encode(text.slice(from)));
  return Uint8Array.from(Buffer.concat(parts));
}

/** The offset after the last complete character. */
export function lastBoundary(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < lengthAfter(byte) ? bytes.length - back : bytes.length;
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
    parts.push(exact.decode(bytes.subarray(good, at)), String.fromCharCode(0xdc00 + (bytes[at] as number)));
    at += 1;
    good = at;
    // Joined from time to time: megabytes of invalid bytes must not become millions of strings.
    if (parts.length > 10_000) {
      text += parts.join('');
      parts = [];
    }
  }
  parts.push(exact.decode(bytes.subarray(good)));
  return text + parts.join('');
}

function lengthAfter(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

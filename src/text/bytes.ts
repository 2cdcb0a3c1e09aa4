/** Reads byte sources; and byte sources without a file: bytes in memory, a part of another source. */

import { type Derivation, Identity } from '../identity.ts';
import type { ByteSource, OpenedFile } from '../types/access.ts';
import type { TextEncoding } from '../types/excerpt.ts';
import { decode, HEAD_BYTES, sequenceLength } from './encoding.ts';
import { alignLegacy, legacyLength } from './legacy-encoding.ts';

/** Up to `length` bytes at `offset`; shorter only at the end. */
export async function readAt(
  source: ByteSource,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const room = source.size === undefined ? length : Math.max(0, Math.min(length, source.size - offset));
  const target = Buffer.allocUnsafe(room);
  const got = room === 0 ? 0 : await source.readInto(target, offset, signal);
  return target.subarray(0, got);
}

const heads = new WeakMap<ByteSource, Uint8Array>();

/**
 * The first 4 KiB, from which the kind and the encoding are detected. Read once for each source and then
 * cached.
 */
export function readSourceHead(source: ByteSource, signal?: AbortSignal): Uint8Array | Promise<Uint8Array> {
  return heads.get(source) ?? readHead(source, signal);
}

async function readHead(source: ByteSource, signal?: AbortSignal): Promise<Uint8Array> {
  const head = await readAt(source, 0, HEAD_BYTES, signal);
  heads.set(source, head);
  return head;
}

/**
 * Bytes that are already in memory: a rendered listing, a small converted text. Without an identity nothing
 * derived from them is cached.
 */
export function memoryBytes(
  content: Uint8Array | string,
  identity: Identity = Identity.once('memory'),
): ByteSource {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return {
    size: bytes.length,
    identity,
    readInto(target, offset) {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return Promise.resolve(part.length);
    },
  };
}

/** Bytes as a file of their own, without a descriptor and an age: a part of a reply, a blob of a repository. */
export function detachedFile(path: string, bytes: ByteSource, size = bytes.size ?? 0): OpenedFile {
  return { kind: 'file', path, size, mtimeMs: 0, bytes, close: () => Promise.resolve() };
}

const slice: Derivation<{ start: number; length: number }> = { name: 'slice' };

/** A view of the bytes `[start, start + length)` of another source, without a copy. */
export function sliceBytes(source: ByteSource, start: number, length: number): ByteSource {
  return {
    size: length,
    identity: source.identity.derive(slice, { start, length }),
    readInto(target, offset, signal) {
      const room = Math.max(0, Math.min(target.length, length - offset));
      return room === 0
        ? Promise.resolve(0)
        : source.readInto(target.subarray(0, room), start + offset, signal);
    },
    ...(source.changed ? { changed: () => source.changed?.() ?? Promise.resolve(false) } : {}),
    ...(source.remote && { remote: true }),
  };
}

/**
 * The bytes of a source from `start` (0-based, inclusive) to `end` (exclusive), in chunks. All chunks share one
 * buffer: each is valid until the next one is requested.
 */
export async function* chunksOf(
  source: ByteSource,
  start: number,
  end: number,
  chunk: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(chunk, end - start)));
  for (let at = start; at < end;) {
    signal?.throwIfAborted();
    const got = await source.readInto(buffer.subarray(0, end - at), at, signal);
    if (got === 0) return;
    yield buffer.subarray(0, got);
    at += got;
  }
}

// Cuts a line to a budget: between code points, or between graphemes if such a boundary is near.

/** Distance within which a grapheme boundary is searched; longer clusters are cut between code points. */
const LOOK_BACK = 64;

/** Stored bytes of the longest code point. */
const MAX_CODE_POINT_BYTES = 4;

interface CodePoint {
  /** Stored bytes. */
  readonly length: number;
  readonly text: string;
}

/** Bytes whose cost is computed in one step. */
const CHUNK = 16 << 10;

/**
 * The length in stored bytes of the longest head of `bytes` whose cost is within `budget`; at least one code point.
 * `bytes` begins on a code point. `cost` is called for whole chunks; the chunk in which the budget ends is halved.
 */
export function cutHead(
  bytes: Uint8Array,
  encoding: TextEncoding,
  budget: number,
  cost: (text: string) => number,
): number {
  let used = 0;
  let left = budget;
  for (let step = CHUNK; used < bytes.length;) {
    const end = endOfChunk(bytes, used, step, encoding);
    const price = cost(decode(bytes.subarray(used, end), encoding).text);
    if (price <= left) {
      used = end;
      left -= price;
      continue;
    }
    const point = endOfPoint(bytes, used, encoding);
    if (end === point) {
      if (used === 0) used = point;
      break;
    }
    step = (end - used) >> 1;
  }
  const after = pointsAfter(bytes, used, encoding);
  const near = pointsBefore(bytes, used, encoding);
  return near.slice(near.length - toBoundary(near, after)).reduce((left, { length }) => left - length, used);
}

/** The length in stored bytes of the longest tail of `bytes` whose cost is within `budget`; at least one code point. */
export function cutTail(
  bytes: Uint8Array,
  encoding: TextEncoding,
  budget: number,
  cost: (text: string) => number,
): number {
  let first = bytes.length;
  let left = budget;
  for (let step = CHUNK; first > 0;) {
    const start = alignDown(bytes, Math.max(0, first - step), encoding);
    const price = cost(decode(bytes.subarray(start, first), encoding).text);
    if (price <= left) {
      first = start;
      left -= price;
      continue;
    }
    if (endOfPoint(bytes, start, encoding) >= first) {
      if (first === bytes.length) first = start;
      break;
    }
    // Alignment may have made the chunk longer than its step.
    step = Math.min(step, first - start) >> 1;
  }
  const after = pointsAfter(bytes, first, encoding);
  const skip = forward(pointsBefore(bytes, first, encoding), after);
  return after.slice(0, skip).reduce((left, { length }) => left - length, bytes.length - first);
}

/** The end of a chunk of about `step` bytes from `from`: between code points, after at least one. */
function endOfChunk(bytes: Uint8Array, from: number, step: number, encoding: TextEncoding): number {
  if (from + step >= bytes.length) return bytes.length;
  const end = alignDown(bytes, from + step, encoding);
  return end > from ? end : endOfPoint(bytes, from, encoding);
}

function endOfPoint(bytes: Uint8Array, at: number, encoding: TextEncoding): number {
  return Math.min(at + lengthAt(bytes, at, encoding), bytes.length);
}

/** The last `LOOK_BACK` code points before `at`. */
function pointsBefore(bytes: Uint8Array, at: number, encoding: TextEncoding): CodePoint[] {
  const from = alignDown(bytes, Math.max(0, at - LOOK_BACK * MAX_CODE_POINT_BYTES), encoding);
  return [...codePoints(bytes.subarray(from, at), encoding)].slice(-LOOK_BACK);
}

function pointsAfter(bytes: Uint8Array, at: number, encoding: TextEncoding): CodePoint[] {
  const near = bytes.subarray(at, at + LOOK_BACK * MAX_CODE_POINT_BYTES);
  return [...codePoints(near, encoding)].slice(0, LOOK_BACK);
}

/** The nearest start of a code point at or before `at` (0-based) in `bytes`. */
export function alignDown(bytes: Uint8Array, at: number, encoding: TextEncoding): number {
  if (encoding.legacy) return alignLegacy(bytes, at, encoding.name);
  if (encoding.unit === 4) return at - (at % 4);
  if (encoding.unit === 2) {
    const unit = at - (at % 2);
    return unit >= 2 && lengthAt(bytes, unit - 2, encoding) === 4 ? unit - 2 : unit;
  }
  // A sequence has at most three continuation bytes.
  for (let back = 0; back <= 3; back += 1) {
    const byte = bytes[at - back] ?? 0;
    if ((byte & 0xc0) !== 0x80) return back === 0 || sequenceLength(bytes, at - back) > back ? at - back : at;
  }
  return at;
}

/** How many of the code points before a cut (`near`) to drop, so that the cut is between graphemes. */
function toBoundary(near: readonly CodePoint[], after: readonly CodePoint[]): number {
  if (after.length === 0) return 0;
  const starts = graphemeStarts([...near, ...after]);
  for (let keep = near.length; keep > 0; keep -= 1) {
    if (starts.has(keep)) return near.length - keep;
  }
  return 0;
}

/** How many of the code points after a cut (`after`) to drop, so that the cut is between graphemes. */
function forward(near: readonly CodePoint[], after: readonly CodePoint[]): number {
  const starts = graphemeStarts([...near, ...after]);
  for (let skip = 0; skip < after.length; skip += 1) {
    if (starts.has(near.length + skip)) return skip;
  }
  return 0;
}

let segmenter: Intl.Segmenter | undefined;

/** Indexes of the code points that begin a grapheme. */
function graphemeStarts(points: readonly CodePoint[]): Set<number> {
  const text = points.map((point) => point.text).join('');
  if (/^[\x20-\x7e]*$/.test(text)) return new Set(points.keys());
  const byOffset = new Map<number, number>();
  let offset = 0;
  for (const [i, point] of points.entries()) {
    byOffset.set(offset, i);
    offset += point.text.length;
  }
  const starts = new Set<number>();
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index } of segmenter.segment(text)) {
    const point = byOffset.get(index);
    if (point !== undefined) starts.add(point);
  }
  return starts;
}

/** Iterates over stored bytes by code points; an invalid maximal subpart counts as one. */
export function* codePoints(bytes: Uint8Array, encoding: TextEncoding): Generator<CodePoint> {
  for (let at = 0; at < bytes.length;) {
    const length = Math.min(lengthAt(bytes, at, encoding), bytes.length - at);
    yield { length, text: decode(bytes.subarray(at, at + length), encoding).text };
    at += length;
  }
}

function lengthAt(bytes: Uint8Array, at: number, encoding: TextEncoding): number {
  if (encoding.legacy) return legacyLength(bytes, at, encoding.name);
  if (encoding.unit === 4) return 4;
  if (encoding.unit === 1) return sequenceLength(bytes, at);
  const big = encoding.name === 'utf-16be' ? 0 : 1;
  const lead = bytes[at + big] ?? 0;
  const trail = bytes[at + 2 + big] ?? 0;
  return lead >= 0xd8 && lead <= 0xdb && trail >= 0xdc && trail <= 0xdf ? 4 : 2;
}

// Collects bytes that arrive in pieces. They are in one resizable ArrayBuffer, which grows in place and can be freed at
// once. Unused Buffers would stay resident until V8's garbage collection.

const INITIAL_CAPACITY_BYTES = 64 << 10;

export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #length = 0;

  /** Reserves address space for `most` bytes; none of it is resident yet. */
  constructor(most: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: most });
  }

  get length(): number {
    return this.#length;
  }

  /** Adds `bytes`; drops the part that exceeds the maximum. */
  add(bytes: Uint8Array): void {
    const { byteLength, maxByteLength } = this.#memory;
    const part = bytes.subarray(0, maxByteLength - this.#length);
    const end = this.#length + part.length;
    if (end > byteLength)
      this.#memory.resize(Math.min(maxByteLength, Math.max(end, 2 * byteLength, INITIAL_CAPACITY_BYTES)));
    new Uint8Array(this.#memory).set(part, this.#length);
    this.#length = end;
  }

  /** A copy of the bytes so far. */
  copy(): Buffer {
    return Buffer.from(new Uint8Array(this.#memory, 0, this.#length));
  }

  /** Frees the memory; afterwards it is empty. */
  free(): void {
    this.#length = 0;
    this.#memory.resize(0);
  }
}

// Splits a stream of bytes into lines in bounded memory: the content of an oversized line is dropped.

const NEWLINE = 0x0a;

/** Without its newline. */
export type LineFrame = { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'oversized' };

export class FrameSplitter {
  readonly #most: number;
  /** The current line so far. One growing buffer, because a Buffer for each piece takes about 300 bytes besides its content. */
  readonly #line: GrowingBytes;
  /** Bytes of the current line so far, including dropped ones. */
  #length = 0;

  /** `most`: bytes of a line. */
  constructor(most: number) {
    this.#most = most;
    this.#line = new GrowingBytes(most);
  }

  /** The frames that `chunk` completes; they may share its memory. */
  *push(chunk: Buffer): Generator<LineFrame, void> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      if (this.#length === 0 && end.length <= this.#most) yield { kind: 'line', bytes: end };
      else {
        this.#add(end);
        yield this.end() as LineFrame;
      }
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** What follows the last newline; undefined if that is nothing. */
  get rest(): LineFrame | undefined {
    if (this.#length === 0) return undefined;
    return this.#length > this.#most ? { kind: 'oversized' } : { kind: 'line', bytes: this.#line.copy() };
  }

  /** As `rest`. Bytes after it begin a new line. */
  end(): LineFrame | undefined {
    const { rest } = this;
    this.#line.free();
    this.#length = 0;
    return rest;
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#most) this.#line.add(bytes);
    else this.#line.free();
  }
}

// Joins small chunks of bytes, because each chunk that is sent to another thread, or appended to a file, has its own cost.

/**
 * Yields the same bytes in chunks of about `size`; a larger chunk is passed on unchanged. The buffer of a chunk is reused for
 * the next one. Bytes before a failure are yielded before it is thrown.
 */
export async function* joinChunks(
  chunks: AsyncIterable<Uint8Array>,
  size = 64 << 10,
): AsyncGenerator<Uint8Array> {
  const joined = new Uint8Array(size);
  let filled = 0;
  try {
    for await (const chunk of chunks) {
      const isLarge = chunk.length > size / 2;
      if (filled > 0 && (isLarge || filled + chunk.length > size)) {
        yield joined.subarray(0, filled);
        filled = 0;
      }
      if (isLarge) yield chunk;
      else {
        joined.set(chunk, filled);
        filled += chunk.length;
      }
    }
  } catch (error) {
    if (filled > 0) yield joined.subarray(0, filled);
    throw error;
  }
  if (filled > 0) yield joined.subarray(0, filled);
}

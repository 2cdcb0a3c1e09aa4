/** Cuts a line to a budget: between code points, or between graphemes if such a boundary is near. */

import type { Encoding } from '../types/encoding.ts';
import { decode, sequenceLength } from './encoding.ts';
import { alignLegacy, legacyLength } from './legacy.ts';

/** Distance within which a grapheme boundary is searched; longer clusters are cut between code points. */
const LOOK_BACK = 64;

/** Stored bytes of the longest code point. */
const LONGEST = 4;

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
  encoding: Encoding,
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
  encoding: Encoding,
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
function endOfChunk(bytes: Uint8Array, from: number, step: number, encoding: Encoding): number {
  if (from + step >= bytes.length) return bytes.length;
  const end = alignDown(bytes, from + step, encoding);
  return end > from ? end : endOfPoint(bytes, from, encoding);
}

function endOfPoint(bytes: Uint8Array, at: number, encoding: Encoding): number {
  return Math.min(at + lengthAt(bytes, at, encoding), bytes.length);
}

/** The last `LOOK_BACK` code points before `at`. */
function pointsBefore(bytes: Uint8Array, at: number, encoding: Encoding): CodePoint[] {
  const from = alignDown(bytes, Math.max(0, at - LOOK_BACK * LONGEST), encoding);
  return [...codePoints(bytes.subarray(from, at), encoding)].slice(-LOOK_BACK);
}

function pointsAfter(bytes: Uint8Array, at: number, encoding: Encoding): CodePoint[] {
  const near = bytes.subarray(at, at + LOOK_BACK * LONGEST);
  return [...codePoints(near, encoding)].slice(0, LOOK_BACK);
}

/** The nearest start of a code point at or before `at` (0-based) in `bytes`. */
export function alignDown(bytes: Uint8Array, at: number, encoding: Encoding): number {
  if (encoding.legacy) return alignLegacy(bytes, at, encoding.name);
  if (encoding.unit === 4) return at - (at % 4);
  if (encoding.unit === 2) {
    const unit = at - (at % 2);
    return unit >= 2 && lengthAt(bytes, unit - 2, encoding) === 4 ? unit - 2 : unit;
  }
  // A sequence has at most three continuation bytes.
  for (let back = 0; back <= 3 && at - back >= 0; back += 1) {
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
  if (near.length === 0) return 0;
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
export function* codePoints(bytes: Uint8Array, encoding: Encoding): Generator<CodePoint> {
  for (let at = 0; at < bytes.length;) {
    const length = Math.min(lengthAt(bytes, at, encoding), bytes.length - at);
    yield { length, text: decode(bytes.subarray(at, at + length), encoding).text };
    at += length;
  }
}

function lengthAt(bytes: Uint8Array, at: number, encoding: Encoding): number {
  if (encoding.legacy) return legacyLength(bytes, at, encoding.name);
  if (encoding.unit === 4) return 4;
  if (encoding.unit === 1) return sequenceLength(bytes, at);
  const big = encoding.name === 'utf-16be' ? 0 : 1;
  const lead = bytes[at + big] ?? 0;
  const trail = bytes[at + 2 + big] ?? 0;
  return lead >= 0xd8 && lead <= 0xdb && trail >= 0xdc && trail <= 0xdf ? 4 : 2;
}

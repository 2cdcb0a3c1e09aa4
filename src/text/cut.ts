/** Cuts one line: between code points, and between graphemes when such a boundary is near. */

import type { Encoding } from '../types/encoding.ts';
import { decode, sequenceLength } from './encoding.ts';

/** Distance within which a grapheme boundary is searched; longer clusters are cut between code points. */
const LOOK_BACK = 64;

interface CodePoint {
  /** Stored bytes. */
  readonly length: number;
  readonly text: string;
}

/**
 * Stored bytes of the longest head of `bytes` whose cost stays within `budget`; at least one code point.
 * `bytes` begins on a code point. `cost` is called for one code point at a time.
 */
export function cutHead(
  bytes: Uint8Array,
  encoding: Encoding,
  budget: number,
  cost: (text: string) => number,
): number {
  const points: CodePoint[] = [];
  let spent = 0;
  let used = 0;
  for (const point of codePoints(bytes, encoding)) {
    spent += cost(point.text);
    if (spent > budget && points.length > 0) break;
    points.push(point);
    used += point.length;
  }
  const after = [...codePoints(bytes.subarray(used, used + 4 * LOOK_BACK), encoding)];
  const drop = toBoundary(points, after);
  return points.slice(points.length - drop).reduce((left, point) => left - point.length, used);
}

/** Stored bytes of the longest tail of `bytes` whose cost stays within `budget`; at least one code point. */
export function cutTail(
  bytes: Uint8Array,
  encoding: Encoding,
  budget: number,
  cost: (text: string) => number,
): number {
  const points = [...codePoints(bytes, encoding)];
  let spent = 0;
  let first = points.length;
  while (first > 0) {
    spent += cost((points[first - 1] as CodePoint).text);
    if (spent > budget && first < points.length) break;
    first -= 1;
  }
  const skip = forward(points.slice(Math.max(0, first - LOOK_BACK), first), points.slice(first));
  return points.slice(first + skip).reduce((sum, point) => sum + point.length, 0);
}

/** The nearest start of a code point at or before `at` (0-based) in `bytes`. */
export function alignDown(bytes: Uint8Array, at: number, encoding: Encoding): number {
  if (encoding.unit === 4) return at - (at % 4);
  if (encoding.unit === 2) {
    const unit = at - (at % 2);
    return unit >= 2 && lengthAt(bytes, unit - 2, encoding) === 4 ? unit - 2 : unit;
  }
  // A sequence has at most three continuation bytes; more of them without a lead byte are not one.
  for (let back = 0; back <= 3 && at - back >= 0; back += 1) {
    const byte = bytes[at - back] ?? 0;
    if ((byte & 0xc0) !== 0x80) return back === 0 || sequenceLength(bytes, at - back) > back ? at - back : at;
  }
  return at;
}

/** Code points to drop before the cut so that it falls between graphemes. */
function toBoundary(before: readonly CodePoint[], after: readonly CodePoint[]): number {
  if (after.length === 0) return 0;
  const near = before.slice(-LOOK_BACK);
  const starts = graphemeStarts([...near, ...after.slice(0, LOOK_BACK)]);
  for (let keep = near.length; keep > 0; keep -= 1) {
    if (starts.has(keep)) return near.length - keep;
  }
  return 0;
}

/** Code points to drop after the cut so that it falls between graphemes. */
function forward(before: readonly CodePoint[], after: readonly CodePoint[]): number {
  if (before.length === 0) return 0;
  const starts = graphemeStarts([...before, ...after.slice(0, LOOK_BACK)]);
  for (let skip = 0; skip < Math.min(after.length, LOOK_BACK); skip += 1) {
    if (starts.has(before.length + skip)) return skip;
  }
  return 0;
}

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
  for (const { index } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
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
  if (encoding.unit === 4) return 4;
  if (encoding.unit === 1) return sequenceLength(bytes, at);
  const big = encoding.name === 'utf-16be' ? 0 : 1;
  const lead = bytes[at + big] ?? 0;
  const trail = bytes[at + 2 + big] ?? 0;
  return lead >= 0xd8 && lead <= 0xdb && trail >= 0xdc && trail <= 0xdf ? 4 : 2;
}

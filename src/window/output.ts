/**
 * Owns which lines of a command's output are shown: its last, its first or both, found in what was remembered of
 * it while it streamed by. Synchronous, so that a running command can be looked at.
 */

import { alignDown } from '../text/cut.ts';
import { decode, utf8 } from '../text/encoding.ts';
import type { Ends } from './ends.ts';
import { Budget, type Fit, sliceOf } from './fit.ts';
import type { CutBy, Excerpt, Limits, Line, Next } from './types.ts';

/** Which end of a long output is kept. */
export type Keep = 'head' | 'tail' | 'ends';

/** Lines found from one end. */
interface Found {
  readonly lines: readonly Line[];
  /** Absent when the search came to the other end. */
  readonly cutBy?: CutBy;
  readonly giant?: NonNullable<Excerpt['giant']>;
}

type Share = Pick<Limits, 'lines' | 'bytes' | 'tokens'>;

const NEWLINE = 10;
const RETURN = 13;

/** The excerpt of an output. `snap` says whether the last line of a head may be cut: `char` fills the budget. */
export function outputExcerpt(ends: Ends, keep: Keep, fit: Fit, snap: 'line' | 'char' = 'line'): Excerpt {
  if (keep === 'head') return fromHead(ends, headLines(ends, fit, fit.limits, snap));
  const tail = tailLines(ends, fit, fit.limits, 0);
  if (keep === 'tail' || !tail.cutBy) return fromTail(ends, tail);
  return fromBoth(ends, tail, fit);
}

function fromHead(ends: Ends, { lines, cutBy, giant }: Found): Excerpt {
  const last = lines.at(-1);
  const next = cutBy && after(last);
  return {
    ...excerptOf(ends, [lines]),
    ...(cutBy && { cutBy, ...(next && { next }) }),
    ...(giant && { giant }),
  };
}

function fromTail(ends: Ends, { lines, cutBy, giant }: Found): Excerpt {
  const next = cutBy && before(lines[0], ends);
  return {
    ...excerptOf(ends, [lines]),
    ...(cutBy && { cutBy, ...(next && { next }) }),
    ...(giant && { giant }),
  };
}

/** Half of the budget for each end; all of it for the tail where the first line alone is too much. */
function fromBoth(ends: Ends, tail: Found, fit: Fit): Excerpt {
  const { lines, bytes, tokens } = fit.limits;
  const [first, second] = [Math.ceil, Math.floor].map((round) => ({
    lines: round(lines / 2),
    bytes: round(bytes / 2),
    tokens: round(tokens / 2),
  })) as [Share, Share];
  const head = headLines(ends, fit, first, 'line').lines;
  const last = head.at(-1);
  if (!last || last.cut) return fromTail(ends, tail);
  const { lines: rest, cutBy = 'bytes', giant } = tailLines(ends, fit, second, last.end);
  const next = between(last, rest[0], ends);
  return {
    ...excerptOf(ends, [head, rest]),
    ...(next && { cutBy, next }),
    ...(giant && { giant }),
  };
}

function excerptOf(ends: Ends, parts: readonly (readonly Line[])[]): Excerpt {
  const shown = parts.flat();
  const last = shown.at(-1);
  let invalid = 0;
  for (const line of shown) if (line.text.includes('\ufffd')) invalid += line.text.split('\ufffd').length - 1;
  return {
    parts,
    totals: { bytes: ends.bytes, lines: ends.lines },
    invalid,
    ...(last && { span: { start: (shown[0] as Line).start, end: last.end } }),
    ...(last?.end === ends.bytes && !last.text.endsWith('\n') && { unterminated: true }),
  };
}

/** What follows a shown head. */
function after(last: Line | undefined): Next {
  if (!last) return { by: 'lines', ranges: [{ from: 1 }] };
  if (last.cut) return { by: 'bytes', start: last.end };
  return { by: 'lines', ranges: [{ from: (last.no as number) + 1 }] };
}

/** What goes before a shown tail, read backwards. The line of a slice is not done with: it is counted again. */
function before(first: Line | undefined, ends: Ends): Next {
  if (!first) return { by: 'tail', lines: ends.lines, before: ends.bytes };
  return { by: 'tail', lines: (first.no as number) - (first.cut ? 0 : 1), before: first.start };
}

/** What lies between a shown head and a shown tail, read backwards: its giant lines end where they end. */
function between(head: Line, tail: Line | undefined, ends: Ends): Next | undefined {
  const behind = { no: tail?.no ?? ends.lines + 1, start: tail?.start ?? ends.bytes };
  if (behind.start <= head.end) return undefined;
  const lines = behind.no - (head.no as number) - (tail?.cut ? 0 : 1);
  return { by: 'tail', lines, before: behind.start };
}

/** A line as remembered. */
interface StoredLine {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Whether neither its beginning nor its end lies beyond what is remembered or wanted. */
  readonly whole: boolean;
}

function headLines(ends: Ends, fit: Fit, share: Share, snap: 'line' | 'char'): Found {
  const budget = new Budget(fit, share);
  const lines: Line[] = [];
  let room = share.bytes;
  for (const { bytes, start, whole } of forwards(ends)) {
    const line = lineOf(bytes, start, lines.length + 1);
    const cutBy = whole ? budget.take(line) : 'bytes';
    if (!cutBy) {
      room -= fit.cost(line);
      lines.push(line);
      continue;
    }
    const alone = lines.length === 0;
    if (cutBy === 'lines' || (!alone && snap === 'line')) return { lines, cutBy };
    const slice = sliceOf(bytes.subarray(0, share.bytes), utf8, within(fit, share), 'head', room);
    const cut: Line = { ...lineOf(slice, start, lines.length + 1), cut: 'slice' };
    // At least one character is cut off, even where there is no room for it.
    if (!alone && fit.cost(cut) > room) return { lines, cutBy };
    return { lines: [...lines, cut], cutBy: 'line', ...(alone && { giant: { no: 1, start: 0 } }) };
  }
  return { lines, ...((lines.at(-1)?.end ?? 0) < ends.bytes && { cutBy: 'bytes' as const }) };
}

/** Lines from the end back to byte `floor`. */
function tailLines(ends: Ends, fit: Fit, share: Share, floor: number): Found {
  const budget = new Budget(fit, share);
  const lines: Line[] = [];
  for (const { bytes, start, whole } of backwards(ends, floor)) {
    const line = lineOf(bytes, start, ends.lines - lines.length);
    const cutBy = budget.take(line);
    if (cutBy && (lines.length > 0 || cutBy === 'lines')) return { lines, cutBy };
    if (cutBy) return slicedTail(ends, within(fit, share), bytes, line);
    lines.unshift(whole ? line : { ...line, cut: 'slice' });
  }
  return { lines, ...((lines[0]?.start ?? ends.bytes) > floor && { cutBy: 'bytes' as const }) };
}

/** The last bytes of a last line that is over the budget. */
function slicedTail(ends: Ends, fit: Fit, bytes: Uint8Array, { no, end }: Line): Found {
  // Nothing is shown shorter than it is stored, so that no more can fit; walking all of it would be slow.
  const from = alignDown(bytes, Math.max(0, bytes.length - fit.limits.bytes), utf8);
  const slice = sliceOf(bytes.subarray(from), utf8, fit, 'tail', fit.limits.bytes);
  const giant = { no: no as number, start: ends.lastLine, bytes: end - ends.lastLine };
  return { lines: [{ ...lineOf(slice, end - slice.length, giant.no), cut: 'slice' }], cutBy: 'line', giant };
}

function within(fit: Fit, share: Share): Fit {
  return { ...fit, limits: { ...fit.limits, ...share } };
}

/** Remembered lines from the beginning. */
function* forwards(ends: Ends): Generator<StoredLine> {
  const bytes = ends.head;
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    yield { bytes: bytes.subarray(at, end), start: at, whole: newline !== -1 || end === ends.bytes };
    at = end;
  }
}

/** Remembered lines from the end back to byte `floor`. */
function* backwards(ends: Ends, floor: number): Generator<StoredLine> {
  const { start, bytes } = ends.tail;
  const lowest = Math.max(0, floor - start);
  for (let end = bytes.length; end > lowest;) {
    const at = end < 2 ? 0 : bytes.lastIndexOf(NEWLINE, end - 2) + 1;
    const known = at > 0 || start === 0;
    // Of a line that began before what is remembered, a terminal would show what came after a carriage return.
    const from = Math.max(known ? at : bytes.subarray(0, Math.max(0, end - 2)).indexOf(RETURN) + 1, lowest);
    if (!known && from === 0 && end < bytes.length) return;
    yield { bytes: bytes.subarray(from, end), start: start + from, whole: known && from === at };
    if (!known) return;
    end = from;
  }
}

function lineOf(bytes: Uint8Array, start: number, no: number): Line {
  return { no, start, end: start + bytes.length, text: decode(bytes, utf8).text, role: 'asked' };
}

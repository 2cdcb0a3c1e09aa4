/** Picks the lines of a captured output that fit, from its beginning or from its end. */

import { alignDown } from '../text/cut.ts';
import { decode, utf8 } from '../text/encoding.ts';
import type { CutBy, Excerpt, Line } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';
import type { Ends } from './ends.ts';
import { Budget, type Fit, sliceOf } from './fit.ts';

/** The captured parts and counts of an output. */
export type CapturedOutput = Pick<Ends, 'bytes' | 'lines' | 'lastLine' | 'head' | 'tail'>;

export type Share = Pick<Limits, 'lines' | 'bytes' | 'tokens'>;

export interface DecodedLine {
  readonly line: Line;
  /** Number of invalid UTF-8 sequences in it. */
  readonly invalid: number;
}

export interface PickedLines {
  readonly lines: readonly DecodedLine[];
  /** Absent if all lines fit. */
  readonly cutBy?: CutBy;
  readonly oversized?: NonNullable<Excerpt['oversized']>;
}

const NEWLINE = 10;
const RETURN = 13;

/** Lines from the beginning. With `snap: 'char'`, the first line that does not fit is cut to fill the budget. */
export function headLines(
  output: CapturedOutput,
  fit: Fit,
  share: Share,
  snap: 'line' | 'char',
): PickedLines {
  const budget = new Budget(fit, share);
  const lines: DecodedLine[] = [];
  let room = share.bytes;
  for (const { bytes, start, whole } of forwards(output)) {
    const decoded = decodedLine(bytes, start, lines.length + 1);
    const cutBy = whole ? budget.take(decoded.line) : 'bytes';
    if (!cutBy) {
      room -= fit.cost(decoded.line);
      lines.push(decoded);
      continue;
    }
    const alone = lines.length === 0;
    if (cutBy === 'lines' || (!alone && snap === 'line')) return { lines, cutBy };
    const most = (bytes.length > share.bytes && alignDown(bytes, share.bytes, utf8)) || bytes.length;
    const slice = sliceOf(bytes.subarray(0, most), utf8, within(fit, share), 'head', room);
    const cut = decodedLine(slice, start, lines.length + 1, 'slice');
    // A slice has at least one character, even if that does not fit.
    if (!alone && fit.cost(cut.line) > room) return { lines, cutBy };
    return { lines: [...lines, cut], cutBy: 'line', ...(alone && { oversized: { no: 1, start: 0 } }) };
  }
  const end = lines.at(-1)?.line.end ?? 0;
  return { lines, ...(end < output.bytes && { cutBy: 'bytes' as const }) };
}

/** Lines from the end back to byte `floor`. Of a last line that exceeds the budget, the last bytes are shown. */
export function tailLines(output: CapturedOutput, fit: Fit, share: Share, floor = 0): PickedLines {
  const budget = new Budget(fit, share);
  const lines: DecodedLine[] = [];
  for (const { bytes, start, whole } of backwards(output, floor)) {
    const decoded = decodedLine(bytes, start, output.lines - lines.length, whole ? undefined : 'slice');
    const cutBy = budget.take(decoded.line);
    if (cutBy && (lines.length > 0 || cutBy === 'lines')) return { lines, cutBy };
    if (cutBy) return slicedTail(output, within(fit, share), bytes, decoded.line);
    lines.unshift(decoded);
  }
  const start = lines[0]?.line.start ?? output.bytes;
  return { lines, ...(start > floor && { cutBy: 'bytes' as const }) };
}

function slicedTail(output: CapturedOutput, fit: Fit, bytes: Uint8Array, { no, end }: Line): PickedLines {
  // Text is never shown in fewer bytes than it is stored in, so more bytes cannot fit.
  const from = alignDown(bytes, Math.max(0, bytes.length - fit.limits.bytes), utf8);
  const slice = sliceOf(bytes.subarray(from), utf8, fit, 'tail', fit.limits.bytes);
  const oversized = { no: no as number, start: output.lastLine, bytes: end - output.lastLine };
  return { lines: [decodedLine(slice, end - slice.length, oversized.no, 'slice')], cutBy: 'line', oversized };
}

function within(fit: Fit, share: Share): Fit {
  return { ...fit, limits: { ...fit.limits, ...share } };
}

/** A line of the captured bytes. */
interface StoredLine {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Whether its beginning and its end are within the captured and requested bytes. */
  readonly whole: boolean;
}

function* forwards(output: CapturedOutput): Generator<StoredLine> {
  const bytes = output.head;
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    yield { bytes: bytes.subarray(at, end), start: at, whole: newline !== -1 || end === output.bytes };
    at = end;
  }
}

function* backwards(output: CapturedOutput, floor: number): Generator<StoredLine> {
  const { start, bytes } = output.tail();
  const lowest = Math.max(0, floor - start);
  for (let end = bytes.length; end > lowest;) {
    const at = end < 2 ? 0 : bytes.lastIndexOf(NEWLINE, end - 2) + 1;
    const known = at > 0 || start === 0;
    const from = Math.max(known ? at : redrawnAt(bytes.subarray(0, end)), lowest);
    if (!known && from === 0 && end < bytes.length) return;
    yield { bytes: bytes.subarray(from, end), start: start + from, whole: known && from === at };
    if (!known) return;
    end = from;
  }
}

/**
 * If the beginning of a line was not captured, a terminal would still show the text after a carriage return: returns the
 * position of that text, or 0 if there is no carriage return except at the end of the line.
 */
function redrawnAt(line: Uint8Array): number {
  return line.subarray(0, Math.max(0, line.length - 2)).indexOf(RETURN) + 1;
}

function decodedLine(bytes: Uint8Array, start: number, no: number, cut?: 'slice'): DecodedLine {
  const { text, invalid } = decode(bytes, utf8);
  const line: Line = { no, start, end: start + bytes.length, text, role: 'asked', ...(cut && { cut }) };
  return { line, invalid };
}

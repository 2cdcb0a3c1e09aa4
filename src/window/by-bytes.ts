/**
 * Windows by byte offsets, rounded to whole lines. A start inside a line is moved back to the start of the line, except
 * inside an oversized line, which is shown in slices. Paging from the end of each window visits every byte once.
 */

import { readAt } from '../access/bytes.ts';
import { alignDown, codePoints } from '../text/cut.ts';
import { decode } from '../text/encoding.ts';
import type { Encoding } from '../types/encoding.ts';
import type { CutBy, Excerpt, Line } from '../types/excerpt.ts';
import type { Yield } from './by-lines.ts';
import { Budget, type Fit, SPARE, holdFor, isOversized, sliceOf, windowBudget } from './fit.ts';
import { type TextInput, toLine, wholeLine } from './input.ts';
import { LineReader, type StoredLine } from './line-reader.ts';
import { startOfLineBefore } from './line-start.ts';

/** Bytes to read beyond the last requested byte: most lines end within them. */
const READ_OVER = 4096;

/** `start` and `length` in stored bytes; the length is clamped to [1, limits.windowMax]. */
export async function bytesWindow(
  input: TextInput,
  start: number,
  length: number | undefined,
  fit: Fit,
): Promise<Yield> {
  const { source, encoding, signal } = input;
  const { windowMax, window } = fit.limits;
  const wanted = Math.min(Math.max(length ?? window, 1), windowMax);
  if ((await readAt(source, start, 1, signal)).length === 0) {
    return { parts: [], invalid: 0, ...((start > encoding.bom || source.size !== 0) && { pastEnd: true }) };
  }
  const asked = Math.max(start, encoding.bom);
  const { begin, inside } = await windowStart(asked, input, fit);
  const end = asked + wanted;
  // Inside an oversized line only the slice is needed; otherwise whole lines, up to the one with the last byte.
  const hold = (inside ? end - begin : windowMax) + SPARE;
  const reader = new LineReader(source, encoding, begin, hold, signal, end - begin + READ_OVER);
  const no = input.counted ? await input.index.lineAt(begin, source, signal, input.onScan) : undefined;
  const from: From = { begin, end, no, reader, input, fit };
  const { lines, invalid, cutBy, oversized } = inside ? await oversizedLine(from) : await wholeLines(from);
  const shownTo = lines.at(-1)?.end ?? begin;
  const more = (await readAt(source, shownTo, 1, signal)).length > 0;
  return {
    parts: [lines],
    invalid,
    span: { start: begin, end: shownTo },
    ...(more && { cutBy, next: { by: 'bytes' as const, start: shownTo, length: wanted } }),
    ...(oversized && { oversized }),
  };
}

interface From {
  /** Half-open, in stored bytes. */
  readonly begin: number;
  readonly end: number;
  /** The number (1-based) of the line that contains `begin`. */
  readonly no: number | undefined;
  /** Positioned at `begin`; holds as many bytes of a line as a window may have. */
  readonly reader: LineReader;
  readonly input: TextInput;
  readonly fit: Fit;
}

interface Got {
  readonly lines: readonly Line[];
  readonly invalid: number;
  readonly cutBy: CutBy;
  readonly oversized?: Excerpt['oversized'];
}

/** Lines up to the one with the last requested byte, or to the last one that fits into the window. */
async function wholeLines(from: From): Promise<Got> {
  const { begin, end, reader, input, fit } = from;
  const { windowMax } = fit.limits;
  const budget = new Budget(fit, { ...fit.limits, lines: fit.limits.answerLines, bytes: windowMax });
  const tally = { invalid: 0 };
  const lines: Line[] = [];
  let { no } = from;
  for (let at = begin; at < end;) {
    const stored = reader.buffered() ?? (await reader.next());
    if (!stored) break;
    const fits = stored.end !== undefined && stored.end - begin <= windowMax;
    const seen = { invalid: 0 };
    const line = fits ? wholeLine(stored, no, input.encoding, seen) : undefined;
    const refusedBy = line ? budget.take(line) : 'window';
    if (line && !refusedBy) {
      tally.invalid += seen.invalid;
      lines.push(line);
      at = line.end;
      no = no === undefined ? undefined : no + 1;
      continue;
    }
    if (lines.length > 0) return { lines, invalid: tally.invalid, cutBy: refusedBy ?? 'window' };
    return oversizedPart({ ...from, no }, stored);
  }
  return { lines, invalid: tally.invalid, cutBy: 'window' };
}

/** The requested slice of an oversized line, without the lines after it: a slice is never shown with whole lines. */
async function oversizedLine(from: From): Promise<Got> {
  const stored = await from.reader.next();
  return stored ? oversizedPart(from, stored) : { lines: [], invalid: 0, cutBy: 'line' };
}

async function oversizedPart(from: From, stored: StoredLine): Promise<Got> {
  const { begin, end, no, input, fit } = from;
  const tally = { invalid: 0 };
  const line = slice(stored, end - begin, no, input, fit, tally);
  const oversized = await oversizedAt(begin, no, input);
  return { lines: [line], invalid: tally.invalid, cutBy: 'line', oversized };
}

function slice(
  stored: StoredLine,
  length: number,
  no: number | undefined,
  { encoding }: TextInput,
  fit: Fit,
  tally: { invalid: number },
): Line {
  const { bytes } = stored;
  const end = cutBefore(bytes, length, encoding);
  const part = sliceOf(bytes.subarray(0, end), encoding, fit, 'head', windowBudget(fit));
  return { ...toLine(part, stored.start, no, encoding, tally), cut: 'slice' };
}

/**
 * The position at which to cut `bytes` (the rest of a line), at most `length`. A character or a CRLF that straddles the
 * cut goes to the next slice, unless this slice would be empty without it.
 */
function cutBefore(bytes: Uint8Array, length: number, encoding: Encoding): number {
  if (length >= bytes.length) return bytes.length;
  const { unit, scanner } = encoding;
  const [first] = codePoints(bytes.subarray(0, 8), encoding);
  const cut = alignDown(bytes, length, encoding) || (first?.length ?? unit);
  const splits =
    scanner.after(bytes.subarray(cut, cut + unit), 1) !== -1 && endsInReturn(bytes, cut, encoding);
  return splits ? cut - unit || cut + unit : cut;
}

function endsInReturn(bytes: Uint8Array, end: number, encoding: Encoding): boolean {
  return decode(bytes.subarray(end - encoding.unit, end), encoding).text === '\r';
}

/** Facts about the oversized line that contains `begin`; with its length if lines are counted. */
async function oversizedAt(
  begin: number,
  no: number | undefined,
  { index, source, signal, onScan }: TextInput,
): Promise<NonNullable<Excerpt['oversized']>> {
  if (no === undefined) return { start: begin };
  const { start, end } = (await index.boundsOf(no, source, signal, onScan)) ?? { start: begin, end: begin };
  return { no, start, bytes: end - start };
}

/** The first byte of a window that was requested from `start`, and whether it is inside an oversized line. */
export async function windowStart(
  start: number,
  input: TextInput,
  fit: Fit,
): Promise<{ begin: number; inside: boolean }> {
  const { source, encoding, signal } = input;
  const hold = holdFor(fit, encoding);
  const unit = start - ((start - encoding.bom) % encoding.unit);
  if (unit <= encoding.bom) return { begin: encoding.bom, inside: false };
  const before = await startOfLineBefore(unit + encoding.unit, hold + encoding.unit, input);
  if (before.start !== undefined) {
    if (before.start >= unit) return { begin: unit, inside: false };
    const line = await new LineReader(source, encoding, before.start, hold, signal).next();
    const oversized = !line || line.end === undefined || isOversized(line, encoding, fit);
    if (!oversized) return { begin: before.start, inside: false };
  }
  // Legacy encodings have no character boundaries to find backwards; `start` is taken from a notice, which names one.
  if (encoding.legacy) return { begin: unit, inside: true };
  const near = Math.max(encoding.bom, unit - 4);
  const bytes = await readAt(source, near, 8, signal);
  return { begin: near + alignDown(bytes, unit - near, encoding), inside: true };
}

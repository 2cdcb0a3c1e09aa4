/** Makes the excerpt of a window: the lines by the kind of window, and the totals of the text. */

import type { CutBy, Excerpt, Limits, Line, Mutable, TextEncoding, Window } from '../types/excerpt.ts';
import { linesWindow, type WindowYield } from './by-lines.ts';
import { alignDown, codePoints, readAt } from './bytes.ts';
import { decode } from './encoding.ts';
import {
  AnswerBudget,
  type AnswerFit,
  holdFor,
  isOversized,
  shownOfWindow,
  sliceOf,
  SPARE,
  windowBudget,
} from './limits.ts';
import {
  BackwardReader,
  LineReader,
  startOfLineBefore,
  type StoredLine,
  type TextInput,
  toLine,
  wholeLine,
} from './line-reader.ts';

const wholeText: Window = { kind: 'lines', ranges: [{ from: 1 }], context: false };

/** The excerpt of `window` (the whole text when absent) within the limits of `fit`. */
export async function cutWindow(
  input: TextInput,
  window: Window | undefined,
  fit: AnswerFit,
): Promise<Excerpt> {
  const yielded = await byKind(input, window ?? wholeText, fit);
  const { source, index, signal, onScan } = input;
  const last = yielded.parts.findLast((part) => part.length > 0)?.at(-1);
  const isAtEnd = last?.end === source.size && last?.cut === undefined;
  const counted = isAtEnd && last?.no !== undefined ? last.no : undefined;
  const lines = input.counted ? (counted ?? (await index.total(source, signal, onScan))) : undefined;
  const totals: Mutable<Excerpt['totals']> = {};
  if (source.size !== undefined && (input.counted || !source.streamed)) totals.bytes = source.size;
  if (lines !== undefined) totals.lines = lines;
  const found: Mutable<Excerpt> = { ...yielded, totals };
  if (input.encoding.unit === 1 && yielded.parts.flat().some(({ text }) => text.includes('\0')))
    found.hasNul = true;
  if (last && isAtEnd && !last.text.endsWith('\n')) found.unterminated = true;
  return found;
}

function byKind(input: TextInput, window: Window, fit: AnswerFit): ReturnType<typeof linesWindow> {
  switch (window.kind) {
    case 'lines':
      return linesWindow(input, window.ranges, window.context === true, fit, window.inside);
    case 'bytes':
      return bytesWindow(input, window.start, window.length, fit);
    case 'ends':
      return endsWindow(input, window.from, window.most, fit);
    case 'tail':
      return tailWindow(input, window.lines, window.before, fit);
  }
}

/**
 * All lines from line `from` (1-based) on if there are at most `most`; otherwise about half of them from each end,
 * as two parts. The budget is halved likewise.
 */
async function endsWindow(
  input: TextInput,
  from: number,
  most: number,
  fit: AnswerFit,
): Promise<WindowYield> {
  const all = await linesWindow(input, [{ from }], false, withLimits(fit, { lines: most }));
  if (!all.next) return all;
  const total = await input.index.total(input.source, input.signal, input.onScan);
  const { bytes, tokens } = fit.limits;
  const half = withLimits(fit, { bytes: Math.ceil(bytes / 2), tokens: Math.ceil(tokens / 2) });
  const head = await linesWindow(input, [{ from, to: from + Math.ceil(most / 2) - 1 }], false, half);
  const shown = head.parts.at(-1)?.at(-1);
  const last = shown?.no ?? from - 1;
  const tail = await lastLines(input, Math.max(last + 1, total - Math.floor(most / 2) + 1), half);
  return {
    parts: [...head.parts, ...tail.parts],
    invalid: head.invalid + tail.invalid,
    cutBy: all.cutBy || undefined,
    next:
      shown?.cut === 'slice'
        ? { kind: 'lines', ranges: [{ from: last }], inside: shown.end }
        : { kind: 'lines', ranges: [{ from: last + 1 }] },
  };
}

/** The longest run of lines at the end, not before line `from`, that fits; empty if the last line alone does not fit. */
async function lastLines(input: TextInput, from: number, fit: AnswerFit): Promise<WindowYield> {
  const tail = await linesWindow(input, [{ from }], false, fit);
  if (!tail.next) return tail;
  const shown = tail.parts.flat().length;
  const total = await input.index.total(input.source, input.signal, input.onScan);
  // Retries with fewer lines. As many as fitted from `from` on is a good estimate.
  const fewer = Math.max(from + 1, total - shown + 1);
  return fewer > total ? { parts: [], invalid: 0 } : lastLines(input, fewer, fit);
}

function withLimits(fit: AnswerFit, limits: Partial<AnswerFit['limits']>): AnswerFit {
  return { ...fit, limits: { ...fit.limits, ...limits } };
}

// The end of a byte window that is larger than an answer.

/**
 * The excerpt of `window`. If the requested length exceeds the largest window, `next` requests what is left of it, so that
 * following the notices ends near the requested end, as for a range of lines.
 */
export function cutAtRequestedEnd(
  excerpt: Excerpt,
  window: Window | undefined,
  { windowMax }: Limits,
): Excerpt {
  const { next } = excerpt;
  if (window?.kind !== 'bytes' || next?.kind !== 'bytes') return excerpt;
  const { start, length = 0 } = window;
  const left = start + length - next.start;
  return length <= windowMax || left <= 0 ? excerpt : { ...excerpt, next: { ...next, length: left } };
}

/** The excerpt without the lines behind the last place where it may end; as it is if there is none behind its first line. */
export function cutAtWhole(
  excerpt: Excerpt,
  mayEndBefore: (line: string, previous: string) => boolean,
): Excerpt {
  const { next, parts, span } = excerpt;
  const lines = parts.at(-1) ?? [];
  if (next?.kind !== 'lines' || next.inside !== undefined) return excerpt;
  const at = lines.findLastIndex(({ text }, i) => i > 0 && mayEndBefore(text, lines[i - 1]?.text ?? ''));
  const { no, start: end } = lines[at] ?? {};
  if (no === undefined || end === undefined) return excerpt;
  const [, ...ranges] = next.ranges;
  return {
    ...excerpt,
    parts: [...parts.slice(0, -1), lines.slice(0, at)],
    next: { kind: 'lines', ranges: [{ from: no, to: next.ranges[0]?.to }, ...ranges] },
    span: span && { start: span.start, end },
  };
}

// Windows from the end: the last lines of a text, or the last lines before a byte. Pages go backwards.

/** The last `count` lines before byte `before` (exclusive; the end when absent). Reads little more than it shows. */
async function tailWindow(
  input: TextInput,
  count: number,
  before: number | undefined,
  fit: AnswerFit,
): Promise<WindowYield> {
  const { encoding, signal } = input;
  const size = await endOf(input);
  const end = Math.min(before ?? size, size);
  const reader = new BackwardReader(input.source, end, encoding, signal);
  const hold = holdFor(fit, encoding);
  const budget = new AnswerBudget(fit, fit.limits);
  const tally = { invalid: 0 };
  const lines: Line[] = [];
  let at = end;
  let no =
    input.counted && end > encoding.bom
      ? await input.index.lineAt(end - encoding.unit, reader, signal, input.onScan)
      : undefined;
  let cutBy: CutBy | undefined;
  let oversized: WindowYield['oversized'];
  while (lines.length < count && at > encoding.bom) {
    const stored = await reader.lineBefore(at, hold);
    if (stored.start === undefined || isOversized(stored, encoding, fit)) {
      cutBy = budget.lines < 1 ? 'lines' : 'bytes';
      if (lines.length > 0) break;
      const slice = sliceOf(stored.bytes, encoding, fit, 'tail');
      const line: Line = { ...toLine(slice, at - slice.length, no, encoding, tally), cut: 'slice' };
      lines.push(line);
      oversized = { start: line.start, no };
      at = line.start;
      cutBy = 'line';
      break;
    }
    const seen = { invalid: 0 };
    const line = toLine(stored.bytes, stored.start, no, encoding, seen);
    cutBy = budget.take(line);
    if (cutBy) break;
    tally.invalid += seen.invalid;
    lines.push(line);
    at = stored.start;
    no = no === undefined ? undefined : no - 1;
  }
  lines.reverse();
  const last = lines.at(-1);
  const cutEnd = last && !last.cut && end < size ? await cutEndOf(last, input, reader, fit) : undefined;
  // The next call counts the line of a slice again.
  const left = oversized ? count : count - lines.length;
  return {
    parts: [lines],
    invalid: tally.invalid,
    span: { start: at, end },
    ...(cutBy && at > encoding.bom && { cutBy, next: { kind: 'tail' as const, lines: left, before: at } }),
    oversized,
    cutEnd,
  };
}

/** Set if the line goes on after its shown part. The answers of a chain through an oversized line end so, too. */
async function cutEndOf(
  { no, end }: Line,
  input: TextInput,
  reader: BackwardReader,
  fit: AnswerFit,
): Promise<Excerpt['cutEnd']> {
  const { encoding, signal } = input;
  const { bom, unit, scanner } = encoding;
  const from = end - ((end - bom) % unit || unit);
  const last = await readAt(reader, from, unit, signal);
  if ((end - bom) % unit === 0 && scanner.after(last, 1) !== -1) return undefined;
  // Byte windows show an oversized line from this byte on, and other lines whole.
  const { inside } = await windowStart(end, input, fit);
  const whole = no !== undefined && !inside;
  return {
    at: end,
    rest: whole ? { kind: 'lines', ranges: [{ from: no, to: no }] } : { kind: 'bytes', start: end },
  };
}

/** The size of the text. A stream is first read to its end. */
async function endOf({ source, signal }: TextInput): Promise<number> {
  const step = 4 << 20;
  for (let at = 0; source.size === undefined; at += step)
    await source.readInto(new Uint8Array(1), at, signal);
  return source.size;
}

// Windows by byte offsets, rounded to whole lines. A start inside a line is moved back to the start of the line, except
// inside an oversized line, which is shown in slices. Paging from the end of each window visits every byte once.

/** Bytes to read beyond the last requested byte: most lines end within them. */
const READ_OVER = 4096;

/** `start` and `length` in stored bytes; the length is clamped to [1, limits.windowMax]. */
async function bytesWindow(
  input: TextInput,
  start: number,
  length: number | undefined,
  fit: AnswerFit,
): Promise<WindowYield> {
  const { source, encoding, signal } = input;
  const { windowMax, window } = fit.limits;
  const wanted = Math.min(Math.max(length ?? window, 1), windowMax);
  if ((await readAt(source, start, 1, signal)).length === 0) {
    return { parts: [], invalid: 0, pastEnd: start > encoding.bom || source.size !== 0 || undefined };
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
    cutBy: more ? cutBy : undefined,
    next: more ? { kind: 'bytes' as const, start: shownTo, length: wanted } : undefined,
    oversized,
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
  readonly fit: AnswerFit;
}

interface Got {
  readonly lines: readonly Line[];
  readonly invalid: number;
  readonly cutBy: CutBy;
  readonly oversized?: Excerpt['oversized'] | undefined;
}

/** Lines up to the one with the last requested byte, or to the last one that fits into the window. */
async function wholeLines(from: From): Promise<Got> {
  const { begin, end, reader, input, fit } = from;
  const { windowMax } = fit.limits;
  const budget = new AnswerBudget(fit, {
    ...fit.limits,
    lines: fit.limits.answerLines,
    bytes: shownOfWindow(fit.limits),
  });
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
  fit: AnswerFit,
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
function cutBefore(bytes: Uint8Array, length: number, encoding: TextEncoding): number {
  if (length >= bytes.length) return bytes.length;
  const { unit, scanner } = encoding;
  const [first] = codePoints(bytes.subarray(0, 8), encoding);
  const cut = alignDown(bytes, length, encoding) || (first?.length ?? unit);
  const splits =
    scanner.after(bytes.subarray(cut, cut + unit), 1) !== -1 && endsInReturn(bytes, cut, encoding);
  return splits ? cut - unit || cut + unit : cut;
}

function endsInReturn(bytes: Uint8Array, end: number, encoding: TextEncoding): boolean {
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
async function windowStart(
  start: number,
  input: TextInput,
  fit: AnswerFit,
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

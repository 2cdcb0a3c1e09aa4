/** Windows by line numbers: one or several ranges within one budget, with lines of context if they fit. */

import type { CutBy, Excerpt, Line, LongLine, Range } from '../types/excerpt.ts';
import { alignDown, readAt } from './bytes.ts';
import { decode } from './encoding.ts';
import { AnswerBudget, type AnswerFit, holdFor, isOversized, safeLength, sliceOf } from './limits.ts';
import { LineReader, type StoredLine, type TextInput, toLine, wholeLine } from './line-reader.ts';
import { visibleBytes } from './visible.ts';

/** Lines of context before the start and after the end of a requested range. */
const CONTEXT_BEFORE = 1;
const CONTEXT_AFTER = 3;

type Part = { lines: Line[]; range: Range };

/** An excerpt without its totals. */
export type WindowYield = Omit<Excerpt, 'totals'>;

/** `inside`: see `Window`. */
export async function linesWindow(
  input: TextInput,
  ranges: readonly Range[],
  context: boolean,
  fit: AnswerFit,
  inside?: number,
): Promise<WindowYield> {
  const budget = new AnswerBudget(fit, fit.limits);
  const tally = { invalid: 0 };
  const parts: Part[] = [];
  let stop: Stop | undefined;
  let lastLine: number | undefined;
  for (const [i, range] of ranges.entries()) {
    const part: Part = { lines: [], range };
    const begin = i === 0 ? inside : undefined;
    const outcome = await readRange(input, part, budget, fit, tally, parts.length === 0, begin);
    if (outcome === 'past-end') {
      // The index has scanned to the end, so the total is known.
      lastLine = await input.index.total(input.source, input.signal, input.onScan);
      break;
    }
    const { no: shown = range.from } = part.lines.at(-1) ?? {};
    if (outcome === undefined && range.to !== undefined && shown < range.to) lastLine = shown;
    if (part.lines.length > 0) {
      if (parts.length > 0) budget.takeGap();
      parts.push(part);
    }
    if (outcome !== undefined) {
      stop = { ...outcome, rest: [...outcome.rest, ...ranges.slice(i + 1)] };
      break;
    }
  }
  if (fit.overflow === 'refuse' && stop?.cutBy) {
    return {
      parts: [],
      invalid: 0,
      refusedBy: stop.cutBy,
      oversized: stop.oversized,
    };
  }
  const first = parts[0]?.lines[0];
  const last = parts.at(-1)?.lines.at(-1);
  if (context) await addContext(input, parts, budget, fit, stop === undefined);
  return {
    parts: parts.map((part) => part.lines),
    invalid: tally.invalid,
    span: first && last ? { start: first.start, end: last.end } : undefined,
    pastEnd: (stop === undefined && !first) || undefined,
    lastLine,
    cutBy: stop?.cutBy,
    oversized: stop?.oversized,
    ...(stop && nextOf(stop, fit)),
  };
}

interface Stop {
  readonly cutBy: CutBy;
  /** Ranges not shown yet. */
  readonly rest: readonly Range[];
  /** The byte at which the rest of an oversized line begins. */
  readonly inside?: number | undefined;
  readonly oversized?: NonNullable<Excerpt['oversized']> | undefined;
  /** The rest of the line cannot be shown by this fit. */
  readonly deadEnd?: boolean | undefined;
}

function nextOf(stop: Stop, { limits, nextIsLarger }: AnswerFit): Pick<Excerpt, 'next'> {
  if (stop.deadEnd) return {};
  const { rest, inside } = stop;
  if (inside === undefined) return { next: { kind: 'lines', ranges: rest } };
  // A byte window continues to the end of the text; it cannot stop at the end of a range.
  const toEnd = rest.length === 1 && rest[0]?.to === undefined && !nextIsLarger;
  return {
    next: toEnd
      ? { kind: 'bytes', start: inside, length: limits.window }
      : { kind: 'lines', ranges: rest, inside },
  };
}

async function readRange(
  input: TextInput,
  part: Part,
  budget: AnswerBudget,
  fit: AnswerFit,
  tally: { invalid: number },
  firstOfAll: boolean,
  inside: number | undefined,
): Promise<Stop | 'past-end' | undefined> {
  const { source, encoding, signal } = input;
  const { from, to = Number.POSITIVE_INFINITY } = part.range;
  const start = await beginOf(from, inside, input);
  if (start === undefined) return 'past-end';
  const reader = new LineReader(source, encoding, start, holdFor(fit, encoding), signal);
  const safe = safeLength(fit);
  for (let no = from; no <= to; no += 1) {
    const stored = reader.buffered() ?? (await reader.next());
    if (!stored) return part.lines.length === 0 ? 'past-end' : undefined;
    const alone = firstOfAll && part.lines.length === 0;
    if (fit.longLine.kind === 'clip') {
      // The fast path: most lines are plain and short.
      if (stored.text !== undefined && stored.length <= fit.longLine.at) {
        const line = wholeLine(stored, no, encoding, tally);
        if (budget.take(line) === undefined) {
          part.lines.push(line);
          continue;
        }
      }
      const clip = await clippable(input, stored, reader, no, fit.longLine);
      const { line, cutBy } = takeClipped(clip, fit.longLine.at, budget, alone && fit.overflow === 'cut');
      if (cutBy) return { cutBy, rest: restOf(part, no) };
      if (!line.cut) tally.invalid += clip.invalid;
      part.lines.push(line);
      continue;
    }
    const oversized =
      stored.end === undefined || (stored.length > safe && isOversized(stored, encoding, fit));
    if (oversized && !alone) return { cutBy: budget.lines < 1 ? 'lines' : 'bytes', rest: restOf(part, no) };
    if (oversized) {
      const stop = await sliceLine({ input, stored, fit, part, no, tally, rest: restOf(part, no), budget });
      if (stop) return stop;
      continue;
    }
    const whole = wholeLine(stored, no, encoding, tally);
    // The rest of an oversized line, whose beginning was in another answer.
    const line: Line = no === from && inside !== undefined ? { ...whole, cut: 'slice' } : whole;
    const cutBy = budget.take(line);
    if (cutBy) return { cutBy, rest: restOf(part, no) };
    part.lines.push(line);
  }
  return undefined;
}

/** The byte at which line `from` begins, or byte `inside` if that is in the line; undefined past the end. */
async function beginOf(
  from: number,
  inside: number | undefined,
  { index, source, encoding, signal, onScan }: TextInput,
): Promise<number | undefined> {
  const start = await index.startOf(from, source, signal, onScan);
  if (start === undefined || inside === undefined || inside <= start) return start;
  // A byte in another line is ignored: the file has changed, or the caller made a mistake.
  if ((await index.lineAt(inside, source, signal, onScan)) !== from) return start;
  const at = inside - ((inside - start) % encoding.unit);
  // Legacy encodings have no character boundaries to find backwards; `inside` is taken from a notice, which names one.
  if (encoding.legacy) return at;
  const near = Math.max(start, at - 4);
  const bytes = await readAt(source, near, 8, signal);
  return near + alignDown(bytes, at - near, encoding);
}

function restOf({ range }: Part, no: number): readonly Range[] {
  return [{ ...range, from: no }];
}

/** If no other line was shown (`alone`), the line is shortened until it fits: without any line there is no next page. */
function takeClipped(
  clip: ClippableLine,
  most: number,
  budget: AnswerBudget,
  alone: boolean,
): { line: Line; cutBy: CutBy | undefined } {
  for (let at = most; ; at = Math.floor(at / 2)) {
    const line = clip.to(at);
    const cutBy = budget.take(line);
    if (!cutBy || cutBy === 'lines' || !alone || at < 1) return { line, cutBy };
  }
}

interface OversizedLine {
  readonly input: TextInput;
  readonly stored: StoredLine;
  readonly fit: AnswerFit;
  readonly part: Part;
  readonly no: number;
  readonly tally: { invalid: number };
  readonly rest: readonly Range[];
  readonly budget: AnswerBudget;
}

/**
 * Shows the head of an oversized line that is the first line of an answer, or nothing if the fit does not slice lines.
 * Returns undefined if the head is the whole line: in UTF-16 a line may have more stored bytes than shown bytes.
 */
async function sliceLine(line: OversizedLine): Promise<Stop | undefined> {
  const { input, stored, fit, part, no, tally, rest, budget } = line;
  const { index, source, signal, onScan } = input;
  const bounds = input.counted ? await index.boundsOf(no, source, signal, onScan) : undefined;
  const end = stored.end ?? bounds?.end;
  // An answer that continues inside the line does not begin at its start. Without its end the start is of no use.
  const start =
    bounds?.start ??
    (end === undefined ? undefined : await index.startOf(no, source, signal)) ??
    stored.start;
  const oversized = { no, start, bytes: end === undefined ? undefined : end - start };
  if (fit.longLine.kind === 'stop') return { cutBy: 'bytes', rest, oversized, deadEnd: true };
  const slice = sliceOf(stored.bytes, input.encoding, fit, 'head');
  const head = toLine(slice, stored.start, no, input.encoding, tally);
  const isWhole = head.end === end;
  const shown: Line = isWhole ? head : { ...head, cut: 'slice' };
  // The shortest slice may exceed the limit of tokens. It is shown, because without any line there is no next page.
  budget.charge(shown);
  part.lines.push(shown);
  if (isWhole) return undefined;
  return { cutBy: 'line', rest, oversized, inside: shown.end };
}

/** Adds lines of context. They are not part of the window or the totals, and use what is left of the budget. */
async function addContext(
  input: TextInput,
  parts: readonly Part[],
  budget: AnswerBudget,
  fit: AnswerFit,
  complete: boolean,
): Promise<void> {
  const { source, encoding, signal } = input;
  const readContext = async (no: number): Promise<Line | undefined> => {
    const start = await input.index.startOf(no, source, signal);
    if (start === undefined) return undefined;
    const stored = await new LineReader(source, encoding, start, holdFor(fit, encoding), signal).next();
    if (!stored || stored.end === undefined || isOversized(stored, encoding, fit)) return undefined;
    const line: Line = { ...wholeLine(stored, no, encoding, { invalid: 0 }), role: 'context' };
    return budget.takeContext(line) ? line : undefined;
  };
  for (const [i, { lines, range }] of parts.entries()) {
    const before = (parts[i - 1]?.lines.at(-1)?.no ?? 0) + 1;
    for (let no = range.from - 1; no >= Math.max(before, range.from - CONTEXT_BEFORE); no -= 1) {
      const line = await readContext(no);
      if (!line) break;
      lines.unshift(line);
    }
    if (range.to === undefined || (i === parts.length - 1 && !complete)) continue;
    const after = parts[i + 1]?.range.from ?? Number.POSITIVE_INFINITY;
    for (let no = range.to + 1; no < after && no <= range.to + CONTEXT_AFTER; no += 1) {
      const line = await readContext(no);
      if (!line) break;
      lines.push(line);
    }
  }
}

// Clips long lines: their head is shown with the terminator, and the rest is left out.

interface ClippableLine {
  /** The line up to `at` characters or bytes; the whole line if it is not longer. */
  to(at: number): Line;
  /** Number of invalid sequences in the whole line. */
  readonly invalid: number;
}

/** `stored`: the line that `reader` returned last. If it is only a part of the line, the end of the line is searched. */
async function clippable(
  input: TextInput,
  stored: StoredLine,
  reader: LineReader,
  no: number,
  { unit }: Extract<LongLine, { kind: 'clip' }>,
): Promise<ClippableLine> {
  const { encoding } = input;
  const find = (): Promise<number> => input.index.endOf(no, input.source, input.signal, input.onScan);
  const end = stored.end ?? (await reader.skipRest(find));
  const tally = { invalid: 0 };
  const whole = wholeLine(stored, no, encoding, tally);
  const content = whole.text.replace(/\r?\n$/, '');
  const terminator =
    stored.end === undefined
      ? await terminatorAt(input, stored.start, end)
      : whole.text.slice(content.length);
  return {
    to(at) {
      const head = clipText(content, at, unit);
      if (head.length === content.length && stored.end !== undefined) return whole;
      return { no, start: stored.start, end, text: head + terminator, role: 'asked', cut: 'clip' };
    },
    invalid: tally.invalid,
  };
}

async function terminatorAt(
  { encoding, source, signal }: TextInput,
  start: number,
  end: number,
): Promise<string> {
  const length = 2 * encoding.unit;
  const tail = await readAt(source, Math.max(start, end - length), length, signal);
  return /\r?\n$/.exec(decode(tail, encoding).text)?.[0] ?? '';
}

/** The head of `text`: at most `at` code points, or at most `at` bytes as shown, cut between code points. */
function clipText(text: string, at: number, unit: 'byte' | 'char'): string {
  if (text.length <= at && visibleBytes(text) <= at) return text;
  let used = 0;
  let length = 0;
  for (const character of text) {
    used += unit === 'byte' ? visibleBytes(character) : 1;
    if (used > at) return text.slice(0, length);
    length += character.length;
  }
  return text;
}

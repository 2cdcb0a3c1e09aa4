/**
 * Makes the excerpt of a command's output from its captured first and last bytes: its last lines, its first lines or
 * both, and the next page. Synchronous, so that it also works while the command runs.
 */

import type { CutBy, Excerpt, Limits, Line, Next } from '../types/excerpt.ts';
import type { KeptEnd } from '../types/request.ts';
import { alignDown } from './bytes.ts';
import { countNewlines, decode, utf8 } from './encoding.ts';
import { type FoldedLines, foldedRuns, MAX_COMPARED_LINES, type StoredLine } from './fold.ts';
import { AnswerBudget, type AnswerFit, bytesPerUnit, sliceOf } from './limits.ts';

/**
 * `snap`: whether a kept head ends after its last whole line, or after the last character that fits. `folds`: whether a
 * kept tail shows a run of equal lines once, or also of steps (text/fold.ts).
 */
export function outputExcerpt(
  output: CapturedOutput,
  keep: KeptEnd,
  fit: AnswerFit,
  { snap = 'line', folds }: { snap?: 'line' | 'char'; folds?: FoldedLines | undefined } = {},
): Excerpt {
  if (keep === 'head') {
    const head = headLines(output, fit, fit.limits, snap);
    return excerptOf(output, [head.lines], head, after(head.lines.at(-1)?.line));
  }
  const tail = tailLines(output, fit, fit.limits, { folds });
  const both = keep === 'ends' && tail.cutBy && bothEnds(output, fit);
  return both || excerptOf(output, [tail.lines], tail, before(tail.lines[0]?.line, output));
}

/** Half of the budget for each end; undefined if the first line alone exceeds its half. */
function bothEnds(output: CapturedOutput, fit: AnswerFit): Excerpt | undefined {
  const head = headLines(output, fit, halfOf(fit.limits, Math.ceil), 'line');
  const last = head.lines.at(-1)?.line;
  if (!last || last.cut) return undefined;
  const tail = tailLines(output, fit, halfOf(fit.limits, Math.floor), { floor: last.end });
  const next = between(last, tail.lines[0]?.line, output);
  return excerptOf(
    output,
    [head.lines, tail.lines],
    next ? { ...tail, cutBy: tail.cutBy ?? 'bytes' } : {},
    next,
  );
}

function halfOf({ lines, bytes, tokens }: OutputShare, round: (half: number) => number): OutputShare {
  return { lines: round(lines / 2), bytes: round(bytes / 2), tokens: round(tokens / 2) };
}

function excerptOf(
  output: CapturedOutput,
  parts: readonly (readonly DecodedLine[])[],
  { cutBy, oversized }: Omit<PickedLines, 'lines'>,
  next: Next | undefined,
): Excerpt {
  const shown = parts.flat();
  const [first, last] = [shown[0]?.line, shown.at(-1)?.line];
  return {
    parts: parts.map((lines) => lines.map(({ line }) => line)),
    totals: { bytes: output.bytes, lines: output.lines },
    invalid: shown.reduce((sum, { invalid }) => sum + invalid, 0),
    span: first && last ? { start: first.start, end: last.end } : undefined,
    unterminated: (last?.end === output.bytes && !last.text.endsWith('\n')) || undefined,
    ...(cutBy && { cutBy, next }),
    oversized,
  };
}

/** The next page after a shown head. */
function after(last: Line | undefined): Next {
  if (last?.cut) return { kind: 'bytes', start: last.end };
  return { kind: 'lines', ranges: [{ from: (last?.no ?? 0) + 1 }] };
}

/** The page before a shown tail, paged backwards. The line of a slice is counted again. */
function before(first: Line | undefined, output: CapturedOutput): Next {
  if (!first) return { kind: 'tail', lines: output.lines, before: output.bytes };
  return { kind: 'tail', lines: (first.no as number) - (first.cut ? 0 : 1), before: first.start };
}

/** The page between a shown head and a shown tail, paged backwards from the tail; undefined if nothing is between them. */
function between(head: Line, tail: Line | undefined, output: CapturedOutput): Next | undefined {
  const behind = { no: tail?.no ?? output.lines + 1, start: tail?.start ?? output.bytes };
  if (behind.start <= head.end) return undefined;
  const lines = behind.no - (head.no as number) - (tail?.cut ? 0 : 1);
  return { kind: 'tail', lines, before: behind.start };
}

/** The excerpt with `artifact://N`, where its folded lines are. */
export function foldedTo(url: string, excerpt: Excerpt): Excerpt {
  const known = (line: Line): Line => (line.folded ? { ...line, folded: { ...line.folded, url } } : line);
  return { ...excerpt, parts: excerpt.parts.map((lines) => lines.map(known)) };
}

// Picks the lines of a captured output that fit, from its beginning or from its end.

/** The captured parts and counts of an output. */
type CapturedOutput = Pick<OutputEnds, 'bytes' | 'lines' | 'lastLine' | 'head' | 'tail'>;

type OutputShare = Pick<Limits, 'lines' | 'bytes' | 'tokens'>;

interface DecodedLine {
  readonly line: Line;
  /** Number of invalid UTF-8 sequences in it. */
  readonly invalid: number;
}

interface PickedLines {
  readonly lines: readonly DecodedLine[];
  /** Absent if all lines fit. */
  readonly cutBy?: CutBy | undefined;
  readonly oversized?: NonNullable<Excerpt['oversized']> | undefined;
}

const NEWLINE = 10;
const RETURN = 13;

/** Lines from the beginning. With `snap: 'char'`, the first line that does not fit is cut to fill the budget. */
function headLines(
  output: CapturedOutput,
  fit: AnswerFit,
  share: OutputShare,
  snap: 'line' | 'char',
): PickedLines {
  const budget = new AnswerBudget(fit, share);
  const lines: DecodedLine[] = [];
  let room = share.bytes;
  for (const { bytes, start, whole } of forwards(output)) {
    const decoded = decodedLine(bytes, start, lines.length + 1);
    const cutBy = whole ? taken(budget, decoded.line, bytes, share) : 'bytes';
    if (!cutBy) {
      room -= fit.cost(decoded.line);
      lines.push(decoded);
      continue;
    }
    const alone = lines.length === 0;
    if (cutBy === 'lines' || (!alone && snap === 'line')) return { lines, cutBy };
    const stored = share.bytes * bytesPerUnit(fit.limits);
    const most = (bytes.length > stored && alignDown(bytes, stored, utf8)) || bytes.length;
    const slice = sliceOf(bytes.subarray(0, most), utf8, within(fit, share), 'head', room);
    const cut = decodedLine(slice, start, lines.length + 1, 'slice');
    // A slice has at least one character, even if that does not fit.
    if (!alone && fit.cost(cut.line) > room) return { lines, cutBy };
    return { lines: [...lines, cut], cutBy: 'line', oversized: alone ? { no: 1, start: 0 } : undefined };
  }
  const end = lines.at(-1)?.line.end ?? 0;
  return { lines, cutBy: end < output.bytes ? ('bytes' as const) : undefined };
}

/** As long as any, until the output is kept. */
const UNKNOWN_URL = `artifact://${'0'.repeat(15)}`;

/** Lines from the end back to byte `floor`. Of a last line that exceeds the budget, the last bytes are shown. */
function tailLines(
  output: CapturedOutput,
  fit: AnswerFit,
  share: OutputShare,
  { floor = 0, folds }: { floor?: number; folds?: FoldedLines | undefined },
): PickedLines {
  const budget = new AnswerBudget(fit, share);
  const lines: DecodedLine[] = [];
  let no = output.lines;
  const stored = backwards(output, floor);
  for (const { bytes, start, end, whole, folded = 1 } of folds ? foldedRuns(stored, folds) : stored) {
    no -= folded - 1;
    const one = decodedLine(bytes, end - bytes.length, no, whole ? undefined : 'slice');
    const run = { start, folded: { count: folded, url: UNKNOWN_URL } };
    const decoded = folded === 1 ? one : { ...one, line: { ...one.line, ...run } };
    const cutBy = taken(budget, decoded.line, bytes, share);
    if (cutBy && lines.length === 0 && folded > 1) {
      const last = tailLines(output, fit, share, { floor: end - bytes.length });
      return { ...last, cutBy: last.cutBy ?? cutBy };
    }
    if (cutBy && (lines.length > 0 || cutBy === 'lines')) return { lines, cutBy };
    if (cutBy) return slicedTail(output, within(fit, share), bytes, decoded.line);
    lines.unshift(decoded);
    no -= 1;
  }
  const start = lines[0]?.line.start ?? output.bytes;
  const isCompared = folds && output.lines - no >= MAX_COMPARED_LINES;
  return { lines, cutBy: start > floor ? (isCompared ? 'lines' : 'bytes') : undefined };
}

/** What acts in a line of a terminal: without these a text is never shown in fewer bytes than it is stored in. */
const ACTING_BYTES = [0x08, 0x0d, 0x1b];

/** As `AnswerBudget.take`. A line of a megabyte that cannot fit is not shown to find that out. */
function taken(budget: AnswerBudget, line: Line, bytes: Uint8Array, share: OutputShare): CutBy | undefined {
  const cannotFit = bytes.length > share.bytes * 3 && !ACTING_BYTES.some((byte) => bytes.includes(byte));
  return cannotFit && budget.lines >= 1 ? 'bytes' : budget.take(line);
}

function slicedTail(
  output: CapturedOutput,
  fit: AnswerFit,
  bytes: Uint8Array,
  { no, end }: Line,
): PickedLines {
  // Text is never shown in fewer bytes than it is stored in, so more bytes cannot fit.
  const most = fit.limits.bytes * bytesPerUnit(fit.limits);
  const from = alignDown(bytes, Math.max(0, bytes.length - most), utf8);
  const slice = sliceOf(bytes.subarray(from), utf8, fit, 'tail', fit.limits.bytes);
  const oversized = { no: no as number, start: output.lastLine, bytes: end - output.lastLine };
  return { lines: [decodedLine(slice, end - slice.length, oversized.no, 'slice')], cutBy: 'line', oversized };
}

function within(fit: AnswerFit, share: OutputShare): AnswerFit {
  return { ...fit, limits: { ...fit.limits, ...share } };
}

function* forwards(output: CapturedOutput): Generator<StoredLine> {
  const bytes = output.head;
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    const whole = newline !== -1 || end === output.bytes;
    yield { bytes: bytes.subarray(at, end), start: at, end, whole };
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
    const line = { bytes: bytes.subarray(from, end), start: start + from, end: start + end };
    yield { ...line, whole: known && from === at };
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
  const line: Line = { no, start, end: start + bytes.length, text, role: 'asked', cut: cut || undefined };
  return { line, invalid };
}

// Keeps the first and the last bytes of an output while it is written, and counts its bytes and lines, in bounded memory.

interface EndsOptions {
  /** Maximum bytes to keep from the beginning. */
  readonly head: number;
  /** Maximum bytes to keep from the end. */
  readonly tail: number;
}

const NEWLINE_BYTE = 10;

export class OutputEnds {
  readonly #options: EndsOptions;
  readonly #head: Buffer;
  #ring: Buffer;
  #bytes = 0;
  #newlines = 0;
  #lastLine = 0;

  constructor(options: EndsOptions) {
    this.#options = options;
    this.#head = Buffer.allocUnsafeSlow(options.head);
    // Most outputs are small: the ring buffer starts small and grows up to its full size.
    this.#ring = Buffer.allocUnsafeSlow(Math.min(options.tail, 16 << 10));
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lines so far, including an unterminated last line. */
  get lines(): number {
    return this.#newlines + (this.#endsInsideLine ? 1 : 0);
  }

  /** Newlines so far. */
  get newlines(): number {
    return this.#newlines;
  }

  /** Offset (0-based) at which the last line begins; a final newline does not begin another line. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** The kept first bytes. */
  get head(): Uint8Array {
    return this.#head.subarray(0, Math.min(this.#bytes, this.#head.length));
  }

  /** The kept last bytes, at most `most`, and the offset of the first of them. */
  tail(most: number = Number.POSITIVE_INFINITY): { readonly start: number; readonly bytes: Uint8Array } {
    const size = this.#ring.length;
    const length = Math.min(most, size, this.#bytes);
    const from = (this.#bytes - length) % size;
    const first = this.#ring.subarray(from, from + length);
    const bytes =
      first.length === length ? first : Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
    return { start: this.#bytes - length, bytes };
  }

  /** Copies what it keeps of `chunk`, so that the caller may reuse it. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#noteLastLine(chunk);
    this.#newlines += countNewlines(chunk);
    if (this.#bytes < this.#head.length)
      this.#head.set(chunk.subarray(0, this.#head.length - this.#bytes), this.#bytes);
    this.#keepTail(chunk);
    this.#bytes += chunk.length;
  }

  get #endsInsideLine(): boolean {
    return this.#bytes > 0 && this.#lastByte !== NEWLINE_BYTE;
  }

  get #lastByte(): number | undefined {
    return this.#bytes === 0 ? undefined : this.#ring[(this.#bytes - 1) % this.#ring.length];
  }

  #noteLastLine(chunk: Uint8Array): void {
    if (this.#lastByte === NEWLINE_BYTE) this.#lastLine = this.#bytes;
    const at = chunk.length < 2 ? -1 : chunk.lastIndexOf(NEWLINE_BYTE, chunk.length - 2);
    if (at !== -1) this.#lastLine = this.#bytes + at + 1;
  }

  #keepTail(chunk: Uint8Array): void {
    this.#grow(this.#bytes + chunk.length);
    const size = this.#ring.length;
    const kept = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const at = (this.#bytes + chunk.length - kept.length) % size;
    const first = kept.subarray(0, size - at);
    this.#ring.set(first, at);
    this.#ring.set(kept.subarray(first.length), 0);
  }

  #grow(needed: number): void {
    const size = this.#ring.length;
    if (needed <= size || size === this.#options.tail) return;
    // The ring has not wrapped before it has its full size: bytes are at their offsets.
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#options.tail, Math.max(needed, size * 2)));
    larger.set(this.#ring.subarray(0, this.#bytes));
    this.#ring = larger;
  }
}

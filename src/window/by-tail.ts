/** Windows from the end: the last lines of a text, or the last lines before a byte. Pages go backwards. */

import { readAt } from '../access/bytes.ts';
import type { CutBy, Excerpt, Line } from '../types/excerpt.ts';
import { windowStart } from './by-bytes.ts';
import type { Yield } from './by-lines.ts';
import { Budget, type Fit, holdFor, isOversized, sliceOf } from './fit.ts';
import { type TextInput, toLine } from './input.ts';
import { BackwardReader } from './line-start.ts';

/** The last `count` lines before byte `before` (exclusive; the end when absent). Reads little more than it shows. */
export async function tailWindow(
  input: TextInput,
  count: number,
  before: number | undefined,
  fit: Fit,
): Promise<Yield> {
  const { encoding, signal } = input;
  const size = await endOf(input);
  const end = Math.min(before ?? size, size);
  const reader = new BackwardReader(input.source, end, encoding, signal);
  const hold = holdFor(fit, encoding);
  const budget = new Budget(fit, fit.limits);
  const tally = { invalid: 0 };
  const lines: Line[] = [];
  let at = end;
  let no =
    input.counted && end > encoding.bom
      ? await input.index.lineAt(end - encoding.unit, reader, signal, input.onScan)
      : undefined;
  let cutBy: CutBy | undefined;
  let oversized: Yield['oversized'];
  while (lines.length < count && at > encoding.bom) {
    const stored = await reader.lineBefore(at, hold);
    if (stored.start === undefined || isOversized(stored, encoding, fit)) {
      cutBy = budget.lines < 1 ? 'lines' : 'bytes';
      if (lines.length > 0) break;
      const slice = sliceOf(stored.bytes, encoding, fit, 'tail');
      const line: Line = { ...toLine(slice, at - slice.length, no, encoding, tally), cut: 'slice' };
      lines.push(line);
      oversized = { start: line.start, ...(no !== undefined && { no }) };
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
    ...(cutBy && at > encoding.bom && { cutBy, next: { by: 'tail' as const, lines: left, before: at } }),
    ...(oversized && { oversized }),
    ...(cutEnd && { cutEnd }),
  };
}

/** Set if the line goes on after its shown part. The answers of a chain through an oversized line end so, too. */
async function cutEndOf(
  { no, end }: Line,
  input: TextInput,
  reader: BackwardReader,
  fit: Fit,
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
    rest: whole ? { by: 'lines', ranges: [{ from: no, to: no }] } : { by: 'bytes', start: end },
  };
}

/** The size of the text. A stream is first read to its end. */
async function endOf({ source, signal }: TextInput): Promise<number> {
  const step = 4 << 20;
  for (let at = 0; source.size === undefined; at += step)
    await source.readInto(new Uint8Array(1), at, signal);
  return source.size;
}

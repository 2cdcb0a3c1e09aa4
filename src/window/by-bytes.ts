/**
 * Owns windows by byte offsets, rounded to whole lines. Paging by the end of each window visits every byte once:
 * a start inside a line goes back to the line's start, except inside a giant line, which is gone through in slices.
 */

import { readAt } from '../access/bytes.ts';
import { alignDown } from '../text/cut.ts';
import { Budget, type Fit, holdFor, isGiant, sliceOf, windowBudget } from './fit.ts';
import { type TextInput, toLine } from './input.ts';
import type { Yield } from './by-lines.ts';
import { LineReader, type StoredLine } from './line-reader.ts';
import { startOfLineBefore } from './line-start.ts';
import type { CutBy, Excerpt, Line } from './types.ts';

/** `start` and `length` in stored bytes; the length is brought into [1, limits.windowMax]. */
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
  const { begin, inside } = await windowStart(Math.max(start, encoding.bom), input, fit);
  const end = start + wanted;
  const tally = { invalid: 0 };
  const lines: Line[] = [];
  const budget = new Budget(fit, { ...fit.limits, lines: Number.POSITIVE_INFINITY, bytes: windowMax });
  const reader = new LineReader(source, encoding, begin, windowMax, signal);
  let no = input.counted ? await input.index.lineAt(begin, source, signal, input.onScan) : undefined;
  let cutBy: CutBy = 'window';
  let giant: Excerpt['giant'];
  let at = begin;
  while (at < end) {
    const stored = await reader.next();
    if (!stored) break;
    const whole =
      stored.end === undefined ? undefined : toLine(stored.bytes, at, no, encoding, { invalid: 0 });
    // Inside a giant line the window ends where it was asked to; elsewhere it goes on to the end of the line.
    const cap = inside && at === begin ? end - begin : windowMax;
    const fits = whole && whole.end - begin <= cap;
    const refused = fits ? budget.take(whole) : 'window';
    if (whole && refused === undefined) {
      lines.push(toLine(stored.bytes, at, no, encoding, tally));
      at = whole.end;
      no = no === undefined ? undefined : no + 1;
      continue;
    }
    if (refused !== 'window' && refused !== undefined) cutBy = refused;
    if (lines.length > 0) break;
    // One line is more than a window may hold: as much of it as was asked for, ending between characters.
    const line = slice(stored, end - begin, no, input, fit, tally);
    giant = await giantAt(begin, stored, no, reader, input);
    lines.push(line);
    at = line.end;
    cutBy = 'line';
    break;
  }
  const more = (await readAt(source, at, 1, signal)).length > 0;
  return {
    parts: [lines],
    invalid: tally.invalid,
    span: { start: begin, end: at },
    ...(more && { cutBy, next: { by: 'bytes' as const, start: at, length: wanted } }),
    ...(giant && { giant }),
  };
}

function slice(
  stored: StoredLine,
  length: number,
  no: number | undefined,
  { encoding }: TextInput,
  fit: Fit,
  tally: { invalid: number },
): Line {
  // What is held of a longer line may end inside a character, or inside a code unit.
  const held = stored.bytes.length - (stored.end === undefined ? 4 : 0);
  const bytes = stored.bytes.subarray(0, held - (held % encoding.unit));
  // A character that straddles the end belongs to the next slice, unless the slice would be empty without it.
  const end = length < bytes.length ? alignDown(bytes, length, encoding) || 4 : bytes.length;
  const part = sliceOf(bytes.subarray(0, end), encoding, fit, 'head', windowBudget(fit.limits));
  return { ...toLine(part, stored.start, no, encoding, tally), cut: 'slice' };
}

/** Facts about the giant line that the slice at `begin` belongs to; its length where lines are counted. */
async function giantAt(
  begin: number,
  stored: StoredLine,
  no: number | undefined,
  reader: LineReader,
  input: TextInput,
): Promise<NonNullable<Excerpt['giant']>> {
  if (no === undefined) return { start: begin };
  const end = stored.end ?? (await reader.skipRest()) ?? begin;
  const start = await input.index.startOf(no, input.source, input.signal);
  return { no, start: start ?? begin, bytes: end - (start ?? begin) };
}

/** Where a window that was asked to begin at `start` begins, and whether that is inside a giant line. */
async function windowStart(
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
    const giant = !line || line.end === undefined || isGiant(line.bytes, encoding, fit);
    if (!giant) return { begin: before.start, inside: false };
  }
  const near = Math.max(encoding.bom, unit - 4);
  const bytes = await readAt(source, near, 8, signal);
  return { begin: near + alignDown(bytes, unit - near, encoding), inside: true };
}

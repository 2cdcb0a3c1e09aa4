/** Makes the excerpt of a window: the lines by the kind of window, and the totals of the text. */

import type { Excerpt, Line, Window } from '../types/excerpt.ts';
import type { Mutable } from '../types/mutable.ts';
import { bytesWindow } from './by-bytes.ts';
import { linesWindow, type Yield } from './by-lines.ts';
import { tailWindow } from './by-tail.ts';
import type { Fit } from './fit.ts';
import type { TextInput } from './input.ts';

const wholeText: Window = { by: 'lines', ranges: [{ from: 1 }], context: false };

/** The excerpt of `window` (the whole text when absent) within the limits of `fit`. */
export async function excerpt(input: TextInput, window: Window | undefined, fit: Fit): Promise<Excerpt> {
  const yielded = await byKind(input, window ?? wholeText, fit);
  const { source, index, signal, onScan } = input;
  const lines = input.counted ? await index.total(source, signal, onScan) : undefined;
  const last = yielded.parts.findLast((part) => part.length > 0)?.at(-1);
  const totals: Mutable<Excerpt['totals']> = {};
  if (source.size !== undefined && (input.counted || !source.streamed)) totals.bytes = source.size;
  if (lines !== undefined) totals.lines = lines;
  const found: Mutable<Excerpt> = { ...yielded, totals };
  if (input.encoding.unit === 1 && yielded.parts.some(hasNul)) found.hasNul = true;
  if (last && !last.cut && last.end === source.size && !last.text.endsWith('\n')) found.unterminated = true;
  return found;
}

function hasNul(lines: readonly Line[]): boolean {
  for (const { text, ascii } of lines) if (!ascii && text.includes('\0')) return true;
  return false;
}

function byKind(input: TextInput, window: Window, fit: Fit): ReturnType<typeof linesWindow> {
  switch (window.by) {
    case 'lines':
      return linesWindow(input, window.ranges, window.context, fit, window.inside);
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
async function endsWindow(input: TextInput, from: number, most: number, fit: Fit): Promise<Yield> {
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
    ...(all.cutBy && { cutBy: all.cutBy }),
    next:
      shown?.cut === 'slice'
        ? { by: 'lines', ranges: [{ from: last }], inside: shown.end }
        : { by: 'lines', ranges: [{ from: last + 1 }] },
  };
}

/** The longest run of lines at the end, not before line `from`, that fits; empty if the last line alone does not fit. */
async function lastLines(input: TextInput, from: number, fit: Fit): Promise<Yield> {
  const tail = await linesWindow(input, [{ from }], false, fit);
  if (!tail.next) return tail;
  const shown = tail.parts.flat().length;
  const total = await input.index.total(input.source, input.signal, input.onScan);
  // Retries with fewer lines. As many as fitted from `from` on is a good estimate.
  const fewer = Math.max(from + 1, total - shown + 1);
  return fewer > total ? { parts: [], invalid: 0 } : lastLines(input, fewer, fit);
}

function withLimits(fit: Fit, limits: Partial<Fit['limits']>): Fit {
  return { ...fit, limits: { ...fit.limits, ...limits } };
}

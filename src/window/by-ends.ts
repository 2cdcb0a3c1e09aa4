/** Owns windows that keep both ends of a text: its first lines and its last, the middle left out. */

import { type Yield, linesWindow } from './by-lines.ts';
import type { Fit } from './fit.ts';
import type { TextInput } from './input.ts';

/**
 * All lines from line `from` (1-based) on where there are at most `most`; else about half of them from each end,
 * as two parts. The budget is halved likewise.
 */
export async function endsWindow(input: TextInput, from: number, most: number, fit: Fit): Promise<Yield> {
  const all = await linesWindow(input, [{ from }], false, withLimits(fit, { lines: most }));
  if (!all.next) return all;
  const total = await input.index.total(input.source, input.signal, input.onScan);
  const { bytes, tokens } = fit.limits;
  const half = withLimits(fit, { bytes: Math.ceil(bytes / 2), tokens: Math.ceil(tokens / 2) });
  const head = await linesWindow(input, [{ from, to: from + Math.ceil(most / 2) - 1 }], false, half);
  const last = head.parts.at(-1)?.at(-1)?.no ?? from - 1;
  const tail = await lastLines(input, Math.max(last + 1, total - Math.floor(most / 2) + 1), half);
  return {
    parts: [...head.parts, ...tail.parts],
    invalid: head.invalid + tail.invalid,
    ...(all.cutBy && { cutBy: all.cutBy }),
    next: { by: 'lines', ranges: [{ from: last + 1 }] },
  };
}

/** From the first line on from which everything to the end fits; no earlier than `from`. */
async function lastLines(input: TextInput, from: number, fit: Fit): Promise<Yield> {
  const tail = await linesWindow(input, [{ from }], false, fit);
  const shown = tail.parts.flat().length;
  if (!tail.next || shown === 0) return tail.next ? { parts: [], invalid: 0 } : tail;
  const total = await input.index.total(input.source, input.signal, input.onScan);
  // Fewer lines at the end, until they fit: what fits of the first ones is a good guess.
  return lastLines(input, total - shown + 1, fit);
}

function withLimits(fit: Fit, limits: Partial<Fit['limits']>): Fit {
  return { ...fit, limits: { ...fit.limits, ...limits } };
}

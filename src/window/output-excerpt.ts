/**
 * Makes the excerpt of a command's output from its captured first and last bytes: its last lines, its first lines or
 * both, and the next page. Synchronous, so that it also works while the command runs.
 */

import type { Excerpt, Line, Next } from '../types/excerpt.ts';
import type { Keep } from '../types/request.ts';
import type { Fit } from './fit.ts';
import {
  type DecodedLine,
  type PickedLines,
  headLines,
  type CapturedOutput,
  type Share,
  tailLines,
} from './output-lines.ts';

/** `snap`: whether a kept head ends after its last whole line, or after the last character that fits. */
export function outputExcerpt(
  output: CapturedOutput,
  keep: Keep,
  fit: Fit,
  snap: 'line' | 'char' = 'line',
): Excerpt {
  if (keep === 'head') {
    const head = headLines(output, fit, fit.limits, snap);
    return excerptOf(output, [head.lines], head, after(head.lines.at(-1)?.line));
  }
  const tail = tailLines(output, fit, fit.limits);
  return (keep === 'ends' && tail.cutBy && bothEnds(output, fit)) || tailExcerpt(output, tail);
}

function tailExcerpt(output: CapturedOutput, tail: PickedLines): Excerpt {
  return excerptOf(output, [tail.lines], tail, before(tail.lines[0]?.line, output));
}

/** Half of the budget for each end; undefined if the first line alone exceeds its half. */
function bothEnds(output: CapturedOutput, fit: Fit): Excerpt | undefined {
  const head = headLines(output, fit, halfOf(fit.limits, Math.ceil), 'line');
  const last = head.lines.at(-1)?.line;
  if (!last || last.cut) return undefined;
  const tail = tailLines(output, fit, halfOf(fit.limits, Math.floor), last.end);
  const next = between(last, tail.lines[0]?.line, output);
  return excerptOf(
    output,
    [head.lines, tail.lines],
    next ? { ...tail, cutBy: tail.cutBy ?? 'bytes' } : {},
    next,
  );
}

function halfOf({ lines, bytes, tokens }: Share, round: (half: number) => number): Share {
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
    ...(first && last && { span: { start: first.start, end: last.end } }),
    ...(last?.end === output.bytes && !last.text.endsWith('\n') && { unterminated: true }),
    ...(cutBy && { cutBy, ...(next && { next }) }),
    ...(oversized && { oversized }),
  };
}

/** The next page after a shown head. */
function after(last: Line | undefined): Next {
  if (last?.cut) return { by: 'bytes', start: last.end };
  return { by: 'lines', ranges: [{ from: (last?.no ?? 0) + 1 }] };
}

/** The page before a shown tail, paged backwards. The line of a slice is counted again. */
function before(first: Line | undefined, output: CapturedOutput): Next {
  if (!first) return { by: 'tail', lines: output.lines, before: output.bytes };
  return { by: 'tail', lines: (first.no as number) - (first.cut ? 0 : 1), before: first.start };
}

/** The page between a shown head and a shown tail, paged backwards from the tail; undefined if nothing is between them. */
function between(head: Line, tail: Line | undefined, output: CapturedOutput): Next | undefined {
  const behind = { no: tail?.no ?? output.lines + 1, start: tail?.start ?? output.bytes };
  if (behind.start <= head.end) return undefined;
  const lines = behind.no - (head.no as number) - (tail?.cut ? 0 : 1);
  return { by: 'tail', lines, before: behind.start };
}

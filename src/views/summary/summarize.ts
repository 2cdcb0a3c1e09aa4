/**
 * Owns the summary of a code file: its signatures and structure, with bodies left out. As much detail as fits the
 * limits; where that is too little, the deepest symbols go first.
 */

import type { LineRange, Summary, SummaryPart } from '../../types/summary.ts';
import type { Structure } from '../structure.ts';
import { type Detail, hide } from './hidden.ts';
import { partsOf } from './parts.ts';

export interface SummaryLimits {
  readonly lines: number;
  /** Bytes of all that is shown. */
  readonly bytes: number;
  readonly tokens: number;
  /** A part as it will be shown, its prefix and terminator included. */
  show(part: SummaryPart): string;
  count(text: string): number;
}

/** Of the text's bytes, the most that a summary of it may have: otherwise the text itself is the better answer. */
const largest = 0.6;

/** The summary, or undefined where the text itself is the better answer. `lines` are without their terminators. */
export function summarize(
  lines: readonly string[],
  structure: Structure,
  limits: SummaryLimits,
): Summary | undefined {
  const text = lines.map((line, row): SummaryPart => ({
    is: 'line',
    from: row + 1,
    to: row + 1,
    text: line,
  }));
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const whole = fits(text, limits, Number.POSITIVE_INFINITY);
  let last: Detail | undefined;
  for (const detail of details(structure, whole)) {
    last = detail;
    const { parts, elided } = partsOf(lines, hide(lines, structure, detail));
    if (elided.length > 0 && fits(parts, limits, bytes * largest))
      return result(parts, elided, structure, detail);
  }
  return whole || !last ? undefined : cut(lines, structure, limits, bytes * largest, last);
}

/** From much detail to little. A text that fits as it is loses only what it can do without. */
function* details({ symbols }: Structure, whole: boolean): Iterable<Detail> {
  const deepest = symbols.reduce((most, { depth }) => Math.max(most, depth), 0);
  const all = { comments: true, fields: true, depth: deepest };
  yield { ...all, small: 3 };
  yield { ...all, small: 1 };
  if (whole) return;
  yield { ...all, small: 0, comments: false };
  const bare = { small: 0, comments: false, fields: false };
  for (let depth = deepest; depth >= 0; depth -= 1) yield { ...bare, depth };
}

function fits(parts: readonly SummaryPart[], limits: SummaryLimits, most: number): boolean {
  if (parts.length > limits.lines) return false;
  const shown = parts.map(limits.show).join('');
  const bytes = Buffer.byteLength(shown);
  return (
    bytes <= limits.bytes &&
    bytes <= most &&
    (limits.tokens === Infinity || limits.count(shown) <= limits.tokens)
  );
}

/** Not even the top level fits: its beginning, and one gap for the rest. */
function cut(
  lines: readonly string[],
  structure: Structure,
  limits: SummaryLimits,
  most: number,
  detail: Detail,
): Summary | undefined {
  const { hidden, collapsed } = hide(lines, structure, detail);
  const ends = new Set<number>();
  let low = 0;
  for (let high = lines.length; low < high;) {
    const middle = (low + high + 1) >>> 1;
    if (fits(upTo(middle).parts, limits, most)) low = middle;
    else high = middle - 1;
  }
  const { parts, elided } = upTo(low);
  return low === 0 || elided.length === 0 ? undefined : result(parts, elided, structure, detail);

  function upTo(line: number): ReturnType<typeof partsOf> {
    const rest = Uint8Array.from(hidden);
    if (line < lines.length) rest.fill(1, line + 1, lines.length + 1);
    const before = new Map([...collapsed].filter(([, { to }]) => to <= line));
    return partsOf(lines, { hidden: rest, collapsed: before, ends });
  }
}

function result(
  parts: readonly SummaryPart[],
  elided: readonly LineRange[],
  { symbols }: Structure,
  { depth }: Detail,
): Summary {
  const out = new Set(
    elided.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
  );
  const left = symbols.filter(({ at }) => out.has(at));
  return {
    parts,
    elided,
    elidedLines: elided.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    ...(left.length > 0 && { left: { symbols: left.length, depth } }),
  };
}

/**
 * Makes the map of a code file: its structure at the highest level of detail that fits a budget. Each symbol is visible,
 * or the gap that contains it has the number of its symbols and the call that shows them.
 */

import type { LineRange, Summary, SummaryPart } from '../../types/summary.ts';
import type { OutlineSymbol, Structure } from '../structure.ts';
import { type Level, type Parts, partsOf } from './summary-parts.ts';
import { rank, type Ranks } from './ranks.ts';

export interface SummaryLimits {
  readonly lines: number;
  /** Maximum bytes of the map. */
  readonly bytes: number;
  /** Whether parts are shown with line numbers, which can be used in the next call. */
  readonly numbered: boolean;
  /** The line comment marks of the language. */
  readonly lineComments: readonly string[];
  /** A part as shown, with its prefix and terminator. */
  show(part: SummaryPart): string;
}

/** The map, or the reason why the text itself should be shown. `lines` are without their terminators. */
export function summarize(
  lines: readonly string[],
  structure: Structure,
  limits: SummaryLimits,
): Summary | 'dense' {
  const ranks = rank(lines, structure, limits.lineComments);
  const counts = countsOf(structure.symbols, lines.length);
  const cost = costOf(limits, lines.length);
  const calls = callsOf(structure.symbols, limits);
  const at = (level: number, joined: boolean): Parts =>
    partsOf(lines, ranks, {
      level,
      joined,
      cost,
      says: sayer(ranks, structure.symbols, counts, calls, level),
    });
  const fits = ({ parts }: Parts): boolean => {
    let room = parts.length > limits.lines ? -1 : limits.bytes;
    for (const part of parts) if ((room -= cost(part)) < 0) return false;
    return room >= 0;
  };
  const found = best(ranks, at, fits);
  if (!found || found.elided.length === 0) return 'dense';
  // The beginning of an overlong line is shown, with the names in it.
  const clipped = found.parts.filter(({ is, from, to }) => is === 'merged' && from === to);
  const inside = (ranges: readonly LineRange[]): number =>
    ranges.reduce((sum, range) => sum + between(counts, range), 0);
  const left = inside(found.elided) - inside(clipped);
  return {
    parts: found.parts,
    elided: found.elided,
    elidedLines: found.elided.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    ...(left > 0 && { left }),
    ...(found.parts.some(({ is, text }) => is !== 'line' && text.includes(inCall)) && {
      namesCalls: true,
    }),
  };
}

/** The highest level that fits. If not all symbols fit, declarations of several lines are joined. */
function best(
  { levels, symbolLevels }: Ranks,
  at: (level: number, joined: boolean) => Parts,
  fits: (parts: Parts) => boolean,
): Parts | undefined {
  const [level, parts] = highest(levels, (one) => at(one, false), fits);
  if (parts && level >= symbolLevels) return parts;
  const [, tight] = highest(symbolLevels, (one) => at(one, true), fits);
  return tight ?? parts;
}

function highest(
  levels: number,
  at: (level: number) => Parts,
  fits: (parts: Parts) => boolean,
): [number, Parts | undefined] {
  let low = 0;
  let found: Parts | undefined;
  for (let high = levels, middle = levels; low <= high; middle = (low + high) >>> 1) {
    const parts = at(middle);
    if (fits(parts)) {
      found = parts;
      low = middle + 1;
    } else high = middle - 1;
  }
  return [low - 1, found];
}

/** Caches the cost of lines, which is the same at every level. */
function costOf({ show }: SummaryLimits, count: number): Level['cost'] {
  const known = new Float64Array(count + 2);
  return (part) => {
    const cost = (part.is === 'line' && known[part.from]) || Buffer.byteLength(show(part));
    if (part.is === 'line') known[part.from] = cost;
    return cost;
  };
}

/** By line: the number of symbols whose names are on this line or above. */
function countsOf(symbols: readonly OutlineSymbol[], count: number): Uint32Array {
  const counts = new Uint32Array(count + 2);
  for (const { at } of symbols) counts[at] = (counts[at] ?? 0) + 1;
  for (let no = 1; no < counts.length; no += 1) counts[no] = (counts[no] ?? 0) + (counts[no - 1] ?? 0);
  return counts;
}

function between(counts: Uint32Array, { from, to }: LineRange): number {
  return (counts[to] ?? 0) - (counts[from - 1] ?? 0);
}

/** For a symbol of at most this many lines, the line numbers are enough, and no call for its outline is named. */
const fewLines = 24;

/**
 * The selector that lists the symbols in a symbol: its name, if that is plain and unambiguous. The path is not repeated,
 * to save space. Undefined if the line numbers are enough.
 */
function callsOf(
  symbols: readonly OutlineSymbol[],
  { numbered }: SummaryLimits,
): (symbol: OutlineSymbol) => string | undefined {
  const names = new Map<string, number>();
  for (const { qualified } of symbols) names.set(qualified, (names.get(qualified) ?? 0) + 1);
  return ({ qualified, from, to }) => {
    if (numbered && to - from < fewLines) return undefined;
    if (names.get(qualified) === 1 && /^[\w$.]{1,80}$/.test(qualified)) return `#${qualified}:outline`;
    return numbered ? undefined : `${from}..${to}`;
  };
}

/** The text between the number of symbols and the selector that lists them. */
const inCall = ', use :';

/** Returns the function that describes the symbols in a gap. For the whole file, the notice below the map does that. */
function sayer(
  ranks: Ranks,
  symbols: readonly OutlineSymbol[],
  counts: Uint32Array,
  callOf: (symbol: OutlineSymbol) => string | undefined,
  level: number,
): Level['says'] {
  return (gap) => {
    const hidden = between(counts, gap);
    if (hidden === 0) return '';
    const said = ` ${hidden} ${hidden === 1 ? 'symbol' : 'symbols'}`;
    for (let i = ranks.owner[gap.from] ?? -1; i >= 0; i = ranks.parents[i] ?? -1) {
      const symbol = symbols[i];
      if (symbol && symbol.to >= gap.to && symbol.from < gap.from && (ranks.symbols[i] ?? 0) < level) {
        const call = callOf(symbol);
        return call === undefined ? said : said + inCall + call;
      }
    }
    return said;
  };
}

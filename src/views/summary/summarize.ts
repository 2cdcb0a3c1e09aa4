/**
 * The map of a code file: its structure at the level of detail that fills a budget and does not pass it. Every symbol
 * is visible, or what holds it says how many it holds and names the call that shows them.
 */

import type { LineRange, Summary, SummaryPart } from '../../types/summary.ts';
import type { OutlineSymbol, Structure } from '../structure.ts';
import { type Level, type Parts, partsOf } from './summary-parts.ts';
import { rank, type Ranks } from './ranks.ts';

export interface SummaryLimits {
  readonly lines: number;
  /** Bytes of all that is shown. */
  readonly bytes: number;
  /** Whether each part is shown with the numbers of its lines, so that it says itself how to read them. */
  readonly numbered: boolean;
  /** What begins a comment that ends with its line, in the language of the text. */
  readonly lineComments: readonly string[];
  /** A part as it will be shown, its prefix and terminator included. */
  show(part: SummaryPart): string;
}

/** The map, or why the text itself is the better answer. `lines` are without their terminators. */
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
  // Of a line that is too long its beginning is shown, with the names in it.
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

/** The most detail that fits. Where not every symbol does, declarations of several lines are joined on one. */
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

/** Lines cost the same at every level. */
function costOf({ show }: SummaryLimits, count: number): Level['cost'] {
  const known = new Float64Array(count + 2);
  return (part) => {
    const cost = (part.is === 'line' && known[part.from]) || Buffer.byteLength(show(part));
    if (part.is === 'line') known[part.from] = cost;
    return cost;
  };
}

/** By line: how many symbols have their names on it or above. */
function countsOf(symbols: readonly OutlineSymbol[], count: number): Uint32Array {
  const counts = new Uint32Array(count + 2);
  for (const { at } of symbols) counts[at] = (counts[at] ?? 0) + 1;
  for (let no = 1; no < counts.length; no += 1) counts[no] = (counts[no] ?? 0) + (counts[no - 1] ?? 0);
  return counts;
}

function between(counts: Uint32Array, { from, to }: LineRange): number {
  return (counts[to] ?? 0) - (counts[from - 1] ?? 0);
}

/** Lines of a symbol that are read at once: beside their numbers a call for the symbols in them says nothing more. */
const fewLines = 24;

/**
 * What behind the path lists the symbols in a symbol: its name, where that is plain and means nothing else. The path
 * itself would fill the map with its copies. Undefined where the numbers of its lines say as much.
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

/** Between the number of symbols and what lists them. */
const inCall = ', use :';

/** What a gap says of the symbols in it. The file itself says it below the map. */
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

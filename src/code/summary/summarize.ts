/**
 * Makes the map of a code file: its structure at the highest level of detail that fits a budget. Each symbol is visible,
 * or the gap that contains it has the number of its symbols and the call that shows them.
 */

import type { CodeSummary, LineRange, SummaryPart } from '../../types/result.ts';
import type { SpokenWords } from '../../types/request.ts';
import type { OutlineSymbol, TextStructure } from '../structure.ts';
import { rangesAbout } from './about.ts';
import { type CollapsedLines, type JoinedHead, type LineRanks, rank, type RankedLanguage } from './ranks.ts';

export interface SummaryLimits extends RankedLanguage {
  readonly lines: number;
  /** Maximum bytes of the map. */
  readonly bytes: number;
  /** Whether parts are shown with line numbers, which can be used in the next call. */
  readonly numbered: boolean;
  /** See `ReadRequest`. */
  readonly about?: readonly SpokenWords[] | undefined;
  /** A part as shown, with its prefix and terminator. */
  show(part: SummaryPart): string;
}

/** The share of a map that what a conversation is about may take. */
const MAX_ABOUT_SHARE = 0.6;

/** The map, or the reason why the text itself should be shown. `lines` are without their terminators. */
export function summarize(
  lines: readonly string[],
  structure: TextStructure,
  limits: SummaryLimits,
): CodeSummary | 'dense' {
  const { about } = limits;
  const wanted = about ? rangesAbout(lines, structure, about, limits.bytes * MAX_ABOUT_SHARE) : [];
  const ranks = rank(lines, structure, limits, wanted);
  const counts = countsOf(structure.symbols, lines.length);
  const cost = costOf(limits, lines.length);
  const calls = about ? () => undefined : callsOf(structure.symbols, limits);
  const at = (level: number, joined: boolean): SummaryParts =>
    new PartsWriter(lines, ranks, {
      level,
      joined,
      joinsGaps: limits.isProse,
      cost,
      says: sayer(ranks, structure.symbols, counts, calls, level),
    }).write();
  const most =
    limits.isProse && structure.symbols.length > 0
      ? lines.reduce((sum, line) => sum + line.length + 1, 0) * LEADS_SHARE
      : limits.bytes;
  const fits = ({ parts }: SummaryParts, level: number): boolean => {
    const bytes = level > ranks.symbolLevels ? Math.min(limits.bytes, most) : limits.bytes;
    let room = parts.length > limits.lines ? -1 : bytes;
    for (const part of parts) if ((room -= cost(part)) < 0) return false;
    return room >= 0;
  };
  const found = best(ranks, at, fits);
  if (!found || found.elided.length === 0) return 'dense';
  // The beginning of an overlong line is shown, with the names in it.
  const clipped = found.parts.filter(({ kind, from, to }) => kind === 'merged' && from === to);
  const inside = (ranges: readonly LineRange[]): number =>
    ranges.reduce((sum, range) => sum + between(counts, range), 0);
  const left = inside(found.elided) - inside(clipped);
  return {
    parts: found.parts,
    elided: found.elided,
    elidedLines: found.elided.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    left: left > 0 ? left : undefined,
    namesCalls: found.parts.some(({ kind, text }) => kind !== 'line' && text.includes(inCall)) || undefined,
    isProse: limits.isProse || undefined,
  };
}

/** The share of prose that its map may take with more than headings: whoever knows the heading needs no more. */
const LEADS_SHARE = 1 / 64;

type FitTest = (parts: SummaryParts, level: number) => boolean;

/** The highest level that fits. If not all symbols fit, declarations of several lines are joined. */
function best(
  { levels, symbolLevels }: LineRanks,
  at: (level: number, joined: boolean) => SummaryParts,
  fits: FitTest,
): SummaryParts | undefined {
  const [level, parts] = highest(levels, (one) => at(one, false), fits);
  if (parts && level >= symbolLevels) return parts;
  const [, tight] = highest(symbolLevels, (one) => at(one, true), fits);
  return tight ?? parts;
}

function highest(
  levels: number,
  at: (level: number) => SummaryParts,
  fits: FitTest,
): [number, SummaryParts | undefined] {
  let low = 0;
  let found: SummaryParts | undefined;
  for (let high = levels, middle = levels; low <= high; middle = (low + high) >>> 1) {
    const parts = at(middle);
    if (fits(parts, middle)) {
      found = parts;
      low = middle + 1;
    } else high = middle - 1;
  }
  return [low - 1, found];
}

/** Caches the cost of lines, which is the same at every level. */
function costOf({ show }: SummaryLimits, count: number): SummaryLevel['cost'] {
  const known = new Float64Array(count + 2);
  return (part) => {
    const cost = (part.kind === 'line' && known[part.from]) || Buffer.byteLength(show(part));
    if (part.kind === 'line') known[part.from] = cost;
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
  ranks: LineRanks,
  symbols: readonly OutlineSymbol[],
  counts: Uint32Array,
  callOf: (symbol: OutlineSymbol) => string | undefined,
  level: number,
): SummaryLevel['says'] {
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

// Makes the parts of a map at one level of detail: lines, gaps, and blocks merged into the line that opens them.

interface SummaryParts {
  readonly parts: readonly SummaryPart[];
  /** The lines that are not shown, sorted; between two ranges there is a shown line. */
  readonly elided: readonly LineRange[];
}

interface SummaryLevel {
  /** Lines with a lower rank are shown. */
  readonly level: number;
  /** Whether declarations of several lines are joined. */
  readonly joined: boolean;
  /** Whether a gap is joined to the line above it, whatever that says. */
  readonly joinsGaps: boolean;
  /** The description of the symbols in a gap: `""`, or ` 3 symbols, use :#A:outline`. */
  says(gap: LineRange): string;
  /** Bytes of a part as shown, with its prefix and terminator. */
  cost(part: SummaryPart): number;
}

const opens = /(?:[{([]|\b(?:do|then))\s*(?:\|[^|]*\|\s*)?$/;
const closes = /^\s*(?:[)\]}]|end\b|done\b|fi\b)/;
const wordCloses = /^\s*(?:end|done|fi)\b/;
const wordEnds = /\b(?:end|done|fi)[;,)]?\s*$/;

/** Maximum characters of a block that is shown whole on one line. */
const MAX_BLOCK_CHARACTERS = 120;

class PartsWriter {
  readonly #lines: readonly string[];
  readonly #ranks: LineRanks;
  readonly #at: SummaryLevel;
  readonly #parts: SummaryPart[] = [];
  readonly #elided: LineRange[] = [];

  constructor(lines: readonly string[], ranks: LineRanks, at: SummaryLevel) {
    this.#lines = lines;
    this.#ranks = ranks;
    this.#at = at;
  }

  write(): SummaryParts {
    for (let no = 1; no <= this.#lines.length;) {
      if (this.#ranks.trivial[no]) no += 1;
      else no = (this.#isShown(no) ? this.#show(no) : this.#fold(no)) + 1;
    }
    return { parts: this.#parts, elided: this.#elided };
  }

  #isShown(no: number): boolean {
    return (this.#ranks.lines[no] ?? 0) < this.#at.level;
  }

  /** Appends a line or what replaces it; returns the last line that was processed. */
  #show(no: number): number {
    const short = this.#ranks.collapsed.get(no);
    if (short && this.#standsFor(short)) {
      this.#parts.push({ kind: 'merged', from: no, to: short.to, text: short.text });
      if (short.elided) this.#leaveOut(short.elided);
      return short.to;
    }
    const head = this.#at.joined ? this.#ranks.joined.get(no) : undefined;
    if (head && this.#isFree(no, head)) return this.#append(no, head.to, head.text, 'merged');
    return this.#append(no, no, this.#lines[no - 1] ?? '', 'line');
  }

  /** Whether the collapsed text is used: not if the lines after the first are shown at this level. */
  #standsFor({ from, to }: CollapsedLines): boolean {
    return from === to || !this.#isShown(from + 1);
  }

  /** Whether a declaration may be joined: not if another one begins on its lines. */
  #isFree(from: number, { to }: JoinedHead): boolean {
    for (let no = from + 1; no <= to; no += 1) {
      if (this.#ranks.collapsed.has(no) || this.#ranks.joined.has(no)) return false;
    }
    return true;
  }

  /** Appends a shown line. An empty block, or a block of only this line, is merged into the line that opens it. */
  #append(from: number, to: number, text: string, kind: 'line' | 'merged'): number {
    const closer = this.#closerAfter(to);
    const own = text.trimEnd();
    if (closer !== undefined && this.#opens(own)) {
      this.#parts.push({ kind: 'merged', from, to: closer, text: `${own}${this.#text(closer)}` });
      return closer;
    }
    const before = this.#parts.at(-1);
    const opener =
      before && before.kind !== 'gap' && this.#isNext(before.to, from) ? before.text.trimEnd() : '';
    if (closer !== undefined && before && this.#opens(opener) && !this.#ranks.swallows(own)) {
      const space = /[([]$/.test(opener) ? '' : ' ';
      const block = `${opener}${space}${own.trim()}${space}${this.#text(closer)}`;
      if (block.length <= MAX_BLOCK_CHARACTERS) {
        this.#parts[this.#parts.length - 1] = { kind: 'merged', from: before.from, to: closer, text: block };
        return closer;
      }
    }
    this.#parts.push({ kind, from, to, text });
    return to;
  }

  /** Whether a line ends with the opening of a block that is not in a comment. */
  #opens(line: string): boolean {
    return opens.test(line) && !this.#ranks.swallows(line);
  }

  #text(no: number): string {
    return (this.#lines[no - 1] ?? '').trim();
  }

  /** The next line that is not blank, if it is only a closing bracket. */
  #closerAfter(no: number): number | undefined {
    let next = no + 1;
    while (next <= this.#lines.length && this.#text(next) === '') next += 1;
    return next <= this.#lines.length && this.#ranks.trivial[next] && closes.test(this.#lines[next - 1] ?? '')
      ? next
      : undefined;
  }

  #indent(no: number): number {
    return /^\s*/.exec(this.#lines[no - 1] ?? '')?.[0].length ?? 0;
  }

  /** Whether there are only blank lines between two lines. */
  #isNext(above: number, below: number): boolean {
    for (let no = above + 1; no < below; no += 1) if (this.#text(no) !== '') return false;
    return above < below;
  }

  /** Replaces the hidden lines from `no` on by a gap; shows them if a gap would save nothing. */
  #fold(no: number): number {
    const { trivial, ends, quiet } = this.#ranks;
    let to = no;
    let hidden = 1;
    let silent = quiet[no] === 1;
    for (
      let next = no + 1;
      next <= this.#lines.length &&
      (ends[next - 1] ?? 0) >= this.#at.level &&
      (trivial[next] || !this.#isShown(next));
      next += 1
    ) {
      if (trivial[next]) continue;
      to = next;
      hidden += 1;
      silent &&= quiet[next] === 1;
    }
    const gap = { from: no, to };
    const says = this.#at.says(gap);
    if (silent && says === '' && this.#follows(no)) {
      this.#leaveOut(gap);
      return to;
    }
    const end = hidden > 1 ? this.#merge(gap, says) : undefined;
    if (end !== undefined) return end;
    let last = to;
    for (let line = no; line <= to; line = last + 1) {
      last = trivial[line] ? line : this.#show(line);
    }
    return Math.max(last, to);
  }

  /** Whether the line above (trivial lines aside) is left out too. */
  #follows(no: number): boolean {
    const last = this.#elided.at(-1);
    return last !== undefined && this.#isTrivial(last.to + 1, no - 1);
  }

  #isTrivial(from: number, to: number): boolean {
    for (let no = from; no <= to; no += 1) if (!this.#ranks.trivial[no]) return false;
    return true;
  }

  #leaveOut(range: LineRange): void {
    const last = this.#elided.at(-1);
    if (last && this.#follows(range.from)) {
      this.#elided[this.#elided.length - 1] = { from: last.from, to: range.to };
    } else this.#elided.push(range);
  }

  /**
   * Appends the gap, merged into the line before it if that opens the block. Returns the last line that was processed, or
   * undefined if the hidden lines are not longer than the gap.
   */
  #merge(gap: LineRange, says: string): number | undefined {
    const before = this.#parts.at(-1);
    const adjacent =
      before && before.kind !== 'gap' && this.#isNext(before.to, gap.from) ? before : undefined;
    const opener = adjacent?.text.trimEnd() ?? '';
    const after = this.#closer(gap.to, adjacent?.to ?? gap.from);
    const closer = after === undefined ? undefined : this.#text(after);
    const isBlock =
      closer !== undefined &&
      !this.#isLeft(adjacent, gap) &&
      (this.#opens(opener) ||
        (wordCloses.test(closer) && after !== undefined && this.#isBodyOf(adjacent, gap, after)));
    if (
      adjacent &&
      ((isBlock && after !== undefined) ||
        (this.#at.joinsGaps && adjacent.kind === 'line') ||
        (opener.endsWith(':') && !this.#isLeft(adjacent, gap)))
    ) {
      const to = isBlock && after !== undefined ? after : gap.to;
      const text = `${opener} ...${says}${isBlock ? ` ${closer}` : ''}`;
      const merged: SummaryPart = { kind: 'merged', from: adjacent.from, to, text };
      if (!this.#saves(gap, this.#at.cost(merged) - this.#at.cost(adjacent))) return undefined;
      this.#parts[this.#parts.length - 1] = merged;
      this.#leaveOut(gap);
      return to;
    }
    const indent = /^\s*/.exec(this.#lines[gap.from - 1] ?? '')?.[0] ?? '';
    const part: SummaryPart = { kind: 'gap', ...gap, text: `${indent.slice(0, 40)}...${says}` };
    if (!this.#saves(gap, this.#at.cost(part))) return undefined;
    this.#parts.push(part);
    this.#leaveOut(gap);
    return gap.to;
  }

  /** Whether a block outside of symbols ends within the gap: then the gap has statements that are not indented more. */
  #isLeft(opener: SummaryPart | undefined, { from, to }: LineRange): boolean {
    if (!opener || this.#ranks.owner[opener.from] !== -1) return false;
    const indent = this.#indent(opener.from);
    for (let no = from; no <= to; no += 1) {
      if (!this.#ranks.trivial[no] && this.#indent(no) <= indent && !/^\s*#/.test(this.#lines[no - 1] ?? ''))
        return true;
    }
    return false;
  }

  /** Whether `gap` and the `end` on line `closer` belong to the part before them, and not to an outer block. */
  #isBodyOf(opener: SummaryPart | undefined, gap: LineRange, closer: number): boolean {
    if (!opener || wordEnds.test(opener.text)) return false;
    const indent = this.#indent(opener.from);
    return this.#indent(gap.from) > indent && this.#indent(closer) === indent;
  }

  /** The line after a gap that closes the block of line `opener`; closers of inner blocks are indented more. */
  #closer(to: number, opener: number): number | undefined {
    let alone = this.#closerAfter(to);
    while (alone !== undefined && this.#indent(alone) > this.#indent(opener)) {
      const outer = this.#closerAfter(alone);
      if (outer === undefined) break;
      alone = outer;
    }
    if (alone !== undefined) return alone;
    const next = to + 1;
    const isCloser =
      closes.test(this.#lines[to] ?? '') && this.#isShown(next) && !this.#ranks.collapsed.has(next);
    return isCloser ? next : undefined;
  }

  #saves({ from, to }: LineRange, cost: number): boolean {
    let room = cost;
    for (let no = from; no <= to && room >= 0; no += 1) {
      if (!this.#ranks.trivial[no]) {
        room -= this.#at.cost({ kind: 'line', from: no, to: no, text: this.#lines[no - 1] ?? '' });
      }
    }
    return room < 0;
  }
}

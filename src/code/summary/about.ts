/** Finds the parts of one text that a conversation is about, which its map then shows whole. */

import { matcherOf, stemsOf, wordsOf } from '../codebase/words.ts';
import type { LineRange } from '../../types/result.ts';
import type { SpokenWords } from '../../types/request.ts';
import { containers, type OutlineSymbol, type TextStructure } from '../structure.ts';

/** The weight of a word in each part of a symbol, as in the ranking of a question. */
const WEIGHT = { name: 5, scope: 2, doc: 3, body: 1 };

/** The constants of BM25: how soon repetition counts less, and how much long symbols do. */
const SATURATION = 3.6;
const LENGTH = 0.4;
const MAX_LENGTH_LINES = 100;

/** The weight of a symbol without any of the words, beside 1 for all of them. */
const UNCOVERED = 0.3;

/** A part counts if it has at least this share of the score of the best one. */
const MIN_SCORE_SHARE = 0.5;
const MAX_PARTS = 4;
const MAX_STEMS = 64;

/** A class or a chapter of more lines is represented by what is in it. */
const MAX_CONTAINER_LINES = 60;

/** The share of the room that the best part may take, and the least room for another one, in bytes. */
const OPENING_SHARE = 0.75;
const MIN_PARTIAL_BYTES = 400;

interface ScoredPart extends LineRange {
  readonly score: number;
}

/** The parts that `spoken` is about, within `bytes` together, in the order of the text. Empty if it is about none. */
export function rangesAbout(
  lines: readonly string[],
  { symbols, folds }: TextStructure,
  spoken: readonly SpokenWords[],
  bytes: number,
): LineRange[] {
  const stems = weighed(spoken);
  const matches = matcherOf([...stems.keys()]);
  const weights = [...stems.values()];
  const countsOf = (text: string): Float64Array => {
    const counts = new Float64Array(weights.length);
    for (const word of wordsOf(text))
      for (const { at, part } of matches(word)) counts[at] = (counts[at] as number) + part;
    return counts;
  };
  const docs = new Uint8Array(lines.length + 2);
  for (const { kind, from, to } of folds)
    if (kind === 'comment' || kind === 'docstring') docs.fill(1, from, to + 1);
  const perLine = lines.map((line, row) => {
    const counts = countsOf(line.slice(0, 1_000));
    const weight = docs[row + 1] === 1 ? WEIGHT.doc : WEIGHT.body;
    return counts.some((count) => count > 0) ? counts.map((count) => count * weight) : undefined;
  });
  const above = new Map(folds.flatMap(({ kind, from, to }) => (kind === 'comment' ? [[to + 1, from]] : [])));
  const parts = partsOf(symbols, above).map(({ symbol, from, to }) => {
    const found = new Float64Array(weights.length);
    for (let no = from; no <= to; no += 1)
      perLine[no - 1]?.forEach((count, at) => (found[at] = (found[at] as number) + count));
    const values = found.map((count) => Math.log2(1 + count));
    const add = (text: string, weight: number): void =>
      countsOf(text).forEach((count, at) => {
        values[at] = (values[at] as number) + weight * Math.min(1, count);
      });
    add(symbol.name, WEIGHT.name);
    add(symbol.qualified.slice(0, -symbol.name.length), WEIGHT.scope);
    return { from, to, values };
  });
  const rarities = raritiesOf(parts, weights);
  const costs = Float64Array.from([0, ...lines.map((line) => Buffer.byteLength(line) + PREFIX_BYTES)]);
  const gainOf = (counts?: Float64Array): number =>
    counts?.reduce((sum, count, at) => sum + (count > 0 ? (rarities[at] as number) : 0), 0) ?? 0;
  const gains = Float64Array.from([0, ...perLine.map(gainOf)]);
  return chosen(scored(parts, rarities), costs, gains, bytes);
}

/** The stems with the weight of the last words in which they were said. */
function weighed(spoken: readonly SpokenWords[]): Map<string, number> {
  const stems = new Map<string, number>();
  for (const { text, weight } of spoken)
    for (const stem of stemsOf(text))
      if (stems.size < MAX_STEMS || stems.has(stem)) stems.set(stem, Math.max(stems.get(stem) ?? 0, weight));
  return stems;
}

/**
 * The symbols without those that are only containers, each up to the first one inside it that stands for itself. `above`: where
 * the comment begins that ends before a line.
 */
function partsOf(
  symbols: readonly OutlineSymbol[],
  above: ReadonlyMap<number, number>,
): readonly (LineRange & { readonly symbol: OutlineSymbol })[] {
  return symbols.flatMap((symbol, i) => {
    const { to, kind } = symbol;
    const from = above.get(symbol.from) ?? symbol.from;
    const isLarge = to - from >= MAX_CONTAINER_LINES;
    if (containers.has(kind)) return isLarge ? [] : [{ symbol, from, to }];
    const inner = symbols[i + 1];
    const hasChapters = kind === 'heading' && inner?.kind === 'heading' && inner.from <= to;
    return [{ symbol, from, to: hasChapters && isLarge ? inner.from - 1 : to }];
  });
}

interface ValuedPart extends LineRange {
  /** By stem. */
  readonly values: Float64Array;
}

/** How much each stem says: less the more parts have it. */
function raritiesOf(parts: readonly ValuedPart[], weights: readonly number[]): number[] {
  return weights.map((weight, at) => {
    const having = parts.filter(({ values }) => (values[at] as number) > 0).length;
    return having === 0 ? 0 : weight * Math.log(1 + (parts.length - having + 0.5) / (having + 0.5));
  });
}

function scored(parts: readonly ValuedPart[], rarities: readonly number[]): ScoredPart[] {
  const whole = rarities.reduce((sum, one) => sum + one, 0);
  if (whole === 0) return [];
  const lengthOf = ({ from, to }: LineRange): number => Math.min(to - from + 1, MAX_LENGTH_LINES);
  const average = parts.reduce((sum, part) => sum + lengthOf(part), 0) / parts.length;
  return parts.map(({ values, from, to }) => {
    const norm = Math.sqrt(1 - LENGTH + (LENGTH * lengthOf({ from, to })) / average);
    let [sum, covered] = [0, 0];
    values.forEach((value, at) => {
      const rarity = rarities[at] as number;
      if (value > 0) covered += rarity;
      sum += (rarity * value) / (SATURATION * norm + value);
    });
    return { from, to, score: sum * (UNCOVERED + covered / whole) * (to === from ? 0.5 : 1) };
  });
}

/** The best parts that fit. Of one that takes too much, the lines around those with the words. */
function chosen(
  parts: readonly ScoredPart[],
  costs: Float64Array,
  gains: Float64Array,
  bytes: number,
): LineRange[] {
  const best = parts.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const found: LineRange[] = [];
  let room = bytes;
  for (const { from, to, score } of best) {
    if (found.length >= MAX_PARTS || score < MIN_SCORE_SHARE * (best[0]?.score ?? 0)) break;
    if (room < MIN_PARTIAL_BYTES) break;
    if (found.some((one) => one.from <= to && one.to >= from)) continue;
    const [range, cost] = window(
      { from, to },
      costs,
      gains,
      found.length === 0 ? bytes * OPENING_SHARE : room,
    );
    // A second part is shown whole or not at all.
    if (found.length > 0 && (range.from > from || range.to < to)) continue;
    found.push(range);
    room -= cost;
  }
  return found.toSorted((a, b) => a.from - b.from);
}

/** The whole range if it costs at most `most`, else the lines around its best ones, with the cost. */
function window(
  { from, to }: LineRange,
  costs: Float64Array,
  gains: Float64Array,
  most: number,
): [LineRange, number] {
  let cost = costs.subarray(from, to + 1).reduce((sum, one) => sum + one, 0);
  if (cost <= most) return [{ from, to }, cost];
  let [first, last, gain] = [from, from - 1, 0];
  let best: LineRange = { from, to: from - 1 };
  let [bestGain, bestCost] = [-1, 0];
  // A window that moves down the range, and never costs more than it may.
  for (cost = 0; last < to;) {
    last += 1;
    cost += costs[last] as number;
    gain += gains[last] as number;
    for (; cost > most && first <= last; first += 1) {
      cost -= costs[first] as number;
      gain -= gains[first] as number;
    }
    if (gain <= bestGain) continue;
    [bestGain, bestCost, best] = [gain, cost, { from: first, to: last }];
  }
  return [best, bestCost];
}

/** The number before a line, the separator and the newline. */
const PREFIX_BYTES = 7;

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

/** A part that is longer than the room is shown from its beginning, if so many bytes are left. */
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
  const parts = partsOf(symbols).map(({ symbol, from, to }) => {
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
  return chosen(scored(parts, weights), lines, bytes);
}

/** The stems with the weight of the last words in which they were said. */
function weighed(spoken: readonly SpokenWords[]): Map<string, number> {
  const stems = new Map<string, number>();
  for (const { text, weight } of spoken)
    for (const stem of stemsOf(text))
      if (stems.size < MAX_STEMS || stems.has(stem)) stems.set(stem, Math.max(stems.get(stem) ?? 0, weight));
  return stems;
}

/** The symbols without those that are only containers, each up to the first one inside it that stands for itself. */
function partsOf(
  symbols: readonly OutlineSymbol[],
): readonly (LineRange & { readonly symbol: OutlineSymbol })[] {
  return symbols.flatMap((symbol, i) => {
    const { from, to, kind } = symbol;
    const isLarge = to - from >= MAX_CONTAINER_LINES;
    if (containers.has(kind)) return isLarge ? [] : [{ symbol, from, to }];
    const inner = symbols[i + 1];
    const hasChapters = kind === 'heading' && inner?.kind === 'heading' && inner.from <= to;
    return [{ symbol, from, to: hasChapters && isLarge ? inner.from - 1 : to }];
  });
}

function scored(
  parts: readonly (LineRange & { readonly values: Float64Array })[],
  weights: readonly number[],
): ScoredPart[] {
  const rarities = weights.map((weight, at) => {
    const having = parts.filter(({ values }) => (values[at] as number) > 0).length;
    return having === 0 ? 0 : weight * Math.log(1 + (parts.length - having + 0.5) / (having + 0.5));
  });
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

function chosen(parts: readonly ScoredPart[], lines: readonly string[], bytes: number): LineRange[] {
  const best = parts.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const found: LineRange[] = [];
  let room = bytes;
  for (const { from, to, score } of best) {
    if (found.length >= MAX_PARTS || score < MIN_SCORE_SHARE * (best[0]?.score ?? 0)) break;
    if (found.some((one) => one.from <= to && one.to >= from)) continue;
    if (found.length > 0 && room < MIN_PARTIAL_BYTES) break;
    let end = from - 1;
    for (let left = room; end < to; end += 1) {
      left -= Buffer.byteLength(lines[end] ?? '') + PREFIX_BYTES;
      if (left < 0) break;
      room = left;
    }
    if (end < from || (end < to && found.length > 0)) continue;
    found.push({ from, to: end });
  }
  return found.toSorted((a, b) => a.from - b.from);
}

/** The number before a line, the separator and the newline. */
const PREFIX_BYTES = 7;

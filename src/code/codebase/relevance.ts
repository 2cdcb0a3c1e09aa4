/** Ranks symbols for a question in plain words, by the words of their names, comments, paths and bodies (BM25F). */

import { containers } from '../structure.ts';
import type { SymbolTag } from '../tags.ts';
import type { CodeTree, SymbolDefinition } from './code-tree.ts';
import { filesWith, findUses, MAX_QUERY_WORDS, MAX_RANKED_SYMBOLS } from './find.ts';
import { pathWeight } from './paths.ts';
import { matcherOf, stemsOf, type WordMatcher, wordsOf } from './words.ts';

/** The weight of a word in each part of a symbol. */
const WEIGHT = { name: 5, scope: 2, path: 2.5, doc: 3, signature: 1, body: 1 };

/** The constants of BM25: how soon repetition counts less, and how much long symbols do. */
const SATURATION = 3.6;
const LENGTH = 0.4;

/** The weight of a symbol without any of the words, beside 1 for all of them. */
const UNCOVERED = 0.3;

/** The most lines that count as length, and the most files whose symbols are compared. */
const MAX_LENGTH_LINES = 100;
const MAX_RELEVANT_FILES = 60;

/** The share of its score that a symbol passes on to what it calls, and to what calls it. */
const CALLEE = 0.4;
const CALLER = 0.3;

/** How much the best symbol of its file counts for a symbol, 0 to 1. */
const BESIDE = 0.5;

/** The most symbols of an answer, and the minimum score as a share of the best one. */
const MAX_RELEVANT_SYMBOLS = 100;
const MIN_SCORE_SHARE = 0.3;

/** A class of more lines is represented by its members. */
const MAX_CLASS_LINES = 60;

/** The most callers, and the most callees, of a symbol. */
const MAX_NEIGHBOURS = 4;

/** A name that more symbols have says nothing about which one is called. */
const MAX_MEANINGS = 3;

interface ScoredSymbol extends SymbolDefinition {
  readonly score: number;
}

/** The sketched files that may answer a question best, the best first: to be parsed before it is answered. */
export function findPromising(tree: CodeTree, question: string): number[] {
  return bestFiles(bestOf(scoresOf(tree, termsOf(question)).filter(({ file }) => tree.isSketched(file))));
}

function termsOf(question: string): string[] {
  return stemsOf(question).slice(0, MAX_QUERY_WORDS);
}

/**
 * The symbols that answer a question best, the best first, at most `MAX_RELEVANT_SYMBOLS`. None contains another one: of a
 * large class its members, of functions in functions the outer one. Sketched files are left out.
 */
export function findRelevant(tree: CodeTree, question: string): SymbolDefinition[] {
  const known = scoresOf(tree, termsOf(question)).filter(({ file }) => !tree.isSketched(file));
  const scored = spread(tree, known)
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const chosen: ScoredSymbol[] = [];
  const isTaken = ({ file, tag: { from, to } }: ScoredSymbol): boolean =>
    chosen.some((one) => one.file === file && one.tag.from <= to && one.tag.to >= from);
  for (const one of scored) {
    if (chosen.length >= MAX_RELEVANT_SYMBOLS || one.score < MIN_SCORE_SHARE * (chosen[0]?.score ?? 0)) break;
    if (!isTaken(one)) chosen.push(one);
  }
  return chosen;
}

function scoresOf(tree: CodeTree, stems: readonly string[]): ScoredSymbol[] {
  const { files, rarities } = filesWith(tree, stems);
  const whole = rarities.reduce((sum, one) => sum + one, 0);
  const matches = matcherOf(stems);
  const found: { file: number; tag: SymbolTag; parts: Float64Array; lines: number }[] = [];
  for (const file of files) {
    if (found.length > MAX_RANKED_SYMBOLS) break;
    const tags = tree.tagsOf(file);
    const path = new Float64Array(stems.length);
    const add = (parts: Float64Array, text: string, weight: number): void => {
      const best = new Float64Array(stems.length);
      for (const word of wordsOf(text))
        for (const { at, part } of matches(word)) best[at] = Math.max(best[at] as number, part);
      best.forEach((part, at) => (parts[at] = (parts[at] as number) + weight * part));
    };
    add(path, tree.pathOf(file), WEIGHT.path);
    const bodies = namesIn(tree, file, tags, matches, stems.length);
    const around: SymbolTag[] = [];
    tags.forEach((tag, i) => {
      // No large class, and nothing inside a function.
      around.splice(tag.depth, around.length, tag);
      const isInFunction = around.slice(0, tag.depth).some(({ kind }) => !containers.has(kind));
      if (isInFunction || (containers.has(tag.kind) && tag.to - tag.from >= MAX_CLASS_LINES)) return;
      const parts = path.slice();
      add(parts, tag.name, WEIGHT.name);
      add(parts, tag.qualified.slice(0, -tag.name.length), WEIGHT.scope);
      add(parts, tag.doc, WEIGHT.doc);
      add(parts, tag.signature, WEIGHT.signature);
      bodies[i]?.forEach((count, at) => {
        parts[at] = (parts[at] as number) + WEIGHT.body * Math.log2(1 + count);
      });
      found.push({ file, tag, parts, lines: Math.min(tag.to - tag.from + 1, MAX_LENGTH_LINES) });
    });
  }
  const average = found.reduce((sum, { lines }) => sum + lines, 0) / Math.max(1, found.length);
  return found.map(({ file, tag, parts, lines }) => {
    const norm = Math.sqrt(1 - LENGTH + (LENGTH * lines) / average);
    let [sum, covered] = [0, 0];
    parts.forEach((value, at) => {
      const rarity = rarities[at] as number;
      if (value > 0) covered += rarity;
      sum += (rarity * value) / (SATURATION * norm + value);
    });
    return { file, tag, score: sum * (UNCOVERED + covered / whole) * weightOf(tree, file, tag) };
  });
}

/** For each symbol how often its body uses names with each stem. */
function namesIn(
  tree: CodeTree,
  file: number,
  tags: readonly SymbolTag[],
  matches: WordMatcher,
  stems: number,
): Float64Array[] {
  const end = tags.reduce((most, { to }) => Math.max(most, to), 0);
  /** For each stem how often it was used up to each line. */
  const sums = Array.from({ length: stems }, () => new Float64Array(end + 1));
  /** The same of the whole file, where lines are not known. */
  const whole = new Float64Array(stems);
  const isSketched = tree.isSketched(file);
  for (const { name, plain, member } of tree.usesOf(file))
    for (const { at, part } of wordsOf(name).flatMap(matches)) {
      if (isSketched) whole[at] = (whole[at] as number) + part;
      const sum = sums[at] as Float64Array;
      for (const line of plain) if (line <= end) sum[line] = (sum[line] as number) + part;
      for (const line of member) if (line <= end) sum[line] = (sum[line] as number) + part;
    }
  for (const sum of sums)
    for (let line = 1; line <= end; line += 1) sum[line] = (sum[line] as number) + (sum[line - 1] as number);
  return tags.map(({ from, to }) =>
    Float64Array.from(
      sums,
      (sum, at) => (whole[at] as number) + (sum[to] as number) - (sum[from - 1] as number),
    ),
  );
}

/** Tests count less than what they test, one line less than a function. */
function weightOf(tree: CodeTree, file: number, { kind, from, to }: SymbolTag): number {
  const importance = 1.3 - (0.3 * (tree.places[file] ?? 0)) / Math.max(1, tree.paths.length);
  return (
    importance *
    Math.sqrt(pathWeight(tree.pathOf(file))) *
    (to === from ? 0.5 : 1) *
    (containers.has(kind) ? 0.8 : 1)
  );
}

/** Adds to each score a share of the scores of what calls it and what it calls, in the files with the best symbols. */
function spread(tree: CodeTree, scored: readonly ScoredSymbol[]): ScoredSymbol[] {
  const best = bestOf(scored);
  const files = new Set(bestFiles(best));
  const all = scored.filter(({ file }) => files.has(file)).map((one) => ({ ...one, more: 0 }));
  const byFile = groupBy(all, ({ file }) => file);
  const byName = groupBy(
    all.filter(({ tag }) => tag.to > tag.from),
    ({ tag }) => tag.name,
  );
  for (const [file, own] of byFile) {
    const callers = own.filter(({ tag }) => tag.to > tag.from && !containers.has(tag.kind));
    for (const { name, plain, member } of tree.usesOf(file)) {
      const named = byName.get(name) ?? [];
      const here = named.filter((one) => one.file === file);
      const meant = here.length > 0 ? here : named;
      if (meant.length === 0 || meant.length > MAX_MEANINGS) continue;
      for (const line of [...plain, ...member]) {
        const caller = callers.findLast(({ tag }) => tag.from <= line && line <= tag.to);
        for (const callee of meant) {
          if (!caller || callee === caller) continue;
          callee.more = Math.max(callee.more, CALLEE * caller.score);
          caller.more = Math.max(caller.more, CALLER * callee.score);
        }
      }
    }
  }
  const top = Math.max(...best.values());
  return all.map(({ file, tag, score, more }) => ({
    file,
    tag,
    score: (score + more) * (1 - BESIDE + (BESIDE * (best.get(file) ?? 0)) / top),
  }));
}

/** The best score in each file. */
function bestOf(scored: readonly ScoredSymbol[]): Map<number, number> {
  const best = new Map<number, number>();
  for (const { file, score } of scored) best.set(file, Math.max(best.get(file) ?? 0, score));
  return best;
}

function bestFiles(best: ReadonlyMap<number, number>): number[] {
  return [...best]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_RELEVANT_FILES)
    .map(([file]) => file);
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

/** Sketched files among those that may call one of `symbols`, the most important ones: they import its file, and use its name. */
export function findCallingFiles(tree: CodeTree, symbols: readonly SymbolDefinition[]): number[] {
  const files = symbols.flatMap(({ file, tag }) =>
    tree
      .filesUsing(tag.name)
      .filter((one) => tree.importsOf(one).includes(file))
      .sort((a, b) => (tree.places[a] ?? 0) - (tree.places[b] ?? 0))
      .slice(0, MAX_NEIGHBOURS),
  );
  return [...new Set(files)].filter((file) => tree.isSketched(file));
}

/** The symbols that are known to use a symbol, the most important first. */
export function findCallers(tree: CodeTree, symbol: SymbolDefinition): SymbolDefinition[] {
  const callers = new Map<string, SymbolDefinition>();
  for (const { file, sure, within } of findUses(tree, [symbol]).uses) {
    if (callers.size >= MAX_NEIGHBOURS || !sure) break;
    if (!within || containers.has(within.kind) || isSame({ file, tag: within }, symbol)) continue;
    callers.set(`${file} ${within.from}`, { file, tag: within });
  }
  return [...callers.values()];
}

/** The functions and classes that a symbol uses, in the order of their files: its own one, those that it imports. */
export function findCallees(tree: CodeTree, symbol: SymbolDefinition): SymbolDefinition[] {
  const { file, tag } = symbol;
  const imports = new Set(tree.importsOf(file));
  const isInside = (line: number): boolean => line >= tag.from && line <= tag.to;
  const callees = tree.usesOf(file).flatMap(({ name, plain, member }) => {
    if (!plain.some(isInside) && !member.some(isInside)) return [];
    const all = tree.definitions(name).filter((one) => one.tag.to > one.tag.from && !isSame(one, symbol));
    const own = all.filter((one) => one.file === file);
    const meant = own.length > 0 ? own : all.filter((one) => imports.has(one.file));
    return meant.length <= MAX_MEANINGS
      ? meant.filter((one) => one.file !== file || !isInside(one.tag.at))
      : [];
  });
  return callees.sort((a, b) => Number(b.file === file) - Number(a.file === file)).slice(0, MAX_NEIGHBOURS);
}

function isSame(a: SymbolDefinition, b: SymbolDefinition): boolean {
  return a.file === b.file && a.tag.from === b.tag.from && a.tag.name === b.tag.name;
}

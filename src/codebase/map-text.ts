/** The map of a directory: the files that matter most with their largest symbols, then the names of the others. */

import { MapSymbols } from './map-symbols.ts';
import { NameLines } from './name-lines.ts';
import type { Tree } from './code-tree.ts';
import { type Boosts, MapScores } from './map-scores.ts';

export interface MapWanted extends Boosts {
  /** Maximum size of the text. */
  readonly bytes: number;
  readonly lines: number;
  /** The number of files to skip, for the next page. */
  readonly from: number;
}

export interface MapText {
  readonly text: string;
  /** The number of files on this page, and in all. */
  readonly named: number;
  readonly files: number;
  /** The number of symbols. */
  readonly symbols: number;
  /** The top-level directory with the most files that are on later pages, and their number. */
  readonly rest?: { readonly directory: string; readonly files: number };
}

/** Share of the bytes for file names before symbols are selected; `ALL_NAMES` if all names fit into that. */
const NAMES = 0.7;
const ALL_NAMES = 0.88;

/** Usual bytes of a name, where the search begins; and those of a short name, up to which it goes. */
const USUAL_NAME = 36;
const SHORT_NAME = 12;

/** The factor for names beyond those that fit beside symbols: files with symbols leave room for more. */
const SPARE = 1.15;

/** The factor by which more names are tried, if there are no symbols that take the rest of the budget. */
const MORE = 1.4;

/** Minimum bytes of a file name and its separator. */
const LEAST_NAME = 2;

/** Maximum files of which symbols are considered, the most important first: those of a large tree fill any budget. */
const MOST_CANDIDATES = 2_000;

export function mapText(tree: Tree, { bytes, lines, from, ...boosts }: MapWanted): MapText {
  const scores = new MapScores(tree, boosts);
  const order = scores.order().slice(from);
  let { names, first } = namesOf(tree, order, { bytes, lines: lines / 2 });
  const symbols = new MapSymbols(tree);
  const ofNames = sizeOf(names.lines(first));
  const room = { bytes: bytes - ofNames.bytes, lines: lines - ofNames.lines };
  symbols.fill(order.slice(0, Math.min(first, MOST_CANDIDATES)), scores, room);
  const { files } = symbols;
  const linesOf = (names: NameLines, count: number): string[] => [
    ...order.slice(0, count).flatMap((file) => (files.has(file) ? [symbols.line(file)] : [])),
    ...names.lines(count, (at) => files.has(order[at] as number)),
  ];
  const countIn = (names: NameLines, guess: number): number =>
    mostFitting(names.size, guess, (count) => fits(linesOf(names, count), { bytes, lines }));
  // The symbols were selected with an estimate of their bytes. The rest of the budget goes to more names, or the last
  // files are left out.
  let named = countIn(names, first);
  while (named === names.size && named < order.length) {
    names = namesBelow(tree, order.slice(0, Math.ceil(named * MORE) + 1), true);
    named = countIn(names, named);
  }
  // At least one name per page, so that paging makes progress.
  named = Math.max(Math.min(1, order.length), named);
  const rest = restOf(tree, order.slice(named));
  return {
    text: linesOf(names, named)
      .map((line) => `${line}\n`)
      .join(''),
    named,
    files: tree.paths.length,
    symbols: order.slice(0, named).reduce((sum, file) => sum + symbols.countOf(file), 0),
    ...(rest && { rest }),
  };
}

/** The names that a map may list, and how many of them fit beside symbols. */
function namesOf(
  tree: Tree,
  order: readonly number[],
  { bytes, lines }: Size,
): { readonly names: NameLines; readonly first: number } {
  const isFew = order.length * LEAST_NAME <= bytes * ALL_NAMES;
  const all = isFew ? namesBelow(tree, order, false) : undefined;
  if (all && fits(all.lines(order.length), { bytes: bytes * ALL_NAMES, lines }))
    return { names: all, first: order.length };
  // Patterns of words are harder to read, so they are only for trees of which not all names fit.
  const firstOf = (names: NameLines, guess: number): number =>
    mostFitting(names.size, guess, (count) => fits(names.lines(count), { bytes: bytes * NAMES, lines }));
  const guess = firstOf(
    namesBelow(tree, order.slice(0, Math.ceil(bytes / SHORT_NAME)), true),
    Math.ceil(bytes / USUAL_NAME),
  );
  // Patterns of only the files that fit are better than those of more files.
  const names = namesBelow(tree, order.slice(0, Math.ceil(guess * SPARE) + 1), true);
  return { names, first: firstOf(names, guess) };
}

function namesBelow(tree: Tree, files: readonly number[], words: boolean): NameLines {
  return new NameLines(
    files.map((file) => tree.pathOf(file)),
    { words },
  );
}

interface Size {
  readonly bytes: number;
  readonly lines: number;
}

function sizeOf(lines: readonly string[]): Size {
  return { bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0), lines: lines.length };
}

function fits(lines: readonly string[], most: Size): boolean {
  const { bytes, lines: count } = sizeOf(lines);
  return bytes <= most.bytes && count <= most.lines;
}

/**
 * A count up to `most` that fits, the largest one if all smaller ones fit. (A name more may make lines shorter; then it may
 * be a smaller count.) Looked for upwards and downwards from `guess`.
 */
function mostFitting(most: number, guess: number, isFitting: (count: number) => boolean): number {
  let [low, high] = [0, most + 1];
  for (let next = Math.min(Math.max(1, guess), most); low + 1 < high;) {
    if (isFitting(next)) low = next;
    else high = next;
    next = high > most ? Math.min(most, Math.ceil(low * STEP)) : (low + high) >>> 1;
  }
  return low;
}

/** The factor by which the search goes upwards. */
const STEP = 1.2;

function restOf(tree: Tree, files: readonly number[]): MapText['rest'] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const path = tree.pathOf(file);
    const at = path.indexOf('/');
    if (at !== -1) counts.set(path.slice(0, at), (counts.get(path.slice(0, at)) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most && { directory: most[0], files: most[1] };
}

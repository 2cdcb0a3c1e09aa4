/** The map of a directory: the files that matter most with their largest symbols, then the names of the others. */

import { MapSymbols } from './map-symbols.ts';
import { nameLines } from './name-lines.ts';
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

/** Usual bytes of a file in a map. */
const USUAL_NAME = 36;

/** Minimum bytes of a file name and its separator. */
const LEAST_NAME = 2;

/** Maximum files of which symbols are considered, the most important first: those of a large tree fill any budget. */
const MOST_CANDIDATES = 2_000;

export function mapText(tree: Tree, { bytes, lines, from, ...boosts }: MapWanted): MapText {
  const scores = new MapScores(tree, boosts);
  const order = scores.order().slice(from);
  const all = { bytes: bytes * ALL_NAMES, lines: lines / 2 };
  const isWhole = allFit(tree, order, all);
  // Patterns of words are harder to read, so they are only for trees of which not all names fit.
  const listed = (count: number, without: ReadonlySet<number>): string[] =>
    nameLines(
      order.slice(0, count).flatMap((file) => (without.has(file) ? [] : [tree.pathOf(file)])),
      { words: !isWhole },
    );
  const first = isWhole
    ? order.length
    : mostFitting(
        order.length,
        (count) => fits(listed(count, NONE), { ...all, bytes: bytes * NAMES }),
        Math.ceil(bytes / USUAL_NAME),
      );
  const symbols = new MapSymbols(tree);
  const names = sizeOf(listed(first, NONE));
  const room = { bytes: bytes - names.bytes, lines: lines - names.lines };
  symbols.fill(order.slice(0, Math.min(first, MOST_CANDIDATES)), scores, room);
  const { files } = symbols;
  const withSymbols = (count: number): string[] => [
    ...order.slice(0, count).flatMap((file) => (files.has(file) ? [symbols.line(file)] : [])),
    ...listed(count, files),
  ];
  // The rest of the budget goes to more names. At least one per page, so that paging makes progress.
  const named = Math.max(
    Math.min(1, order.length),
    mostFitting(order.length, (count) => fits(withSymbols(count), { bytes, lines }), first),
  );
  const rest = restOf(tree, order.slice(named));
  return {
    text: withSymbols(named)
      .map((line) => `${line}\n`)
      .join(''),
    named,
    files: tree.paths.length,
    symbols: order.slice(0, named).reduce((sum, file) => sum + symbols.countOf(file), 0),
    ...(rest && { rest }),
  };
}

const NONE: ReadonlySet<number> = new Set();

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

/** Whether the names of these files fit. */
function allFit(tree: Tree, files: readonly number[], most: Size): boolean {
  if (files.length * LEAST_NAME > most.bytes) return false;
  return fits(
    nameLines(
      files.map((file) => tree.pathOf(file)),
      { words: false },
    ),
    most,
  );
}

/** The largest count up to `most` that fits, if all smaller ones do. Looked for upwards and downwards from `guess`. */
function mostFitting(most: number, isFitting: (count: number) => boolean, guess: number): number {
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

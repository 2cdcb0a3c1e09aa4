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

/** Maximum share of the bytes for file names before symbols are selected; `ALL_NAMES` if all names fit into that. */
const NAMES = 0.7;
const ALL_NAMES = 0.88;

/** Minimum bytes of a file name and its separator. */
const LEAST_NAME = 2;

/** Maximum files of which symbols are considered, the most important first: those of a large tree fill any budget. */
const MOST_CANDIDATES = 2_000;

export function mapText(tree: Tree, { bytes, lines, from, ...boosts }: MapWanted): MapText {
  const scores = new MapScores(tree, boosts);
  const order = scores.order().slice(from);
  const names = new NameLines(tree.paths);
  const symbols = new MapSymbols(tree);
  const fits = (file: number, room: number, rows: number): boolean =>
    names.bytes + names.cost(file) <= room && names.count + names.rows(file) <= rows;
  let named = 0;
  const addWhile = (isRoom: (file: number) => boolean): void => {
    for (let file = order[named]; file !== undefined && isRoom(file); file = order[named]) {
      names.add(file);
      named += 1;
    }
  };
  // At least one name per page, so that paging makes progress.
  const forNames = bytes * (allFit(order, tree.paths, bytes * ALL_NAMES) ? ALL_NAMES : NAMES);
  addWhile((file) => named === 0 || fits(file, forNames, lines / 2));
  const room = { bytes: bytes - names.bytes, lines: lines - names.count };
  symbols.fill(order.slice(0, Math.min(named, MOST_CANDIDATES)), scores, names, room);
  // The rest of the budget goes to more names.
  addWhile((file) => fits(file, bytes - symbols.bytes, lines - symbols.files.size));
  const { files } = symbols;
  const listed = order.filter((file) => files.has(file)).map((file) => symbols.line(file));
  const rest = restOf(tree, order.slice(named));
  return {
    text: [...listed, ...names.without(files)].map((line) => `${line}\n`).join(''),
    named,
    files: tree.paths.length,
    symbols: symbols.count,
    ...(rest && { rest }),
  };
}

/** Whether the names of these files fit into `bytes`. */
function allFit(files: readonly number[], paths: readonly string[], bytes: number): boolean {
  if (files.length * LEAST_NAME > bytes) return false;
  const names = new NameLines(paths);
  for (const file of files) names.add(file);
  return names.bytes <= bytes;
}

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

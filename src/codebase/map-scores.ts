/** The scores that order files and symbols in a map. */

import { containers } from '../views/structure.ts';
import type { Tag } from '../views/file-tags.ts';
import type { Tree } from './code-tree.ts';

/** What raises the scores of some files and symbols. */
export interface Boosts {
  /** Lower-case words of the query: files and symbols that contain them are raised. */
  readonly words: readonly string[];
  /** For each file how much it was changed recently, 0 to 1. */
  readonly recent: Float64Array;
}

/**
 * Weights and exponents, tuned on the changes between published versions of packages (docs/codebase.md). Symbols count with
 * the square root of their file's rank, because the most used files are not those that change most.
 */
const NAME = { recent: 10, words: 20 };
const SYMBOL = { rank: 0.5, length: 1.2, settled: 0.3, words: 2, named: 20 };

/** The weight of a word in the path; a word in the tags has 1. */
const IN_PATH = 2;

export class MapScores {
  readonly #tree: Tree;
  readonly #words: readonly string[];
  /** For each file the score of its name, and the factor on the scores of its symbols. */
  readonly #names: Float64Array;
  readonly #symbols: Float64Array;

  constructor(tree: Tree, { words, recent }: Boosts) {
    this.#tree = tree;
    this.#words = words;
    const matches = matchesOf(tree, words);
    const settled = recent.some((weight) => weight > 0) ? SYMBOL.settled : 1;
    this.#names = Float64Array.from(tree.paths, (_, file) => {
      const [lately = 0, match = 0] = [recent[file], matches[file]];
      return tree.rankOf(file) * (1 + NAME.recent * lately) * (1 + NAME.words * match);
    });
    this.#symbols = Float64Array.from(tree.paths, (_, file) => {
      const [lately = 0, match = 0] = [recent[file], matches[file]];
      return tree.rankOf(file) ** SYMBOL.rank * (settled + lately) * (1 + SYMBOL.words * match);
    });
  }

  /** All files, the best score first; files of the same score in the order of the tree. */
  order(): readonly number[] {
    const places = this.#tree.places;
    const name = this.#names;
    return this.#tree.order.toSorted(
      (a, b) => (name[b] ?? 0) - (name[a] ?? 0) || (places[a] ?? 0) - (places[b] ?? 0),
    );
  }

  /** Higher is better; comparable between files. */
  symbolScore(file: number, tag: Tag): number {
    const name = tag.qualified.toLowerCase();
    const named = this.#words.filter((word) => name.includes(word)).length;
    return (this.#symbols[file] ?? 0) * lengthOf(tag) ** SYMBOL.length * (1 + SYMBOL.named * named);
  }
}

/** The length in lines, reduced for containers, because their members are candidates themselves. */
function lengthOf({ kind, from, to }: Tag): number {
  const lines = to - from + 1;
  return containers.has(kind) ? Math.sqrt(lines) * 4 : lines;
}

/** For each file the sum over the `words` in its path or tags; words that many files contain count less. */
function matchesOf(tree: Tree, words: readonly string[]): Float64Array {
  const sums = new Float64Array(tree.paths.length);
  if (words.length === 0) return sums;
  const [inPath, inTags] = [words.map((): number[] => []), words.map((): number[] => [])];
  for (const file of tree.paths.keys()) {
    const [path, text] = [tree.pathOf(file).toLowerCase(), tree.textOf(file).toLowerCase()];
    words.forEach((word, i) => {
      if (path.includes(word)) inPath[i]?.push(file);
      if (text.includes(word)) inTags[i]?.push(file);
    });
  }
  const add = (hits: readonly number[], weight: number): void => {
    const rarity = Math.log(tree.paths.length / Math.max(1, hits.length)) / Math.log(tree.paths.length + 1);
    for (const file of hits) sums[file] = (sums[file] ?? 0) + weight * rarity;
  };
  for (const hits of inPath) add(hits, IN_PATH);
  for (const hits of inTags) add(hits, 1);
  return sums;
}

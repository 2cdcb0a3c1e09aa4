/** The order of files and symbols in a map, by their importance. */

import { containers } from '../views/structure.ts';
import type { Tag } from '../views/file-tags.ts';
import type { Tree } from './code-tree.ts';

/** What raises some files of a tree above the others. */
export interface Raised {
  /** Words that raise what has that name. */
  readonly words: readonly string[];
  /** By file: how much of it was changed lately, up to 1. */
  readonly recent: Float64Array;
}

/**
 * Found by trying them on the changes between published versions of packages (docs/codebase.md). What is most used is
 * not what is most changed: for symbols the rank of a file counts by its root, for names it is all there is.
 */
const NAME = { recent: 10, words: 20 };
const SYMBOL = { rank: 0.5, length: 1.2, settled: 0.3, words: 2, named: 20 };

/** What a path says, beside what is in the file. */
const IN_PATH = 2;

export class Worth {
  readonly #tree: Tree;
  readonly #words: readonly string[];
  /** By file. */
  readonly #names: Float64Array;
  readonly #symbols: Float64Array;

  constructor(tree: Tree, { words, recent }: Raised) {
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

  /** All files, those first that are to be named first; equals as the tree orders them. */
  order(): readonly number[] {
    const places = this.#tree.places;
    const name = this.#names;
    return this.#tree.order.toSorted(
      (a, b) => (name[b] ?? 0) - (name[a] ?? 0) || (places[a] ?? 0) - (places[b] ?? 0),
    );
  }

  ofSymbol(file: number, tag: Tag): number {
    const name = tag.qualified.toLowerCase();
    const named = this.#words.filter((word) => name.includes(word)).length;
    return (this.#symbols[file] ?? 0) * lengthOf(tag) ** SYMBOL.length * (1 + SYMBOL.named * named);
  }
}

/** Lines. A container is told by what is in it: its own lines count less. */
function lengthOf({ kind, from, to }: Tag): number {
  const lines = to - from + 1;
  return containers.has(kind) ? Math.sqrt(lines) * 4 : lines;
}

/** By file: how many of `words` it has, in its path or its tags; one that many files have counts little. */
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
  const add = (hits: readonly number[], worth: number): void => {
    const rare = Math.log(tree.paths.length / Math.max(1, hits.length)) / Math.log(tree.paths.length + 1);
    for (const file of hits) sums[file] = (sums[file] ?? 0) + worth * rare;
  };
  for (const hits of inPath) add(hits, IN_PATH);
  for (const hits of inTags) add(hits, 1);
  return sums;
}

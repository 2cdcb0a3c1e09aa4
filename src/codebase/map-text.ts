/** The map of a directory: the files that matter most with their largest symbols, then the names of the others. */

import { oneLine } from '../text/visible.ts';
import { containers } from '../views/structure.ts';
import type { Tag } from '../views/tags.ts';
import type { Tree } from './tree.ts';
import { span } from '../render/units.ts';

export interface MapWanted {
  /** The most bytes it may have. */
  readonly bytes: number;
  /** Files to leave out first: the next page. */
  readonly from: number;
  /** Words that raise the files and symbols that are called so. */
  readonly words: readonly string[];
}

export interface MapText {
  readonly text: string;
  /** Files named here, and files in all. */
  readonly named: number;
  readonly files: number;
  /** Symbols with their lines. */
  readonly symbols: number;
  /** The directory right below with the most files that are not named, and how many these are. */
  readonly rest?: { readonly directory: string; readonly files: number };
}

/** The part of the budget that names of files may take while there are symbols to show. */
const NAMES = 0.5;

/** Files that may have symbols, by their place in the order: the best ones of a large tree fill any budget. */
const LOOKED_INTO = 2_000;

/** Symbols this deep inside others are theirs, and shown with the file's own outline. */
const DEEPEST = 2;

/** What the words of a question are worth, beside the rank of a file. */
const RAISED = 20;

export function mapText(tree: Tree, { bytes, from, words }: MapWanted): MapText {
  const order = raised(tree, words).slice(from);
  const places = new Map(order.map((file, place) => [file, place]));
  const names = new Names(tree);
  let named = 0;
  for (const file of order) {
    // The first one in any case, so that every page leads on.
    if (named > 0 && names.bytes + names.cost(file) > bytes * NAMES) break;
    names.add(file);
    named += 1;
  }
  const shown = bestSymbols(
    tree,
    order.slice(0, Math.min(named, LOOKED_INTO)),
    words,
    bytes - names.bytes,
    names,
  );
  // What names and symbols have left over goes to more names.
  for (const file of order.slice(named)) {
    if (names.bytes + shown.bytes + names.cost(file) > bytes) break;
    names.add(file);
    named += 1;
  }
  const listed = [...shown.files].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  const lines = listed.map((file) => fileLine(tree, file, shown.tags.get(file) ?? []));
  const rest = restOf(tree, order.slice(named));
  return {
    text: [...lines, ...names.lines(new Set(listed))].map((line) => `${line}\n`).join(''),
    named,
    files: tree.files.length,
    symbols: [...shown.tags.values()].reduce((sum, tags) => sum + tags.length, 0),
    ...(rest && { rest }),
  };
}

function raised(tree: Tree, words: readonly string[]): readonly number[] {
  if (words.length === 0) return tree.order;
  const score = (file: number): number => tree.rankOf(file) * (1 + RAISED * matches(tree, file, words));
  const scores = tree.files.map((_, file) => score(file));
  const place = new Map(tree.order.map((file, i) => [file, i]));
  return tree.order.toSorted(
    (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || (place.get(a) ?? 0) - (place.get(b) ?? 0),
  );
}

/** How many of the words stand in the path, twice, or in the names of the symbols. */
function matches(tree: Tree, file: number, words: readonly string[]): number {
  const { path = '', tags = '' } = tree.files[file] ?? {};
  const [inPath, inTags] = [path.toLowerCase(), tags.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (inPath.includes(word) ? 2 : 0) + (inTags.includes(word) ? 1 : 0),
    0,
  );
}

interface Shown {
  readonly files: ReadonlySet<number>;
  readonly tags: ReadonlyMap<number, Tag[]>;
  readonly bytes: number;
}

/** By rank of the file and length of the symbol, as many as `room` allows. A file with symbols needs no other name. */
function bestSymbols(
  tree: Tree,
  files: readonly number[],
  words: readonly string[],
  room: number,
  names: Names,
): Shown {
  const scored = files.flatMap((file) => {
    const weight = tree.rankOf(file);
    return tree
      .tagsOf(file)
      .filter(({ depth, kind }) => depth <= DEEPEST && !SMALL.has(kind))
      .map((tag) => ({ file, tag, score: weight * lengthOf(tag) * (1 + RAISED * namedBy(tag, words)) }));
  });
  scored.sort((a, b) => b.score - a.score);
  const tags = new Map<number, Tag[]>();
  let bytes = 0;
  for (const { file, tag } of scored) {
    const known = tags.get(file);
    const cost = Buffer.byteLength(tagText(tag)) + 2 + (known ? 0 : names.lineCost(file));
    if (bytes + cost > room) {
      // A little room is left for what is shorter.
      if (room - bytes < 32) break;
      continue;
    }
    bytes += cost;
    if (known) known.push(tag);
    else tags.set(file, [tag]);
  }
  for (const list of tags.values()) list.sort((a, b) => a.from - b.from || b.to - a.to);
  return { files: new Set(tags.keys()), tags, bytes };
}

/** Parts of other symbols, which a file's own outline shows. */
const SMALL: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'key', 'statement']);

/** Lines. A container is told by what is in it: its own lines count less. */
function lengthOf({ kind, from, to }: Tag): number {
  const lines = to - from + 1;
  return containers.has(kind) ? Math.sqrt(lines) * 4 : lines;
}

function namedBy({ qualified }: Tag, words: readonly string[]): number {
  const name = qualified.toLowerCase();
  return words.filter((word) => name.includes(word)).length;
}

function fileLine(tree: Tree, file: number, tags: readonly Tag[]): string {
  return `${oneLine(tree.files[file]?.path ?? '')}: ${tags.map(tagText).join(', ')}`;
}

/** `Session.close 120-148`. */
function tagText({ qualified, from, to }: Tag): string {
  return `${qualified} ${span(from, to)}`;
}

/** The names of files, a line a directory: `src/lib/: a.ts b.ts`. */
class Names {
  bytes = 0;
  readonly #tree: Tree;
  readonly #directories = new Map<string, number[]>();

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  cost(file: number): number {
    const [directory, name] = this.#parts(file);
    const head = this.#directories.has(directory) ? 0 : Buffer.byteLength(directory) + 3;
    return head + Buffer.byteLength(name) + 1;
  }

  add(file: number): void {
    this.bytes += this.cost(file);
    const [directory] = this.#parts(file);
    const known = this.#directories.get(directory);
    if (known) known.push(file);
    else this.#directories.set(directory, [file]);
  }

  /** Of a line with symbols, beside the name that is counted already. */
  lineCost(file: number): number {
    return Buffer.byteLength(this.#parts(file)[0]) + 3;
  }

  /** Without `others`, which stand elsewhere. */
  lines(others: ReadonlySet<number>): string[] {
    return [...this.#directories].flatMap(([directory, files]) => {
      const names = files.filter((file) => !others.has(file)).map((file) => this.#parts(file)[1]);
      return names.length === 0 ? [] : [`${directory === '' ? './' : directory}: ${names.join(' ')}`];
    });
  }

  #parts(file: number): [directory: string, name: string] {
    const path = oneLine(this.#tree.files[file]?.path ?? '');
    const at = path.lastIndexOf('/') + 1;
    return [path.slice(0, at), path.slice(at)];
  }
}

function restOf(tree: Tree, files: readonly number[]): MapText['rest'] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const path = tree.files[file]?.path ?? '';
    const at = path.indexOf('/');
    if (at !== -1) counts.set(path.slice(0, at), (counts.get(path.slice(0, at)) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most && { directory: most[0], files: most[1] };
}

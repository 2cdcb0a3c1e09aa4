/** The map of a directory: the files that matter most with their largest symbols, then the names of the others. */

import { span } from '../../render/display.ts';
import { containers } from '../structure.ts';
import type { SymbolTag } from '../tags.ts';
import type { CodeTree } from './code-tree.ts';
import { NameLines } from './name-lines.ts';
import { pathWord } from './paths.ts';

interface MapWanted extends MapBoosts {
  /** Maximum size of the text. */
  readonly bytes: number;
  readonly lines: number;
  /** The number of files to skip, for the next page. */
  readonly from: number;
  /** Whether symbols are only of files that are parsed, not of those that are sketched. */
  readonly isParsed?: boolean | undefined;
}

export interface MapText {
  readonly text: string;
  /** The number of files on this page, and in all. */
  readonly named: number;
  readonly files: number;
  /** The number of symbols. */
  readonly symbols: number;
  /** The top-level directory with the most files that are on later pages, and their number. */
  readonly rest?: { readonly directory: string; readonly files: number } | undefined;
  /** 0-based positions of sketched files with symbols: their ranges are estimates. */
  readonly sketched?: readonly number[] | undefined;
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
const MIN_NAME_BYTES = 2;

/** Maximum files of which symbols are considered, the most important first: those of a large tree fill any budget. */
const MAX_MAP_CANDIDATES = 2_000;

export function mapText(tree: CodeTree, { bytes, lines, from, isParsed, ...boosts }: MapWanted): MapText {
  const scores = new MapScores(tree, boosts);
  const order = scores.order().slice(from);
  let { names, first } = namesOf(tree, order, { bytes, lines: lines / 2 });
  const symbols = new MapSymbols(tree);
  const ofNames = sizeOf(names.lines(first));
  const room = { bytes: bytes - ofNames.bytes, lines: lines - ofNames.lines };
  const candidates = order.slice(0, Math.min(first, MAX_MAP_CANDIDATES));
  symbols.fill(
    isParsed === true ? candidates.filter((file) => !tree.isSketched(file)) : candidates,
    scores,
    room,
  );
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
    rest,
    sketched: [...files].filter((file) => tree.isSketched(file)),
  };
}

/** The names that a map may list, and how many of them fit beside symbols. */
function namesOf(
  tree: CodeTree,
  order: readonly number[],
  { bytes, lines }: Size,
): { readonly names: NameLines; readonly first: number } {
  const isFew = order.length * MIN_NAME_BYTES <= bytes * ALL_NAMES;
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

function namesBelow(tree: CodeTree, files: readonly number[], words: boolean): NameLines {
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

function restOf(tree: CodeTree, files: readonly number[]): MapText['rest'] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const path = tree.pathOf(file);
    const at = path.indexOf('/');
    if (at !== -1) counts.set(path.slice(0, at), (counts.get(path.slice(0, at)) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most && { directory: most[0], files: most[1] };
}

// Selects the symbols of a map by score until the budget is spent, and formats them as one line for each file.

/** Maximum nesting depth of symbols in a map. The file's own outline shows deeper ones. */
const MAX_SYMBOL_LEVEL = 2;

/** The search for symbols that still fit ends when fewer bytes are left. */
const MIN_ROOM_BYTES = 32;

/** The selected symbols of a file, in the order of the text, and the bytes of its line with the newline. */
interface ListedSymbol {
  readonly tags: readonly SymbolTag[];
  readonly bytes: number;
}

class MapSymbols {
  /** About the bytes that the symbols add to the names of their files. */
  bytes = 0;
  readonly #tree: CodeTree;
  readonly #listed = new Map<number, ListedSymbol>();

  constructor(tree: CodeTree) {
    this.#tree = tree;
  }

  /** Selects symbols of `files`. `room`: bytes beyond the names of all files, and maximum files with symbols. */
  fill(
    files: readonly number[],
    scores: MapScores,
    room: { readonly bytes: number; readonly lines: number },
  ): void {
    for (const { file, tag } of inOrder(this.#tree, files, scores)) {
      const known = this.#listed.get(file);
      const left = room.bytes - this.bytes;
      if (left < MIN_ROOM_BYTES) return;
      if ((!known && this.#listed.size >= room.lines) || leastCost(tag) > left) continue;
      const tags = withTag(known?.tags ?? [], tag);
      const line = Buffer.byteLength(this.#lineOf(file, tags)) + 1;
      const cost = line - (known?.bytes ?? nameBytes(this.#tree.pathOf(file)));
      if (cost > left) continue;
      this.bytes += cost;
      this.#listed.set(file, { tags, bytes: line });
    }
  }

  /** Files with at least one selected symbol. */
  get files(): ReadonlySet<number> {
    return new Set(this.#listed.keys());
  }

  /** The number of its selected symbols. */
  countOf(file: number): number {
    return this.#listed.get(file)?.tags.length ?? 0;
  }

  /** `src/store.ts: Store 4-90, .open 6-20, .close 22-31, other 95-99`: a leading dot stands for the last complete name. */
  line(file: number): string {
    return this.#lineOf(file, this.#listed.get(file)?.tags ?? []);
  }

  #lineOf(file: number, tags: readonly SymbolTag[]): string {
    let around = '';
    const texts = tags.map((tag) => {
      const text = textOf(tag);
      if (around !== '' && text.startsWith(`${around}.`)) return text.slice(around.length);
      around = tag.qualified;
      return text;
    });
    return `${this.#path(file)}: ${texts.join(', ')}`;
  }

  #path(file: number): string {
    return pathWord(this.#tree.pathOf(file));
  }
}

/** Kinds that are left out if they have only one line. */
const SMALL: ReadonlySet<SymbolTag['kind']> = new Set(['property', 'variable', 'key', 'statement', 'alias']);

/**
 * The candidates, the best first. A property of several lines is a candidate, because it is a function or a table. Files are
 * read in ascending order, because neighbours are packed together and unpacking is cached.
 */
function inOrder(
  tree: CodeTree,
  files: readonly number[],
  scores: MapScores,
): { readonly file: number; readonly tag: SymbolTag }[] {
  const places = new Map(files.map((file, place) => [file, place]));
  return files
    .toSorted((a, b) => a - b)
    .flatMap((file) =>
      tree
        .tagsOf(file)
        .filter(({ depth, kind, from, to }) => depth <= MAX_SYMBOL_LEVEL && (to > from || !SMALL.has(kind)))
        .map((tag) => ({ file, tag, score: scores.symbolScore(file, tag) })),
    )
    .sort((a, b) => b.score - a.score || (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** About what the name of a file costs in a line of names, without its directory and extension. */
function nameBytes(path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return Buffer.byteLength(name.replace(/(?<=.)\.[^.]*$/, '')) + 1;
}

/** A lower bound of the bytes of a symbol, without the prefix of its qualified name. */
function leastCost({ name, from, to }: SymbolTag): number {
  return name.length + span(from, to).length + 2;
}

/** Inserts a symbol in the order of the text. */
function withTag(tags: readonly SymbolTag[], tag: SymbolTag): readonly SymbolTag[] {
  const at = tags.findLastIndex(({ from, to }) => from < tag.from || (from === tag.from && to >= tag.to)) + 1;
  return tags.toSpliced(at, 0, tag);
}

/** `Session.close 120-148`. */
function textOf({ qualified, from, to }: SymbolTag): string {
  return `${qualified} ${span(from, to)}`;
}

// The scores that order files and symbols in a map.

/** What raises the scores of some files and symbols. */
interface MapBoosts {
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

class MapScores {
  readonly #tree: CodeTree;
  readonly #words: readonly string[];
  /** For each file the score of its name, and the factor on the scores of its symbols. */
  readonly #names: Float64Array;
  readonly #symbols: Float64Array;

  constructor(tree: CodeTree, { words, recent }: MapBoosts) {
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
  symbolScore(file: number, tag: SymbolTag): number {
    const name = tag.qualified.toLowerCase();
    const named = this.#words.filter((word) => name.includes(word)).length;
    return (this.#symbols[file] ?? 0) * lengthOf(tag) ** SYMBOL.length * (1 + SYMBOL.named * named);
  }
}

/** The length in lines, reduced for containers, because their members are candidates themselves. */
function lengthOf({ kind, from, to }: SymbolTag): number {
  const lines = to - from + 1;
  return containers.has(kind) ? Math.sqrt(lines) * 4 : lines;
}

/** For each file the sum over the `words` in its path or tags; words that many files contain count less. */
function matchesOf(tree: CodeTree, words: readonly string[]): Float64Array {
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

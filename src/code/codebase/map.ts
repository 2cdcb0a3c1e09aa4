/** The map of a directory: the files that matter most with their largest symbols, then the names of the others. */

import { span } from '../../render/display.ts';
import type { SymbolTag } from '../tags.ts';
import type { CodeTree } from './code-tree.ts';
import { belowDirectories, NameLines } from './name-lines.ts';
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

/** Share of the bytes for file names before symbols are selected. */
const NAMES = 0.91;

/** Share of the bytes that all names may take without braces, which are harder to read. */
const PLAIN = 0.5;

/** Usual bytes of a name, where the search begins; and those of a short name, up to which it goes. */
const USUAL_NAME = 36;
const SHORT_NAME = 12;

/** The factor for names beyond those that fit beside symbols: files with symbols leave room for more. */
const SPARE = 1.15;

/** The factor by which more names are tried, if there are no symbols that take the rest of the budget. */
const MORE = 1.4;

/** Minimum bytes of a file name and its separator. */
const MIN_NAME_BYTES = 2;

/** Maximum selections of symbols; later ones only take some away. */
const MAX_ROUNDS = 8;

/** Maximum files of which symbols are considered, the most important first: those of a large tree fill any budget. */
const MAX_MAP_CANDIDATES = 2_000;

export function mapText(tree: CodeTree, { bytes, lines, from, isParsed, ...boosts }: MapWanted): MapText {
  const scores = new MapScores(tree, boosts);
  const order = scores.order().slice(from);
  let { names, first } = namesOf(tree, order, { bytes, lines: lines / 2 });
  const ofNames = sizeOf(names.lines(first));
  const room = { bytes: bytes - ofNames.bytes, lines: lines - ofNames.lines };
  const candidates = order.slice(0, Math.min(first, MAX_MAP_CANDIDATES));
  const isCandidate = (file: number): boolean => isParsed !== true || !tree.isSketched(file);
  const tags = inOrder(tree, candidates.filter(isCandidate), scores);
  let symbols = new MapSymbols(tree, tags, room);
  const linesOf = (names: NameLines, count: number): string[] => [
    ...belowDirectories(order.slice(0, count).flatMap((file) => symbols.line(file))),
    ...names.lines(count, (at) => symbols.files.has(order[at] as number)),
  ];
  // What the lines save below their directories is known when they are made: the symbols are selected again for it.
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = bytes - sizeOf(linesOf(names, first)).bytes;
    if (left >= 0 && (left < MIN_ROOM_BYTES || round > MAX_ROUNDS / 2)) break;
    room.bytes += left;
    symbols = new MapSymbols(tree, tags, room);
  }
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
    sketched: [...symbols.files.keys()].filter((file) => tree.isSketched(file)),
  };
}

/** The names that a map may list, and how many of them fit beside symbols. */
function namesOf(
  tree: CodeTree,
  order: readonly number[],
  { bytes, lines }: Size,
): { readonly names: NameLines; readonly first: number } {
  const isFew = order.length * MIN_NAME_BYTES <= bytes * PLAIN;
  const all = isFew ? namesBelow(tree, order, false) : undefined;
  if (all && fits(all.lines(order.length), { bytes: bytes * PLAIN, lines }))
    return { names: all, first: order.length };
  const firstOf = (names: NameLines, guess: number): number =>
    mostFitting(names.size, guess, (count) => fits(names.lines(count), { bytes: bytes * NAMES, lines }));
  const guess = firstOf(
    namesBelow(tree, order.slice(0, Math.ceil(bytes / SHORT_NAME)), true),
    Math.ceil(bytes / USUAL_NAME),
  );
  // Words that only the files that fit share are better than those of more files.
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
  readonly #tree: CodeTree;
  readonly #listed = new Map<number, ListedSymbol>();

  /** Selects of `tags`, the best first. `room`: bytes beyond the names of all files, and maximum files with symbols. */
  constructor(tree: CodeTree, tags: ReturnType<typeof inOrder>, room: Size) {
    this.#tree = tree;
    let left = room.bytes;
    for (const { file, tag } of tags) {
      const known = this.#listed.get(file);
      // Without the prefix of its qualified name.
      const leastCost = tag.name.length + span(tag.from, tag.to).length + 2;
      if (left < MIN_ROOM_BYTES) return;
      if ((!known && this.#listed.size >= room.lines) || leastCost > left) continue;
      const tags = withTag(known?.tags ?? [], tag);
      const line = Buffer.byteLength(lineOf(this.#tree.pathOf(file), tags).join(': ')) + 1;
      const cost = line - (known?.bytes ?? nameBytes(this.#tree.pathOf(file)));
      if (cost > left) continue;
      left -= cost;
      this.#listed.set(file, { tags, bytes: line });
    }
  }

  /** Files with at least one selected symbol. */
  get files(): Pick<ReadonlyMap<number, unknown>, 'has' | 'keys'> {
    return this.#listed;
  }

  /** The number of its selected symbols. */
  countOf(file: number): number {
    return this.#listed.get(file)?.tags.length ?? 0;
  }

  /** Its path and its symbols; nothing if none is selected. */
  line(file: number): (readonly [string, string])[] {
    const known = this.#listed.get(file);
    return known ? [lineOf(this.#tree.pathOf(file), known.tags)] : [];
  }
}

/** `src/store.ts`, `Store 4-90, .open 6-20, .close 22-31, other 95-99`: a leading dot stands for the last complete name. */
function lineOf(path: string, tags: readonly SymbolTag[]): readonly [string, string] {
  let around = '';
  const texts = tags.map((tag) => {
    const text = `${tag.qualified} ${span(tag.from, tag.to)}`;
    if (around !== '' && text.startsWith(`${around}.`)) return text.slice(around.length);
    around = tag.qualified;
    return text;
  });
  return [pathWord(path), texts.join(', ')];
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
    .flatMap((file) => {
      const tags = tree.tagsOf(file);
      const lines = ownLines(tags);
      return tags.flatMap((tag, i) =>
        tag.depth <= MAX_SYMBOL_LEVEL && (tag.to > tag.from || !SMALL.has(tag.kind))
          ? [{ file, tag, score: scores.symbolScore(file, tag, lines[i] ?? 1) }]
          : [],
      );
    })
    .sort((a, b) => b.score - a.score || (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** About what the name of a file costs in a line of names, without its directory and extension. */
function nameBytes(path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return Buffer.byteLength(name.replace(/(?<=.)\.[^.]*$/, '')) + 1;
}

/** Inserts a symbol in the order of the text. */
function withTag(tags: readonly SymbolTag[], tag: SymbolTag): readonly SymbolTag[] {
  const at = tags.findLastIndex(({ from, to }) => from < tag.from || (from === tag.from && to >= tag.to)) + 1;
  return tags.toSpliced(at, 0, tag);
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
 * Weights and exponents, tuned on the changes between published versions of packages (docs/codebase.md). The rank of a file
 * hardly counts, because the most used files are not those that change most; its size and its last changes do.
 */
const NAME = { rank: 0.2, size: 0.3, settled: 0.02, words: 20 };
const SYMBOL = { rank: 0.1, length: 1.3, settled: 0.05, lately: 0.5, words: 2, named: 20 };

/** The exponents of the rank without known changes: then it alone tells own code from vendored code and tests. */
const UNCHANGED = { names: 0.5, symbols: 0.3 };

/** Lines of a symbol above which more do not count: a long table does not change more often than a long function. */
const MAX_SCORED_LINES = 115;

/** About the bytes of a symbol beside its name. */
const SPAN = 6;

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
    const isKnown = recent.some((weight) => weight > 0);
    const settled = isKnown ? SYMBOL.settled : 1;
    const [ofNames, ofSymbols] = isKnown ? [NAME.rank, SYMBOL.rank] : [UNCHANGED.names, UNCHANGED.symbols];
    this.#names = Float64Array.from(tree.paths, (_, file) => {
      const [lately = 0, match = 0] = [recent[file], matches[file]];
      const steady = tree.rankOf(file) ** ofNames * tree.graph.sizeOf(file) ** NAME.size;
      return steady * (NAME.settled + lately) * (1 + NAME.words * match);
    });
    this.#symbols = Float64Array.from(tree.paths, (_, file) => {
      const [lately = 0, match = 0] = [recent[file], matches[file]];
      const changed = settled + lately ** SYMBOL.lately;
      return tree.rankOf(file) ** ofSymbols * changed * (1 + SYMBOL.words * match);
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

  /** Higher is better; comparable between files. `lines`: those that are in no symbol inside it. */
  symbolScore(file: number, { qualified, name }: SymbolTag, lines: number): number {
    const lower = qualified.toLowerCase();
    const named = this.#words.filter((word) => lower.includes(word)).length;
    const length = Math.min(lines, MAX_SCORED_LINES) ** SYMBOL.length;
    // Long names take the room of others.
    return ((this.#symbols[file] ?? 0) * length * (1 + SYMBOL.named * named)) / (name.length + SPAN);
  }
}

/** For each symbol of a file the number of its lines that are in no symbol inside it, at least 1. */
function ownLines(tags: readonly SymbolTag[]): number[] {
  const own = tags.map(({ from, to }) => to - from + 1);
  const around: number[] = [];
  for (const [i, { from, to }] of tags.entries()) {
    while (around.length > 0 && (tags[around.at(-1) as number]?.to ?? 0) < to) around.pop();
    const outer = around.at(-1);
    if (outer !== undefined) own[outer] = (own[outer] ?? 0) - (to - from + 1);
    around.push(i);
  }
  return own.map((lines) => Math.max(1, lines));
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

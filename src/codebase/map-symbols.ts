/** Selects the symbols of a map by score until the budget is spent, and formats them as one line for each file. */

import { span } from '../render/units.ts';
import type { Tag } from '../views/file-tags.ts';
import type { Tree } from './code-tree.ts';
import type { MapScores } from './map-scores.ts';
import { pathWord } from './path-word.ts';

/** Maximum nesting depth of symbols in a map. The file's own outline shows deeper ones. */
const DEEPEST = 2;

/** The search for symbols that still fit ends when fewer bytes are left. */
const LEAST_ROOM = 32;

/** The selected symbols of a file, in the order of the text, and the bytes of its line with the newline. */
interface Listed {
  readonly tags: readonly Tag[];
  readonly bytes: number;
}

export class MapSymbols {
  /** About the bytes that the symbols add to the names of their files. */
  bytes = 0;
  readonly #tree: Tree;
  readonly #listed = new Map<number, Listed>();

  constructor(tree: Tree) {
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
      if (left < LEAST_ROOM) return;
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

  #lineOf(file: number, tags: readonly Tag[]): string {
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
const SMALL: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'key', 'statement']);

/**
 * The candidates, the best first. A property of several lines is a candidate, because it is a function or a table. Files are
 * read in ascending order, because neighbours are packed together and unpacking is cached.
 */
function inOrder(
  tree: Tree,
  files: readonly number[],
  scores: MapScores,
): { readonly file: number; readonly tag: Tag }[] {
  const places = new Map(files.map((file, place) => [file, place]));
  return files
    .toSorted((a, b) => a - b)
    .flatMap((file) =>
      tree
        .tagsOf(file)
        .filter(({ depth, kind, from, to }) => depth <= DEEPEST && (to > from || !SMALL.has(kind)))
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
function leastCost({ name, from, to }: Tag): number {
  return name.length + span(from, to).length + 2;
}

/** Inserts a symbol in the order of the text. */
function withTag(tags: readonly Tag[], tag: Tag): readonly Tag[] {
  const at = tags.findLastIndex(({ from, to }) => from < tag.from || (from === tag.from && to >= tag.to)) + 1;
  return tags.toSpliced(at, 0, tag);
}

/** `Session.close 120-148`. */
function textOf({ qualified, from, to }: Tag): string {
  return `${qualified} ${span(from, to)}`;
}

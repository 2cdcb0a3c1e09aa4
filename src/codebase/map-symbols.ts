/** The symbols of a map: those that are worth most, as many as there is room for, a line a file. */

import { span } from '../render/units.ts';
import type { Tag } from '../views/file-tags.ts';
import type { NameLines } from './name-lines.ts';
import type { Tree } from './code-tree.ts';
import { pathWord } from './path-word.ts';
import type { Worth } from './worth.ts';

/** Symbols this deep inside others are theirs, and shown with the file's own outline. */
const DEEPEST = 2;

/** Bytes below which no symbol is looked for that is short enough. */
const LEAST_ROOM = 32;

/** The symbols of a file, in the order of the text, and the bytes of its line with its newline. */
interface Listed {
  readonly tags: readonly Tag[];
  readonly bytes: number;
}

export class MapSymbols {
  bytes = 0;
  count = 0;
  readonly #tree: Tree;
  readonly #listed = new Map<number, Listed>();

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Takes from `files`, which `names` has already. */
  fill(
    files: readonly number[],
    worth: Worth,
    names: NameLines,
    room: { readonly bytes: number; readonly lines: number },
  ): void {
    for (const { file, tag } of inOrder(this.#tree, files, worth)) {
      const known = this.#listed.get(file);
      const left = room.bytes - this.bytes;
      // A little room is left for what is shorter.
      if (left < LEAST_ROOM) return;
      if ((!known && this.#listed.size >= room.lines) || leastCost(tag) > left) continue;
      const tags = withTag(known?.tags ?? [], tag);
      const line = Buffer.byteLength(this.#lineOf(file, tags)) + 1;
      const cost = line - (known?.bytes ?? names.nameBytes(file));
      if (cost > left) continue;
      this.bytes += cost;
      this.count += 1;
      this.#listed.set(file, { tags, bytes: line });
    }
  }

  get files(): ReadonlySet<number> {
    return new Set(this.#listed.keys());
  }

  /** `src/store.ts: Store 4-90, .open 6-20, .close 22-31, other 95-99`: a dot stands for the name before it. */
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

/** Parts of other symbols, which a file's own outline shows. */
const SMALL: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'key', 'statement']);

/**
 * The best first. A property of several lines is a function, or a table. Files are looked at as they are beside each
 * other: their tags are packed together.
 */
function inOrder(
  tree: Tree,
  files: readonly number[],
  worth: Worth,
): { readonly file: number; readonly tag: Tag }[] {
  const places = new Map(files.map((file, place) => [file, place]));
  return files
    .toSorted((a, b) => a - b)
    .flatMap((file) =>
      tree
        .tagsOf(file)
        .filter(({ depth, kind, from, to }) => depth <= DEEPEST && (to > from || !SMALL.has(kind)))
        .map((tag) => ({ file, tag, score: worth.ofSymbol(file, tag) })),
    )
    .sort((a, b) => b.score - a.score || (places.get(a.file) ?? 0) - (places.get(b.file) ?? 0));
}

/** What a symbol takes at least, without what it is in. */
function leastCost({ name, from, to }: Tag): number {
  return name.length + span(from, to).length + 2;
}

/** With one more, in the order of the text. */
function withTag(tags: readonly Tag[], tag: Tag): readonly Tag[] {
  const at = tags.findLastIndex(({ from, to }) => from < tag.from || (from === tag.from && to >= tag.to)) + 1;
  return tags.toSpliced(at, 0, tag);
}

/** `Session.close 120-148`. */
function textOf({ qualified, from, to }: Tag): string {
  return `${qualified} ${span(from, to)}`;
}

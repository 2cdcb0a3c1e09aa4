/** The symbols of a map: those that are worth most, as many as there is room for, a line a file. */

import { span } from '../render/units.ts';
import { oneLine } from '../text/visible.ts';
import type { Tag } from '../views/tags.ts';
import type { NameLines } from './name-lines.ts';
import type { Tree } from './tree.ts';
import type { Worth } from './worth.ts';

/** Symbols this deep inside others are theirs, and shown with the file's own outline. */
const DEEPEST = 2;

/** Bytes below which no symbol is looked for that is short enough. */
const LEAST_ROOM = 32;

export class MapSymbols {
  bytes = 0;
  count = 0;
  readonly #tree: Tree;
  readonly #tags = new Map<number, Tag[]>();

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
      const known = this.#tags.get(file);
      const head = known ? 0 : Buffer.byteLength(this.#path(file)) + 3 - names.nameBytes(file);
      const cost = head + 2 + Buffer.byteLength(textOf(tag)) - sharedBytes(tag, known ?? []);
      if (this.bytes + cost > room.bytes || (!known && this.#tags.size >= room.lines)) {
        // A little room is left for what is shorter.
        if (room.bytes - this.bytes < LEAST_ROOM) return;
        continue;
      }
      this.bytes += cost;
      this.count += 1;
      if (known) known.push(tag);
      else this.#tags.set(file, [tag]);
    }
  }

  get files(): ReadonlySet<number> {
    return new Set(this.#tags.keys());
  }

  /** `src/store.ts: Store 4-90, .open 6-20, .close 22-31, other 95-99`: a dot stands for the name before it. */
  line(file: number): string {
    const tags = (this.#tags.get(file) ?? []).toSorted((a, b) => a.from - b.from || b.to - a.to);
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
    return oneLine(this.#tree.pathOf(file));
  }
}

/** Parts of other symbols, which a file's own outline shows. */
const SMALL: ReadonlySet<Tag['kind']> = new Set(['property', 'variable', 'key', 'statement']);

/** The best first. A property of several lines is a function, or a table. */
function inOrder(
  tree: Tree,
  files: readonly number[],
  worth: Worth,
): { readonly file: number; readonly tag: Tag }[] {
  return files
    .flatMap((file) =>
      tree
        .tagsOf(file)
        .filter(({ depth, kind, from, to }) => depth <= DEEPEST && (to > from || !SMALL.has(kind)))
        .map((tag) => ({ file, tag, score: worth.ofSymbol(file, tag) })),
    )
    .sort((a, b) => b.score - a.score);
}

/** Bytes that need not be written behind the symbol around it. */
function sharedBytes({ qualified, name }: Tag, known: readonly Tag[]): number {
  const scope = qualified.slice(0, -name.length - 1);
  return scope !== '' && known.some((one) => one.qualified === scope) ? Buffer.byteLength(scope) : 0;
}

/** `Session.close 120-148`. */
function textOf({ qualified, from, to }: Tag): string {
  return `${qualified} ${span(from, to)}`;
}

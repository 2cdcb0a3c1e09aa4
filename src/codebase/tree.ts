/**
 * The code files below a directory and how they hang together, as numbers: of 20,000 files no name is kept, and what is
 * said of a file is read again from its tags when it is needed.
 */

import { hashOf } from '../views/packed-tags.ts';
import { readSymbols, readUses, type NameUses, type Tag } from '../views/tags.ts';
import { Declared } from './declared.ts';
import { EdgeList } from './edges.ts';
import { standing } from './made.ts';
import { Modules } from './modules.ts';
import { pageRank } from './ranks.ts';
import type { StoredFile } from './tag-store.ts';

/** Where a symbol is declared. */
export interface Definition {
  /** Position of the file. */
  readonly file: number;
  readonly tag: Tag;
}

/** A name that so many files declare says nothing about who uses whom, unless one imports the other. */
const COMMON = 12;

/** How much more a use counts of what is imported. */
const IMPORTED = 8;

export class Tree {
  /** Relative to the tree's directory, with `/`. */
  readonly paths: readonly string[];
  readonly #top: string;
  readonly #fileOf: (path: string) => StoredFile | undefined;
  readonly #declared: Declared;
  #modules: Modules | undefined;
  readonly #imports: (readonly number[] | undefined)[] = [];
  #ranks: Float64Array | undefined;
  #order: readonly number[] | undefined;
  #places: readonly number[] | undefined;
  #positions: ReadonlyMap<string, number> | undefined;

  /** `top`: what the directory is called. `fileOf`: undefined for what is no code, or could not be parsed. */
  constructor(paths: readonly string[], top: string, fileOf: (path: string) => StoredFile | undefined) {
    this.paths = paths;
    this.#top = top;
    this.#fileOf = fileOf;
    this.#declared = new Declared(paths.length, (file) => this.#stored(file)?.declared);
  }

  pathOf(file: number): string {
    return this.paths[file] ?? '';
  }

  /** The tags of a file as one text (see views/tags.ts); empty where none are known. */
  textOf(file: number): string {
    return this.#stored(file)?.tags() ?? '';
  }

  /** All names that are declared. All tags are read for it. */
  *names(): Iterable<string> {
    const seen = new Set<string>();
    for (const file of this.paths.keys()) {
      for (const { name } of this.tagsOf(file)) {
        if (seen.has(name)) continue;
        seen.add(name);
        yield name;
      }
    }
  }

  tagsOf(file: number): Tag[] {
    return readSymbols(this.textOf(file));
  }

  usesOf(file: number): NameUses[] {
    return readUses(this.textOf(file));
  }

  /** Files that use a name, or another one that is the same number, in ascending order. */
  filesUsing(name: string): number[] {
    const hash = hashOf(name);
    return [...this.paths.keys()].filter((file) => this.#stored(file)?.used.includes(hash));
  }

  /** Whether a file declares a name or uses it, or another one that is the same number. */
  mentions(file: number, name: string): boolean {
    const hash = hashOf(name);
    const stored = this.#stored(file);
    return stored !== undefined && (stored.declared.includes(hash) || stored.used.includes(hash));
  }

  definitions(name: string): Definition[] {
    return this.#declared.filesOf(hashOf(name)).flatMap((file) =>
      this.tagsOf(file)
        .filter((tag) => tag.name === name)
        .map((tag) => ({ file, tag })),
    );
  }

  /** The files that a file imports, itself left out. */
  importsOf(file: number): readonly number[] {
    const known = this.#imports[file];
    if (known) return known;
    const modules = (this.#modules ??= new Modules(this.paths, this.#top));
    const written = this.#stored(file)?.imports ?? [];
    const found = new Set(written.flatMap((module) => modules.filesOf(module, this.pathOf(file))));
    found.delete(file);
    return (this.#imports[file] = [...found]);
  }

  /** The rank of a file among all, tests and the like behind the rest. */
  rankOf(file: number): number {
    this.#ranks ??= this.#rank();
    return this.#ranks[file] ?? 0;
  }

  /** All files, the most important first; equals by their paths. */
  get order(): readonly number[] {
    return (this.#order ??= [...this.paths.keys()].sort(
      (a, b) => this.rankOf(b) - this.rankOf(a) || (this.pathOf(a) < this.pathOf(b) ? -1 : 1),
    ));
  }

  /** By file: its place in `order`. */
  get places(): readonly number[] {
    if (!this.#places) {
      const places: number[] = [];
      this.order.forEach((file, place) => (places[file] = place));
      this.#places = places;
    }
    return this.#places;
  }

  /** By file: the weight of its path, 0 for all others. */
  weightsOf(paths: readonly string[], weights: ArrayLike<number>): Float64Array {
    const known = new Float64Array(this.paths.length);
    if (paths.length === 0) return known;
    this.#positions ??= new Map(this.paths.map((path, file) => [path, file]));
    paths.forEach((path, i) => {
      const file = this.#positions?.get(path);
      if (file !== undefined) known[file] = weights[i] ?? 0;
    });
    return known;
  }

  #stored(file: number): StoredFile | undefined {
    return this.#fileOf(this.pathOf(file));
  }

  #rank(): Float64Array {
    const edges = this.#edges();
    // What each file imports is known now.
    this.#modules = undefined;
    return pageRank(this.paths.length, edges).map((rank, file) => rank * standing(this.pathOf(file)));
  }

  #edges(): EdgeList {
    const edges = new EdgeList();
    for (const file of this.paths.keys()) {
      const weights = new Map<number, number>();
      const imports = new Set(this.importsOf(file));
      for (const target of imports) weights.set(target, 1);
      const stored = this.#stored(file);
      stored?.used.forEach((name, i) => {
        const declared = this.#declared.rangeOf(name);
        const count = declared.to - declared.from;
        if (count === 0) return;
        const uses = Math.sqrt(stored.counts[i] ?? 0);
        // Every file may declare a name: those that this one imports are fewer.
        const targets =
          count > COMMON
            ? [...imports].filter((target) => this.#declared.has(declared, target))
            : this.#declared.filesIn(declared);
        if (count <= COMMON && targets.includes(file)) return;
        if (count > COMMON && this.#declared.has(declared, file)) return;
        for (const target of targets) {
          const added = (uses / count) * (imports.has(target) ? IMPORTED : 1);
          weights.set(target, (weights.get(target) ?? 0) + added);
        }
      });
      for (const [target, sum] of weights) edges.add(file, target, sum);
    }
    return edges;
  }
}

/**
 * The code files below a directory and how they hang together, as numbers: of 20,000 files each name is kept once, and
 * what is said of a file is read again from its tags when it is needed.
 */

import { readImports, readSymbols, readUseCounts, readUses, type NameUses, type Tag } from '../views/tags.ts';
import { Modules } from './modules.ts';
import { standing } from './made.ts';
import { type Edges, pageRank } from './ranks.ts';

export interface TreeFile {
  /** Relative to the tree's directory, with `/`. */
  readonly path: string;
  /** See views/tags.ts; empty for what is no code, or could not be parsed. */
  readonly tags: string;
}

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
  readonly files: readonly TreeFile[];
  /** By name: the files that declare it, each once, in ascending order. */
  readonly #declaredIn = new Map<string, number[]>();
  readonly #modules: Modules;
  readonly #imports: (readonly number[] | undefined)[] = [];
  #ranks: Float64Array | undefined;
  #order: readonly number[] | undefined;
  #places: readonly number[] | undefined;
  #positions: ReadonlyMap<string, number> | undefined;

  /** `top`: what the directory is called. */
  constructor(files: readonly TreeFile[], top: string) {
    this.files = files;
    this.#modules = new Modules(
      files.map(({ path }) => path),
      top,
    );
    files.forEach(({ tags }, file) => {
      for (const name of new Set(readSymbols(tags).map((tag) => tag.name))) {
        const known = this.#declaredIn.get(name);
        if (known) known.push(file);
        else this.#declaredIn.set(name, [file]);
      }
    });
  }

  /** All names that are declared. */
  names(): Iterable<string> {
    return this.#declaredIn.keys();
  }

  tagsOf(file: number): Tag[] {
    return readSymbols(this.files[file]?.tags ?? '');
  }

  usesOf(file: number): NameUses[] {
    return readUses(this.files[file]?.tags ?? '');
  }

  definitions(name: string): Definition[] {
    return (this.#declaredIn.get(name) ?? []).flatMap((file) =>
      this.tagsOf(file)
        .filter((tag) => tag.name === name)
        .map((tag) => ({ file, tag })),
    );
  }

  /** The files that a file imports, itself left out. */
  importsOf(file: number): readonly number[] {
    const known = this.#imports[file];
    if (known) return known;
    const { path = '', tags = '' } = this.files[file] ?? {};
    const found = new Set(readImports(tags).flatMap((module) => this.#modules.filesOf(module, path)));
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
    return (this.#order ??= Array.from(this.files, (_, file) => file).sort(
      (a, b) =>
        this.rankOf(b) - this.rankOf(a) ||
        ((this.files[a]?.path ?? '') < (this.files[b]?.path ?? '') ? -1 : 1),
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
    const known = new Float64Array(this.files.length);
    if (paths.length === 0) return known;
    this.#positions ??= new Map(this.files.map(({ path }, file) => [path, file]));
    paths.forEach((path, i) => {
      const file = this.#positions?.get(path);
      if (file !== undefined) known[file] = weights[i] ?? 0;
    });
    return known;
  }

  #rank(): Float64Array {
    const edges = this.#edges();
    const ranks = pageRank(this.files.length, edges);
    return ranks.map((rank, file) => rank * standing(this.files[file]?.path ?? ''));
  }

  #edges(): Edges {
    const [from, to, weight]: [number[], number[], number[]] = [[], [], []];
    this.files.forEach(({ tags }, file) => {
      const weights = new Map<number, number>();
      const imports = new Set(this.importsOf(file));
      for (const target of imports) weights.set(target, 1);
      for (const [name, count] of readUseCounts(tags)) {
        const declared = this.#declaredIn.get(name);
        if (!declared || holds(declared, file)) continue;
        const uses = Math.sqrt(count);
        // Every file may declare a name: those that this one imports are fewer.
        const targets =
          declared.length > COMMON ? [...imports].filter((target) => holds(declared, target)) : declared;
        for (const target of targets) {
          const added = (uses / declared.length) * (imports.has(target) ? IMPORTED : 1);
          weights.set(target, (weights.get(target) ?? 0) + added);
        }
      }
      for (const [target, sum] of weights) {
        from.push(file);
        to.push(target);
        weight.push(sum);
      }
    });
    return { from, to, weight };
  }
}

/** Whether `list`, in ascending order, has `value`. */
function holds(list: readonly number[], value: number): boolean {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return list[low] === value;
}

/**
 * The graph of the files of a tree: declarations, imports, and the rank of each file. After a change it is updated
 * incrementally: only the parts that the change affects are computed again. Files are 0-based positions in the paths.
 */

import { DeclarationIndex } from './declaration-index.ts';
import { type Edges, EdgeList, edgesOf, isSame, isSameEdges } from './edges.ts';
import { pathWeight } from './path-classes.ts';
import { Modules } from './modules.ts';
import { pageRank } from './file-ranks.ts';
import type { StoredFile } from './tag-store.ts';

/** If more files than this declare a name, a use of it links a file only to those that it imports. */
const COMMON = 12;

/** The factor on the weight of uses of an imported file. */
const IMPORTED = 8;

export interface Ranking {
  /** For each file its PageRank times `pathWeight` of its path. */
  readonly ranks: Float64Array;
  /** All files, the most important first; files of the same rank by their paths. */
  readonly order: readonly number[];
  /** For each file its 0-based position in `order`. */
  readonly places: readonly number[];
}

/** Counts for tests: files whose edges were computed, and runs of PageRank. */
export interface GraphWork {
  linked: number;
  ranked: number;
}

export class Graph {
  readonly declarations: DeclarationIndex;
  readonly work: GraphWork = { linked: 0, ranked: 0 };
  readonly #paths: readonly string[];
  readonly #top: string;
  readonly #files: readonly (StoredFile | undefined)[];
  /** The earlier graph that this one updates; dropped when the ranking is computed. Its edges are computed. */
  #base: Graph | undefined;
  /** Files with other tags than in `#base`. */
  readonly #changed: readonly number[] = [];
  readonly #imports: (readonly number[] | undefined)[];
  #modules: Modules | undefined;
  #edges: Edges | undefined;
  #ranking: Ranking | undefined;

  /** `top`: the name of the directory. `files`: by position in `paths`. `before`: an earlier graph of the same paths. */
  constructor(
    paths: readonly string[],
    top: string,
    files: readonly (StoredFile | undefined)[],
    before?: Graph,
  ) {
    [this.#paths, this.#top, this.#files] = [paths, top, files];
    const base = before && (before.#edges ? before : before.#base);
    this.#base = base;
    if (!base) {
      this.declarations = DeclarationIndex.of(files.length, (file) => files[file]?.declared);
      this.#imports = [];
      return;
    }
    this.#changed = [...files.keys()].filter((file) => files[file] !== base.#files[file]);
    const redeclared = this.#changed.filter(
      (file) => !isSame(files[file]?.declared ?? [], base.#files[file]?.declared ?? []),
    );
    this.declarations = base.declarations.after(new Set(redeclared), (file) => files[file]?.declared);
    this.#imports = base.#imports.slice();
    for (const file of this.#changed)
      if (importsIn(files[file]) !== importsIn(base.#files[file])) this.#imports[file] = undefined;
  }

  fileOf(file: number): StoredFile | undefined {
    return this.#files[file];
  }

  /** The files that a file imports, without itself. */
  importsOf(file: number): readonly number[] {
    const known = this.#imports[file];
    if (known) return known;
    const modules = (this.#modules ??= new Modules(this.#paths, this.#top));
    const written = this.#files[file]?.imports ?? [];
    const found = new Set(written.flatMap((module) => modules.filesOf(module, this.#paths[file] ?? '')));
    found.delete(file);
    return (this.#imports[file] = [...found]);
  }

  get ranking(): Ranking {
    if (this.#ranking) return this.#ranking;
    const edges = (this.#edges = this.#linked());
    // Not needed any more: the imports of all files are resolved now.
    this.#modules = undefined;
    const base = this.#base;
    this.#base = undefined;
    const isAsBefore = base !== undefined && base.#edges !== undefined && isSameEdges(edges, base.#edges);
    return (this.#ranking = isAsBefore ? base.ranking : this.#ranked(edges));
  }

  #ranked(edges: Edges): Ranking {
    this.work.ranked += 1;
    const paths = this.#paths;
    const ranks = pageRank(paths.length, edges).map((rank, file) => rank * pathWeight(paths[file] ?? ''));
    const order = [...paths.keys()].sort(
      (a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || ((paths[a] ?? '') < (paths[b] ?? '') ? -1 : 1),
    );
    const places: number[] = [];
    order.forEach((file, place) => (places[file] = place));
    return { ranks, order, places };
  }

  #linked(): Edges {
    const list = new EdgeList(this.#files.length);
    const stale = this.#stale();
    const before = this.#base && this.#base.#edges;
    for (const file of this.#files.keys()) {
      if (before && stale?.has(file) === false) {
        const { to, weight } = edgesOf(before, file);
        list.add(to, weight);
        continue;
      }
      this.work.linked += 1;
      const weights = this.#edgesFrom(file);
      list.add(weights.keys(), weights.values());
    }
    return list.done();
  }

  /** Files whose edges must be computed: changed ones, and users of names whose declaring files changed. Undefined: all. */
  #stale(): ReadonlySet<number> | undefined {
    const base = this.#base;
    if (!base) return undefined;
    const stale = new Set(this.#changed);
    const names = new Set<number>();
    for (const file of this.#changed) {
      const [now, then] = [this.#files[file]?.declared ?? [], base.#files[file]?.declared ?? []];
      const [isNow, wasThen] = [new Set(now), new Set(then)];
      for (const name of now) if (!wasThen.has(name)) names.add(name);
      for (const name of then) if (!isNow.has(name)) names.add(name);
    }
    if (names.size === 0) return stale;
    this.#files.forEach((stored, file) => {
      if (stored?.used.some((name) => names.has(name))) stale.add(file);
    });
    return stale;
  }

  /** The files that a file uses, with the weights of these edges. */
  #edgesFrom(file: number): Map<number, number> {
    const weights = new Map<number, number>();
    const imports = new Set(this.importsOf(file));
    for (const target of imports) weights.set(target, 1);
    const stored = this.#files[file];
    if (!stored) return weights;
    const { used, counts } = stored;
    used.forEach((name, i) => {
      const range = this.declarations.rangeOf(name);
      const count = range.to - range.from;
      if (count === 0) return;
      const uses = Math.sqrt(counts[i] ?? 0);
      // For a common name the imports of the file are checked, because they are fewer than the files that declare it.
      const targets =
        count > COMMON
          ? [...imports].filter((target) => this.declarations.has(range, target))
          : this.declarations.filesIn(range);
      if (count <= COMMON && targets.includes(file)) return;
      if (count > COMMON && this.declarations.has(range, file)) return;
      for (const target of targets) {
        const added = (uses / count) * (imports.has(target) ? IMPORTED : 1);
        weights.set(target, (weights.get(target) ?? 0) + added);
      }
    });
    return weights;
  }
}

/** As one string, to be compared. */
function importsIn(file: StoredFile | undefined): string {
  return file?.imports.join('\n') ?? '';
}

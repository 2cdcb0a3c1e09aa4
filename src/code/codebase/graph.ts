/**
 * The graph of the files of a tree: declarations, imports, and the rank of each file. After a change it is updated
 * incrementally: only the parts that the change affects are computed again. Files are 0-based positions in the paths.
 */

import { isManifest } from '../languages.ts';
import { hashOf } from '../tags.ts';
import { ModuleResolver, pathWeight } from './paths.ts';
import type { StoredFile } from './tag-store.ts';

/** If more files than this declare a name, a use of it links a file only to those that it imports. */
const COMMON = 12;

/** The factor on the weight of uses of an imported file. */
const IMPORTED = 8;

/** The weight of a declared name in the size of a file: uses are not known of every language. */
const DECLARED = 4;

interface FileRanking {
  /** For each file its PageRank times `pathWeight` of its path. */
  readonly ranks: Float64Array;
  /** All files, the most important first; files of the same rank by their paths. */
  readonly order: readonly number[];
  /** For each file its 0-based position in `order`. */
  readonly places: readonly number[];
}

export class FileGraph {
  readonly declarations: DeclarationIndex;
  readonly #paths: readonly string[];
  readonly #top: string;
  readonly #files: (StoredFile | undefined)[];
  readonly #sizes: Float64Array;
  #isRough = false;
  readonly #refined = new Set<number>();
  /** The earlier graph that this one updates; dropped when the ranking is computed. Its edges are computed. */
  #base: FileGraph | undefined;
  /** Files with other tags than in `#base`. */
  readonly #changed: readonly number[] = [];
  readonly #imports: (readonly number[] | undefined)[];
  #modules: ModuleResolver | undefined;
  #edges: FileEdges | undefined;
  #ranking: FileRanking | undefined;

  /** `top`: the name of the directory. `files`: by position in `paths`. `before`: an earlier graph of the same paths. */
  constructor(paths: readonly string[], top: string, files: (StoredFile | undefined)[], before?: FileGraph) {
    [this.#paths, this.#top, this.#files] = [paths, top, files];
    const known = before && (before.#edges ? before : before.#base);
    // A manifest says what the imports of many files mean.
    const isOther = (path: string, file: number): boolean =>
      known !== undefined && files[file] !== known.#files[file] && isManifest(path);
    const base = paths.some(isOther) ? undefined : known;
    this.#isRough = base !== undefined && base.#isRough;
    this.#base = base;
    this.declarations = new DeclarationIndex(files);
    this.#sizes = Float64Array.from(files, (file) =>
      file ? 1 + file.used.length + DECLARED * file.declared.length : 1,
    );
    this.#imports = base ? base.#imports.slice() : [];
    if (!base) return;
    this.#changed = [...files.keys()].filter((file) => files[file] !== base.#files[file]);
    for (const file of this.#changed)
      if (importsIn(files[file]) !== importsIn(base.#files[file])) this.#imports[file] = undefined;
  }

  fileOf(file: number): StoredFile | undefined {
    return this.#files[file];
  }

  /** About how much code a file has, from 1 on: by the names that it uses and declares. */
  sizeOf(file: number): number {
    return this.#sizes[file] ?? 1;
  }

  /** Sets the tags of a sketched file that was parsed; ranking, size and declarations stay those of the sketch. */
  refine(file: number, stored: StoredFile | undefined): void {
    this.#files[file] = stored;
    this.#imports[file] = undefined;
    this.#isRough = true;
    this.#refined.add(file);
  }

  /** The files that declare a name, by its hash, in ascending order. */
  filesDeclaring(name: number): number[] {
    const refined = [...this.#refined].filter((file) => this.#files[file]?.declared.includes(name));
    return [...new Set([...this.declarations.filesOf(name), ...refined])].sort((a, b) => a - b);
  }

  /** Whether a file was refined, also in an earlier graph: then it is good enough for maps only. */
  get isRough(): boolean {
    return this.#isRough;
  }

  /** The files that a file imports, without itself. */
  importsOf(file: number): readonly number[] {
    const known = this.#imports[file];
    if (known) return known;
    const found = new Set(this.modulesOf(file).flatMap(({ files }) => files));
    found.delete(file);
    return (this.#imports[file] = [...found]);
  }

  /** The modules that a file imports, as written, each with the files that it may mean: none outside the tree. */
  modulesOf(file: number): { readonly module: string; readonly files: readonly number[] }[] {
    const importsOf = (at: number): readonly string[] => this.#files[at]?.imports ?? [];
    const modules = (this.#modules ??= new ModuleResolver(this.#paths, this.#top, importsOf));
    const from = this.#paths[file] ?? '';
    const written = isManifest(from) ? [] : importsOf(file);
    if (from.endsWith('.cs')) return this.#namespacesOf(file, written);
    const declares = (at: number, name: string): boolean =>
      this.#files[at]?.declared.includes(hashOf(name)) === true;
    return written.map((module) => ({ module, files: modules.filesOf(module, from, declares) }));
  }

  /** The namespaces of C# that a file uses, each with those of its files that declare a name that the file uses. */
  #namespacesOf(file: number, written: readonly string[]): ReturnType<FileGraph['modulesOf']> {
    const used = this.#files[file]?.used ?? [];
    const ranges = Array.from(used, (name) => this.declarations.rangeOf(name));
    const rare = ranges.filter(({ from, to }) => to - from <= COMMON);
    // These are few, and the files of a namespace may be most of a tree.
    const near = [...new Set(rare.flatMap((range) => this.declarations.filesIn(range)))].sort(
      (a, b) => a - b,
    );
    return written.flatMap((module) => {
      const outer = module.slice(0, Math.max(0, module.lastIndexOf('.')));
      const own = this.declarations.rangeOf(hashOf(module));
      // `using static A.B.Money` names a class of a namespace.
      const all = own.from < own.to ? own : this.declarations.rangeOf(hashOf(outer));
      const files = near.filter((one) => this.declarations.has(all, one));
      return all.from < all.to && files.length === 0 ? [] : [{ module, files }];
    });
  }

  get ranking(): FileRanking {
    if (this.#ranking) return this.#ranking;
    const edges = (this.#edges = this.#linked());
    // Not needed any more: the imports of all files are resolved now.
    this.#modules = undefined;
    const base = this.#base;
    this.#base = undefined;
    const isAsBefore = base !== undefined && base.#edges !== undefined && isSameEdges(edges, base.#edges);
    return (this.#ranking = isAsBefore ? base.ranking : this.#ranked(edges));
  }

  #ranked(edges: FileEdges): FileRanking {
    const paths = this.#paths;
    const ranks = pageRank(paths.length, edges).map((rank, file) => rank * pathWeight(paths[file] ?? ''));
    const order = [...paths.keys()].sort(
      (a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || ((paths[a] ?? '') < (paths[b] ?? '') ? -1 : 1),
    );
    const places: number[] = [];
    order.forEach((file, place) => (places[file] = place));
    return { ranks, order, places };
  }

  #linked(): FileEdges {
    const starts = new Uint32Array(this.#files.length + 1);
    // Plain arrays of a million numbers would take four times the memory while they grow.
    let to = new Int32Array(MIN_EDGE_ROOM);
    let weight = new Float32Array(MIN_EDGE_ROOM);
    let count = 0;
    const stale = this.#stale();
    const before = this.#base && this.#base.#edges;
    for (const file of this.#files.keys()) {
      const isFresh = before !== undefined && stale?.has(file) === false;
      // Which files a namespace of C# means depends on what they declare.
      if (!isFresh && this.#paths[file]?.endsWith('.cs')) this.#imports[file] = undefined;
      const edges = isFresh ? edgesOf(before, file) : this.#edgesFrom(file);
      for (const [target, one] of edges) {
        if (count === to.length) {
          const [shortTo, shortWeight] = [to, weight];
          (to = new Int32Array(2 * count)).set(shortTo);
          (weight = new Float32Array(2 * count)).set(shortWeight);
        }
        to[count] = target;
        weight[count] = one;
        count += 1;
      }
      starts[file + 1] = count;
    }
    return { starts, to: to.slice(0, count), weight: weight.slice(0, count) };
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

// Which files declare a name: all pairs of a name's hash and a file, sorted, in one typed array.

/** More than there are files. A pair is `hash * FILES + file`: with a 32-bit hash an integer of at most 52 bits. */
const FILES = 2 ** 20;

/** 0-based positions of pairs, half-open. */
interface PairRange {
  readonly from: number;
  readonly to: number;
}

class DeclarationIndex {
  readonly #pairs: Float64Array;

  constructor(files: readonly (StoredFile | undefined)[]) {
    const all = files.map((file) => file?.declared ?? []);
    this.#pairs = new Float64Array(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const [file, names] of all.entries())
      for (const name of names) this.#pairs[at++] = name * FILES + file;
    this.#pairs.sort();
  }

  /** The pairs of a name, by its hash. */
  rangeOf(name: number): PairRange {
    const from = this.#firstFrom(name * FILES, 0, this.#pairs.length);
    let to = from;
    while (to < this.#pairs.length && (this.#pairs[to] as number) < (name + 1) * FILES) to += 1;
    return { from, to };
  }

  /** The files of a range, in ascending order. */
  filesIn({ from, to }: PairRange): number[] {
    return Array.from(this.#pairs.subarray(from, to), (pair) => pair % FILES);
  }

  filesOf(name: number): number[] {
    return this.filesIn(this.rangeOf(name));
  }

  /** Whether `file` is among those of a range. */
  has({ from, to }: PairRange, file: number): boolean {
    if (from === to) return false;
    const pair = Math.floor((this.#pairs[from] as number) / FILES) * FILES + file;
    return this.#pairs[this.#firstFrom(pair, from, to)] === pair;
  }

  /** Binary search: the first position from `low` whose pair is at least `pair`; `high` if there is none. */
  #firstFrom(pair: number, low: number, high: number): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#pairs[middle] as number) < pair) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

// The edges of a weighted, directed graph between files, in typed arrays: a tree of 20,000 files has a million.

/** The edges that there is room for at first. */
const MIN_EDGE_ROOM = 1 << 14;

/** Edges, grouped by the file that they start from. Files are 0-based positions. */
interface FileEdges {
  /** For each file the index of its first edge in `to` and `weight`; finally the number of edges. */
  readonly starts: Uint32Array;
  readonly to: Int32Array;
  readonly weight: Float32Array;
}

/** The edges of one file: their targets and weights. */
function edgesOf({ starts, to, weight }: FileEdges, file: number): (readonly [number, number])[] {
  const [from, end] = [starts[file], starts[file + 1]];
  return Array.from(to.subarray(from, end), (target, i) => [target, weight[(from as number) + i] as number]);
}

function isSameEdges(one: FileEdges, other: FileEdges): boolean {
  return (
    isSameArray(one.starts, other.starts) &&
    isSameArray(one.to, other.to) &&
    isSameArray(one.weight, other.weight)
  );
}

function isSameArray(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

// The importance of each file of a tree: PageRank over the uses between files.

/** The share of its rank that a file passes on to the files that it uses. Source: Brin and Page 1998. */
const DAMPING = 0.85;
const ROUNDS = 40;

/** The rank of each of `count` files; the ranks add up to 1. Files without edges pass their rank on to all files. */
function pageRank(count: number, { starts, to, weight }: FileEdges): Float64Array {
  const out = new Float64Array(count);
  for (let node = 0; node < count; node += 1) {
    const end = starts[node + 1] as number;
    for (let i = starts[node] as number; i < end; i += 1)
      out[node] = (out[node] as number) + (weight[i] as number);
  }
  let rank = new Float64Array(count).fill(1 / count);
  let next = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round += 1) {
    let dangling = 0;
    for (let node = 0; node < count; node += 1) if (out[node] === 0) dangling += rank[node] as number;
    next.fill((1 - DAMPING + DAMPING * dangling) / count);
    for (let node = 0; node < count; node += 1) {
      const [passed, all, end] = [DAMPING * (rank[node] as number), out[node] as number, starts[node + 1]];
      for (let i = starts[node] as number; i < (end as number); i += 1) {
        const target = to[i] as number;
        next[target] = (next[target] as number) + passed * ((weight[i] as number) / all);
      }
    }
    [rank, next] = [next, rank];
  }
  return rank;
}

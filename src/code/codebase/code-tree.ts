/**
 * The code files below a directory and the relations between them. Files are identified by their 0-based positions, names
 * by their hashes: the names in 20,000 files are not held, and the symbols of a file are unpacked when they are needed.
 */

import { hashOf, KNOWN, type NameUses, readSymbols, readUses, type SymbolTag } from '../tags.ts';
import { FileGraph } from './graph.ts';
import type { StoredFile } from './tag-store.ts';

/** Where a symbol is declared. */
export interface SymbolDefinition {
  /** 0-based position of the file in `paths`. */
  readonly file: number;
  readonly tag: SymbolTag;
}

export class CodeTree {
  /** Relative to the tree's directory, separated by `/`. */
  readonly paths: readonly string[];
  readonly graph: FileGraph;
  /** Sketched files whose symbols, uses or imports were asked for: an exact reply needs them parsed. */
  readonly consulted = new Set<number>();
  #positions: ReadonlyMap<string, number> | undefined;

  /**
   * `top`: the name of the directory. `fileOf`: undefined for a file that is not code or has no tags. `before`: an earlier
   * graph of the same paths, from which the new one is updated.
   */
  constructor(
    paths: readonly string[],
    top: string,
    fileOf: (path: string) => StoredFile | undefined,
    before?: FileGraph,
  ) {
    this.paths = paths;
    this.graph = new FileGraph(paths, top, paths.map(fileOf), before);
  }

  pathOf(file: number): string {
    return this.paths[file] ?? '';
  }

  /** Whether its tags are a sketch. */
  isSketched(file: number): boolean {
    return this.graph.fileOf(file)?.known === KNOWN.sketch;
  }

  /** The serialized tags of a file (see tags.ts); empty if there are none. */
  textOf(file: number): string {
    if (this.isSketched(file)) this.consulted.add(file);
    return this.graph.fileOf(file)?.tags() ?? '';
  }

  /** All declared names, each once. Unpacks the tags of every file. */
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

  tagsOf(file: number): SymbolTag[] {
    return readSymbols(this.textOf(file));
  }

  usesOf(file: number): NameUses[] {
    return readUses(this.textOf(file));
  }

  /** Files that use a name, or another name with the same hash, in ascending order. */
  filesUsing(name: string): number[] {
    const hash = hashOf(name);
    return [...this.paths.keys()].filter((file) => this.graph.fileOf(file)?.used.includes(hash));
  }

  /** Whether a file declares or uses a name, or another name with the same hash. */
  mentions(file: number, name: string): boolean {
    const hash = hashOf(name);
    const stored = this.graph.fileOf(file);
    return stored !== undefined && (stored.declared.includes(hash) || stored.used.includes(hash));
  }

  definitions(name: string): SymbolDefinition[] {
    return this.graph.filesDeclaring(hashOf(name)).flatMap((file) =>
      this.tagsOf(file)
        .filter((tag) => tag.name === name)
        .map((tag) => ({ file, tag })),
    );
  }

  /** The files that a file imports, without itself. */
  importsOf(file: number): readonly number[] {
    if (this.isSketched(file)) this.consulted.add(file);
    return this.graph.importsOf(file);
  }

  /** The importance of a file: its PageRank, reduced for tests and similar files. */
  rankOf(file: number): number {
    return this.graph.ranking.ranks[file] ?? 0;
  }

  /** All files, the most important first; files of the same rank by their paths. */
  get order(): readonly number[] {
    return this.graph.ranking.order;
  }

  /** For each file its 0-based position in `order`. */
  get places(): readonly number[] {
    return this.graph.ranking.places;
  }

  /** For each file the weight of its path; 0 if its path is not in `paths`. */
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
}

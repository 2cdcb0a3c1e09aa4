/**
 * The code files below a directory and the relations between them, as numbers: the names of 20,000 files are
 * not kept, and details of a file are read again from its tags when they are needed.
 */

import { hashOf } from '../views/packed-tags.ts';
import { readSymbols, readUses, type NameUses, type Tag } from '../views/file-tags.ts';
import { Graph } from './graph.ts';
import type { StoredFile } from './tag-store.ts';

/** Where a symbol is declared. */
export interface Definition {
  /** Position of the file. */
  readonly file: number;
  readonly tag: Tag;
}

export class Tree {
  /** Relative to the tree's directory, with `/`. */
  readonly paths: readonly string[];
  readonly graph: Graph;
  #positions: ReadonlyMap<string, number> | undefined;

  /**
   * `top`: what the directory is called. `fileOf`: undefined for what is no code, or could not be parsed. `before`: how
   * the same paths hung together.
   */
  constructor(
    paths: readonly string[],
    top: string,
    fileOf: (path: string) => StoredFile | undefined,
    before?: Graph,
  ) {
    this.paths = paths;
    this.graph = new Graph(paths, top, paths.map(fileOf), before);
  }

  pathOf(file: number): string {
    return this.paths[file] ?? '';
  }

  /** The tags of a file as one text (see views/file-tags.ts); empty if none are known. */
  textOf(file: number): string {
    return this.graph.fileOf(file)?.tags() ?? '';
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
    return [...this.paths.keys()].filter((file) => this.graph.fileOf(file)?.used.includes(hash));
  }

  /** Whether a file declares a name or uses it, or another one that is the same number. */
  mentions(file: number, name: string): boolean {
    const hash = hashOf(name);
    const stored = this.graph.fileOf(file);
    return stored !== undefined && (stored.declared.includes(hash) || stored.used.includes(hash));
  }

  definitions(name: string): Definition[] {
    return this.graph.declared.filesOf(hashOf(name)).flatMap((file) =>
      this.tagsOf(file)
        .filter((tag) => tag.name === name)
        .map((tag) => ({ file, tag })),
    );
  }

  /** The files that a file imports, itself left out. */
  importsOf(file: number): readonly number[] {
    return this.graph.importsOf(file);
  }

  /** The rank of a file among all, tests and similar files after the rest. */
  rankOf(file: number): number {
    return this.graph.ranking.ranks[file] ?? 0;
  }

  /** All files, the most important first; equals by their paths. */
  get order(): readonly number[] {
    return this.graph.ranking.order;
  }

  /** By file: its place in `order`. */
  get places(): readonly number[] {
    return this.graph.ranking.places;
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
}

/** The edges of a weighted, directed graph between files, in typed arrays: a tree of 20,000 files has a million. */

/** Edges, grouped by the file that they start from. Files are 0-based positions. */
export interface Edges {
  /** For each file the index of its first edge in `to` and `weight`; finally the number of edges. */
  readonly starts: Uint32Array;
  readonly to: Int32Array;
  readonly weight: Float32Array;
}

/** Collects the edges of all files, in the order of files. */
export class EdgeList {
  readonly #starts: Uint32Array;
  #to = new Int32Array(1024);
  #weight = new Float32Array(1024);
  #files = 0;
  #count = 0;

  constructor(files: number) {
    this.#starts = new Uint32Array(files + 1);
  }

  /** Adds the edges of the next file. `to` and `weight` have the same length. */
  add(to: Iterable<number>, weight: Iterable<number>): void {
    for (const target of to) {
      if (this.#count === this.#to.length) this.#grow();
      this.#to[this.#count++] = target;
    }
    let at = this.#starts[this.#files] as number;
    for (const one of weight) this.#weight[at++] = one;
    this.#starts[(this.#files += 1)] = this.#count;
  }

  done(): Edges {
    return {
      starts: this.#starts,
      to: this.#to.slice(0, this.#count),
      weight: this.#weight.slice(0, this.#count),
    };
  }

  #grow(): void {
    const [to, weight] = [new Int32Array(2 * this.#count), new Float32Array(2 * this.#count)];
    to.set(this.#to);
    weight.set(this.#weight);
    [this.#to, this.#weight] = [to, weight];
  }
}

/** The edges of one file, as views of the arrays. */
export function edgesOf({ starts, to, weight }: Edges, file: number): Pick<Edges, 'to' | 'weight'> {
  const [from, end] = [starts[file], starts[file + 1]];
  return { to: to.subarray(from, end), weight: weight.subarray(from, end) };
}

export function isSameEdges(one: Edges, other: Edges): boolean {
  return isSame(one.starts, other.starts) && isSame(one.to, other.to) && isSame(one.weight, other.weight);
}

export function isSame(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

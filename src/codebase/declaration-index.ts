/** Which files declare a name: all pairs of a name's hash and a file, sorted, in one typed array. */

/** More than there are files. A pair is `hash * FILES + file`: with a 32-bit hash an integer of at most 52 bits. */
const FILES = 2 ** 20;

/** The number of leading bits of a hash by which its pairs are found. */
const BITS = 16;

/** 0-based positions of pairs, half-open. */
export interface PairRange {
  readonly from: number;
  readonly to: number;
}

export class DeclarationIndex {
  readonly #pairs: Float64Array;
  /** For each value of the leading bits the position of its first pair; finally the number of pairs. */
  readonly #starts = new Uint32Array((1 << BITS) + 1);

  /** `pairs` must be sorted. */
  private constructor(pairs: Float64Array) {
    this.#pairs = pairs;
    let bits = 0;
    for (let i = 0; i < pairs.length; i += 1) {
      const own = firstBits(Math.floor((pairs[i] as number) / FILES));
      while (bits <= own) this.#starts[bits++] = i;
    }
    this.#starts.fill(pairs.length, bits);
  }

  /** `files`: the number of files. `declaredBy`: the hashes of the names that a file declares, each once. */
  static of(files: number, declaredBy: DeclaredBy): DeclarationIndex {
    return new DeclarationIndex(
      pairsOf(
        Array.from({ length: files }, (_, file) => file),
        declaredBy,
      ),
    );
  }

  /** An updated copy, if the `changed` files declare other names now. */
  after(changed: ReadonlySet<number>, declaredBy: DeclaredBy): DeclarationIndex {
    if (changed.size === 0) return this;
    const added = pairsOf([...changed], declaredBy);
    const left = this.#pairs.filter((pair) => !changed.has(pair % FILES));
    const merged = new Float64Array(left.length + added.length);
    let [from, at] = [0, 0];
    for (const pair of added) {
      while (from < left.length && (left[from] as number) < pair) merged[at++] = left[from++] as number;
      merged[at++] = pair;
    }
    merged.set(left.subarray(from), at);
    return new DeclarationIndex(merged);
  }

  /** The pairs of a name, by its hash. */
  rangeOf(name: number): PairRange {
    const bits = firstBits(name);
    const [low = 0, high = 0] = [this.#starts[bits], this.#starts[bits + 1]];
    const from = this.#firstFrom(name * FILES, low, high);
    let to = from;
    while (to < high && (this.#pairs[to] as number) < (name + 1) * FILES) to += 1;
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

type DeclaredBy = (file: number) => Uint32Array | undefined;

function pairsOf(files: readonly number[], declaredBy: DeclaredBy): Float64Array {
  const pairs = new Float64Array(files.reduce((sum, file) => sum + (declaredBy(file)?.length ?? 0), 0));
  let at = 0;
  for (const file of files) for (const name of declaredBy(file) ?? []) pairs[at++] = name * FILES + file;
  return pairs.sort();
}

function firstBits(name: number): number {
  return Math.floor(name / 2 ** (32 - BITS));
}

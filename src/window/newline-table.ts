/**
 * How many newlines are before places of a text: one place a block. Its memory is bounded: when it is full, blocks double,
 * up to what one request to a server brings; beyond that it grows before they double again.
 */

const FIRST_BLOCK = 64 << 10;
const MOST_ENTRIES = 1 << 16;
/** From blocks of this size on so many entries: 8 TiB. */
const LARGE_BLOCK = 4 << 20;
const MOST_LARGE = 1 << 21;
const LEAST_ROOM = 64;

const mostOf = (block: number): number => (block < LARGE_BLOCK ? MOST_ENTRIES : MOST_LARGE);

/** A byte at which a block begins, and the newlines before it. */
export interface Place {
  readonly start: number;
  readonly newlines: number;
}

export class NewlineTable {
  #block = FIRST_BLOCK;
  /** Entry i: newlines in [0, i × block). */
  #before = new Float64Array(LEAST_ROOM);
  #entries = 1;

  /** Bytes between two places. */
  get block(): number {
    return this.#block;
  }

  /** Bytes of memory. */
  get held(): number {
    return this.#before.byteLength;
  }

  /** Newlines before each place. */
  get counts(): Float64Array {
    return this.#before.subarray(0, this.#entries);
  }

  /** Undefined for what cannot be the counts of a text of which `scanned` bytes were counted. */
  static of(block: number, counts: Float64Array, scanned: number): NewlineTable | undefined {
    const isTable =
      Number.isInteger(Math.log2(block / FIRST_BLOCK)) &&
      block >= FIRST_BLOCK &&
      counts.length === Math.floor(scanned / block) + 1 &&
      counts.length <= mostOf(block) &&
      counts[0] === 0 &&
      counts.every((count, i) => i === 0 || (count >= (counts[i - 1] as number) && count <= i * block));
    if (!isTable) return undefined;
    const table = new NewlineTable();
    table.#block = block;
    table.#entries = counts.length;
    table.#before = new Float64Array(Math.max(LEAST_ROOM, 2 ** Math.ceil(Math.log2(counts.length))));
    table.#before.set(counts);
    return table;
  }

  /** The next place has so many newlines before it. */
  add(newlines: number): void {
    if (this.#entries === mostOf(this.#block)) {
      const half = this.#entries / 2;
      for (let i = 1; i < half; i += 1) this.#before[i] = this.#before[i * 2] as number;
      this.#entries = half;
      this.#block *= 2;
    }
    if (this.#entries === this.#before.length) {
      const larger = new Float64Array(this.#before.length * 2);
      larger.set(this.#before);
      this.#before = larger;
    }
    this.#before[this.#entries] = newlines;
    this.#entries += 1;
  }

  /** The last place at or before byte `at`. */
  placeOf(at: number): Place {
    return this.#place(Math.min(Math.floor(at / this.#block), this.#entries - 1));
  }

  /** The last place before newline `count` (1-based). */
  placeBefore(count: number): Place {
    let low = 0;
    let high = this.#entries - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#before[middle] as number) < count) low = middle;
      else high = middle - 1;
    }
    return this.#place(low);
  }

  #place(entry: number): Place {
    return { start: entry * this.#block, newlines: this.#before[entry] as number };
  }
}

/**
 * Counts of the newlines before each block of a text. Memory is bounded: when the table is full, the block size doubles,
 * up to the size of one request to a server; from there on the table grows further before the block size doubles again.
 */

const FIRST_BLOCK = 64 << 10;
const MOST_ENTRIES = 1 << 16;
/** From this block size on, the table may have `MOST_LARGE` entries: enough for 8 TiB. */
const LARGE_BLOCK = 4 << 20;
const MOST_LARGE = 1 << 21;
const LEAST_ROOM = 64;

const mostOf = (block: number): number => (block < LARGE_BLOCK ? MOST_ENTRIES : MOST_LARGE);

/** The first byte of a block, and the number of newlines before it. */
export interface Place {
  readonly start: number;
  readonly newlines: number;
}

export class NewlineTable {
  #block = FIRST_BLOCK;
  /** Entry i: newlines in [0, i × block). */
  #before = new Float64Array(LEAST_ROOM);
  #entries = 1;

  /** Bytes of a block. */
  get block(): number {
    return this.#block;
  }

  /** Bytes of memory. */
  get held(): number {
    return this.#before.byteLength;
  }

  /** The number of newlines before each block. */
  get counts(): Float64Array {
    return this.#before.subarray(0, this.#entries);
  }

  /** The table with these counts; undefined if they are not valid for a text of which `scanned` bytes were counted. */
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

  /** Adds the next block, with the number of newlines before it. */
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

  /** The last block that begins at or before byte `at`. */
  placeOf(at: number): Place {
    return this.#place(Math.min(Math.floor(at / this.#block), this.#entries - 1));
  }

  /** The last block that begins before newline `count` (1-based). */
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

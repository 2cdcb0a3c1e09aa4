/**
 * The captures of the query for uses, as arrays of numbers. A file of 1 MiB has hundreds of thousands; allocating an object
 * for each would take longer than the query.
 */

/** In the order of the text. Offsets are in UTF-16 units, 0-based and half-open. */
export interface Uses {
  readonly count: number;
  /** The names of the captures; the values of `capture` are indexes into it. */
  readonly names: readonly string[];
  readonly capture: Int32Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
}

export const NO_USES: Uses = {
  count: 0,
  names: [],
  capture: new Int32Array(),
  start: new Int32Array(),
  end: new Int32Array(),
};

/** Numbers for each use: its capture, start and end. */
const FIELDS = 3;

/** Maximum number of uses: for sorting, offset and index are combined in one number of 53 bits. */
const MOST = 2 ** 24;

/** Collects uses. */
export class UseList {
  #numbers = new Int32Array(FIELDS * 1024);
  #count = 0;

  add(capture: number, start: number, end: number): void {
    const at = FIELDS * this.#count;
    if (at === this.#numbers.length) {
      const more = new Int32Array(2 * at);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.#numbers[at] = capture;
    this.#numbers[at + 1] = start;
    this.#numbers[at + 2] = end;
    this.#count += 1;
  }

  /** Sorted by start; captures with the same start stay in the order in which they were found. */
  inOrder(names: readonly string[]): Uses {
    const [count, numbers] = [this.#count, this.#numbers];
    const order = new Float64Array(count);
    for (let i = 0; i < count; i += 1) order[i] = (numbers[FIELDS * i + 1] as number) * MOST + i;
    order.sort();
    const [capture, start, end] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    for (let i = 0; i < count; i += 1) {
      const at = FIELDS * ((order[i] as number) % MOST);
      capture[i] = numbers[at] as number;
      start[i] = numbers[at + 1] as number;
      end[i] = numbers[at + 2] as number;
    }
    return { count, names, capture, start, end };
  }
}

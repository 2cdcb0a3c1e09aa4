/**
 * The captures of the query for uses, as columns of numbers: a file of 1 MiB has hundreds of thousands, and
 * creating and collecting an object for each would take longer than finding them.
 */

/** In the order of the text. Offsets count characters, half-open. */
export interface Uses {
  readonly count: number;
  /** What captures are called: `capture` has positions in it. */
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

/** A capture, its start and its end. */
const FIELDS = 3;

/** Positions of uses are below this, and follow their offsets in one number of 53 bits. */
const MOST = 2 ** 24;

/** Takes uses as they are found. */
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

  /** Captures with the same start stay in the order in which they were found. */
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

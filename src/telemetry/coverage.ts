/** Records which units of a text (lines or bytes) were shown, and how often. */

/** Units [from, to) that were shown `times` times. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

/** The effect of showing a span. */
export interface Shown {
  /** Number of units that had not been shown before. */
  readonly fresh: number;
  /** Number of units that had been shown before. */
  readonly again: number;
}

/** Above this many stretches, adjacent ones are merged, so that memory is bounded. */
const MOST_STRETCHES = 1_000;

/** Counts stop at this number. */
const MOST_TIMES = 9;

export class Coverage {
  #stretches: Stretch[] = [];
  #approximate = false;
  #covered = 0;

  /** Sorted and disjoint; units between them were never shown. */
  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** Whether stretches were merged, so that they may contain units that were not shown. */
  get approximate(): boolean {
    return this.#approximate;
  }

  /** Number of units shown at least once. */
  get covered(): number {
    return this.#covered;
  }

  /** Number of units shown more than once. */
  get repeated(): number {
    return this.#stretches.reduce((sum, { from, to, times }) => sum + (times > 1 ? to - from : 0), 0);
  }

  /** The parts of [from, to) that were never shown. */
  gapsIn(from: number, to: number): readonly (readonly [number, number])[] {
    const gaps: [number, number][] = [];
    let at = from;
    for (let i = this.#firstEndingAfter(from); i < this.#stretches.length && at < to; i += 1) {
      const stretch = this.#stretches[i] as Stretch;
      if (stretch.from >= to) break;
      if (stretch.from > at) gaps.push([at, stretch.from]);
      at = Math.max(at, stretch.to);
    }
    if (at < to) gaps.push([at, to]);
    return gaps;
  }

  /** Counts [from, to) as shown once more. */
  add(from: number, to: number): Shown {
    if (!(to > from)) return { fresh: 0, again: 0 };
    const first = this.#firstEndingAfter(from);
    const around = this.#stretches[first];
    // The fast path when the same page is read again and again: all counts are at their maximum.
    if (around && around.from <= from && around.to >= to && around.times === MOST_TIMES)
      return { fresh: 0, again: to - from };
    const put: Stretch[] = [];
    let at = from;
    let fresh = 0;
    let i = first;
    for (; i < this.#stretches.length; i += 1) {
      const known = this.#stretches[i] as Stretch;
      if (known.from >= to) break;
      if (known.from < at) put.push({ ...known, to: at });
      if (known.from > at) {
        put.push({ from: at, to: known.from, times: 1 });
        fresh += known.from - at;
      }
      const end = Math.min(known.to, to);
      put.push({ from: Math.max(known.from, at), to: end, times: Math.min(known.times + 1, MOST_TIMES) });
      if (known.to > to) put.push({ ...known, from: to });
      at = Math.max(at, end);
    }
    if (at < to) {
      put.push({ from: at, to, times: 1 });
      fresh += to - at;
    }
    this.#covered += fresh;
    this.#replace(first, i, put);
    return { fresh, again: to - from - fresh };
  }

  #firstEndingAfter(at: number): number {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle] as Stretch).to > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Replaces the stretches at indexes [first, end), and merges them with neighbours that have the same count. */
  #replace(first: number, end: number, put: readonly Stretch[]): void {
    const [start, stop] = [Math.max(0, first - 1), Math.min(this.#stretches.length, end + 1)];
    const around = [...this.#stretches.slice(start, first), ...put, ...this.#stretches.slice(end, stop)];
    this.#stretches.splice(start, stop - start, ...joined(around));
    if (this.#stretches.length > MOST_STRETCHES) this.#coarsen();
  }

  #coarsen(): void {
    this.#approximate = true;
    const pairs: Stretch[] = [];
    for (let i = 0; i < this.#stretches.length; i += 2) {
      const [one, two] = [this.#stretches[i] as Stretch, this.#stretches[i + 1]];
      pairs.push(two ? { from: one.from, to: two.to, times: Math.max(one.times, two.times) } : one);
    }
    this.#stretches = joined(pairs);
    this.#covered = this.#stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  }
}

function joined(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const next of stretches) {
    const last = all.at(-1);
    if (last && last.to === next.from && last.times === next.times)
      all[all.length - 1] = { ...last, to: next.to };
    else all.push(next);
  }
  return all;
}

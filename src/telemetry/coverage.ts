/** Which units of a text (lines or bytes) were shown, and how often. */

/** Half-open; shown `times` times. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

/** What showing a span added. */
export interface Shown {
  /** Units that had not been shown. */
  readonly fresh: number;
  /** Units that had been shown. */
  readonly again: number;
}

/** Beyond this many stretches neighbours are joined: memory is bounded, whatever is read. */
const MOST_STRETCHES = 1_000;

/** More often than this is not distinguished. */
const MOST_TIMES = 9;

export class Coverage {
  #stretches: Stretch[] = [];
  #approximate = false;
  #covered = 0;

  /** Sorted, disjoint; what is between them was never shown. */
  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** Neighbours were joined: what is said to be shown may hold gaps. */
  get approximate(): boolean {
    return this.#approximate;
  }

  /** Units shown at least once. */
  get covered(): number {
    return this.#covered;
  }

  /** Units shown more than once. */
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
    // Shown as often as can be told: nothing changes. So it is where the same page is read again and again.
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

  /** Puts stretches in place of those at [first, end), joined with neighbours that were shown as often. */
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

/** Counts names: tools, limits, error codes. Names above a maximum are counted together as `others`. */

const MOST_NAMES = 50;

const OTHERS = 'others';

export class Counts {
  readonly #counts = new Map<string, { times: number }>();

  add(name: string): void {
    const known = this.#counts.get(name);
    if (known) known.times += 1;
    else if (this.#counts.size < MOST_NAMES || name === OTHERS) this.#counts.set(name, { times: 1 });
    else this.add(OTHERS);
  }

  /** The most frequent first. */
  sorted(): Readonly<Record<string, number>> {
    const all = Array.from(this.#counts, ([name, { times }]) => [name, times] as const);
    return Object.fromEntries(all.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  }
}

/**
 * Fuzzing that is guided by coverage: an input that reaches a place of our code where none was before is kept, and the
 * next inputs are made from those that are kept. V8 itself counts, through the inspector of this process.
 */

import { Session } from 'node:inspector/promises';

/** Inputs between two looks at the counters: a look costs more than a run. */
const BATCH = 64;

interface Counted {
  readonly result: readonly {
    readonly scriptId: string;
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
}

/** Only what is compiled after the start is counted block by block: import the target then. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  /** Blocks of code that were reached so far. */
  get places(): number {
    return this.#seen.size;
  }

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Whether, since the last question, a place was reached that never was before. With `keep` it is known from now on. */
  async isNew(keep: boolean): Promise<boolean> {
    const { result } = (await this.#session.post('Profiler.takePreciseCoverage')) as Counted;
    const before = this.#seen.size;
    let found = false;
    for (const { scriptId, url, functions } of result) {
      if (!url.includes('/src/')) continue;
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
        if (count === 0) continue;
        const place = `${scriptId}:${startOffset}-${endOffset}`;
        if (this.#seen.has(place)) continue;
        found = true;
        if (keep) this.#seen.add(place);
      }
    }
    return found || this.#seen.size > before;
  }

  stop(): void {
    this.#session.disconnect();
  }
}

export interface Guided<T> {
  readonly coverage: Coverage;
  readonly seeds: readonly T[];
  /** A new input from kept ones. */
  mutate(from: T, other: T, random: (below: number) => number): T;
  /** Throws where something is wrong. */
  target(input: T): unknown;
  /** Ends after so many runs. */
  more(runs: number): boolean;
  readonly seed: number;
}

/** Gives the number of runs and the inputs that were kept. A failure has the input as JSON in its message. */
export async function guided<T>({
  coverage,
  seeds,
  mutate,
  target,
  more,
  seed,
}: Guided<T>): Promise<{ runs: number; corpus: readonly T[] }> {
  const random = randomFrom(seed);
  const corpus = [...seeds];
  let runs = 0;
  const run = async (input: T): Promise<void> => {
    runs += 1;
    try {
      await target(input);
    } catch (error) {
      throw new Error(`${JSON.stringify(input)}: ${(error as Error).message}`, { cause: error });
    }
  };
  for (const input of seeds) await run(input);
  await coverage.isNew(true);
  const one = (): T => corpus[random(corpus.length)] as T;
  while (more(runs)) {
    const inputs = Array.from({ length: BATCH }, () => mutate(one(), one(), random));
    for (const input of inputs) await run(input);
    if (!(await coverage.isNew(false))) continue;
    for (const input of inputs) {
      await run(input);
      if (await coverage.isNew(true)) corpus.push(input);
    }
  }
  return { runs, corpus };
}

/** Whole numbers below a bound, the same for the same seed. Source: mulberry32. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Removes, doubles, replaces or puts in a stretch, or joins two texts; `words` are what the grammar is made of. */
export function mutateText(words: readonly string[]): Guided<string>['mutate'] {
  return (from, other, random) => {
    let text = from;
    for (let i = random(3); i >= 0; i -= 1) {
      const at = random(text.length + 1);
      const end = Math.min(text.length, at + 1 + random(6));
      const word = words[random(words.length)] as string;
      const [head, tail] = [text.slice(0, at), text.slice(end)];
      text = [
        head + tail,
        text.slice(0, end) + text.slice(at),
        head + word + tail,
        head + word + text.slice(at),
        head + other.slice(random(other.length + 1)),
        head + String.fromCharCode(random(random(4) === 0 ? 0xffff : 0x80)) + tail,
      ][random(6)] as string;
    }
    return text.slice(0, 400);
  };
}

/**
 * Fuzzing that is guided by coverage: an input that reaches a place of our code where none was before is kept, and the
 * next inputs are made from those that are kept. V8 itself counts, through the inspector of this process.
 */

import { Session } from 'node:inspector/promises';

/** Inputs between two looks at the counters: a look costs more than a run. Where nothing new is found there are ever more. */
const BATCH = { least: 64, most: 16_384 };

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
      const running = target(input);
      if (running instanceof Promise) await running;
    } catch (error) {
      throw new Error(`${JSON.stringify(input)}: ${(error as Error).message}`, { cause: error });
    }
  };
  const runAll = async (inputs: readonly T[]): Promise<void> => {
    for (const input of inputs) await run(input);
  };
  /** Those of `inputs` that reach something new, found by halves. */
  const keep = async (inputs: readonly T[]): Promise<void> => {
    await runAll(inputs);
    if (!(await coverage.isNew(inputs.length === 1))) return;
    if (inputs.length === 1) return void corpus.push(...inputs);
    const middle = inputs.length >> 1;
    await keep(inputs.slice(0, middle));
    await keep(inputs.slice(middle));
  };
  await runAll(seeds);
  await coverage.isNew(true);
  const one = (): T => corpus[random(corpus.length)] as T;
  let batch = BATCH.least;
  while (more(runs)) {
    const before = corpus.length;
    await keep(Array.from({ length: batch }, () => mutate(one(), one(), random)));
    batch = corpus.length > before ? BATCH.least : Math.min(BATCH.most, 2 * batch);
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

/** Tries one target on inputs `first` to `first + runs - 1` of a seed. */

import type { FuzzTarget } from './fuzz-target.ts';
import { Mutator } from './mutator.ts';
import { Random } from './random.ts';

export interface Stretch {
  readonly seed: number;
  readonly first: number;
  readonly runs: number;
  /** Called before each input. */
  readonly began?: (index: number) => void;
}

export interface Failure {
  readonly target: string;
  readonly seed: number;
  readonly index: number;
  /** Each character is a byte. */
  readonly input: string;
  readonly error: string;
}

/** A target that fails so often is not tried further. */
const MOST_FAILURES = 20;

export async function runTarget(
  target: FuzzTarget,
  { seed, first, runs, began }: Stretch,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const { together = 1 } = target;
  const lane = async (start: number): Promise<void> => {
    const random = new Random();
    const mutator = new Mutator(target, random);
    for (let index = start; index < first + runs && failures.length < MOST_FAILURES; index += together) {
      began?.(index);
      random.begin(seed, index);
      const input = mutator.next();
      try {
        const running = target.run(input, random);
        if (running !== undefined) await running;
      } catch {
        failures.push(await failureOf(target, seed, index, stackTraceLimit));
      }
    }
  };
  // A refusal is a common answer; its stack is not looked at, and takes longer than all else.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await Promise.all(Array.from({ length: together }, (_, i) => lane(first + i)));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return failures;
}

/** The same input once more, now with a stack. */
async function failureOf(target: FuzzTarget, seed: number, index: number, frames: number): Promise<Failure> {
  const random = new Random();
  random.begin(seed, index);
  const input = new Mutator(target, random).next();
  const written = input.toString('latin1');
  let error = 'only beside the inputs before it';
  Error.stackTraceLimit = frames;
  try {
    await target.run(input, random);
  } catch (thrown) {
    error = (thrown as Error).stack?.split('\n').slice(0, 4).join('\n') ?? String(thrown);
  }
  Error.stackTraceLimit = 0;
  return { target: target.name, seed, index, input: written, error };
}

/** The input of one index, as bytes. */
export function inputOf(target: FuzzTarget, seed: number, index: number): Buffer {
  const random = new Random();
  random.begin(seed, index);
  return Buffer.from(new Mutator(target, random).next());
}

/**
 * Random and damaged input for what reads input: a few hundred runs of each target in every test run, the same each time.
 * `npm run fuzz` goes on for a minute each with new seeds, ORIEL_FUZZ_SECONDS=3600 for longer, and says how many runs
 * those were. A failure names its seed; ORIEL_FUZZ_SEED=N repeats it.
 */

import { fc } from '../support/properties.ts';

const seconds = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0);

/** Of a test that calls `fuzz`. */
export const fuzzTimeout: number = 300_000 + 2_000 * seconds;

/** Runs `count` times, or for as long as was asked for. */
export async function fuzz<T>(
  name: string,
  count: number,
  values: fc.Arbitrary<T>,
  target: (value: T) => unknown,
): Promise<void> {
  let runs = 0;
  const counted = async (value: T): Promise<void> => {
    runs += 1;
    await target(value);
  };
  const named = process.env['ORIEL_FUZZ_SEED'];
  const bounds =
    seconds > 0
      ? { numRuns: 1e9, interruptAfterTimeLimit: seconds * 1_000, seed: Date.now() % 1e9 }
      : { numRuns: count, seed: 1 };
  await fc.assert(fc.asyncProperty(values, counted), {
    ...bounds,
    ...(named !== undefined && { seed: Number(named) }),
  });
  if (seconds > 0) console.info(`${name}: ${runs} runs without a failure`);
}

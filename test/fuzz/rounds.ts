/**
 * Cases by the hundred: as many are made at once as one process of another program answers. A failure names the case; the
 * cases of every run of `npm test` are the same, and `npm run fuzz` goes on with new ones.
 */

import { fc } from '../support/properties.ts';

const seconds = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0);

/** Of a test that calls `inRounds`. */
export const roundsTimeout: number = 300_000 + 2_000 * seconds;

/** `compare` throws where an answer is wrong; it gets `seeds` first, then rounds of `count` new cases. */
export async function inRounds<T>(
  name: string,
  count: number,
  { seeds, cases }: { readonly seeds: readonly T[]; readonly cases: fc.Arbitrary<T> },
  compare: (cases: readonly T[]) => Promise<void>,
): Promise<void> {
  const first = Number(process.env['ORIEL_FUZZ_SEED'] ?? (seconds > 0 ? Date.now() % 1e9 : 1));
  const until = Date.now() + seconds * 1_000;
  let runs = 0;
  if (seeds.length > 0) await compare(seeds);
  for (let seed = first; seed === first || Date.now() < until; seed += 1) {
    const some = fc.sample(cases, { numRuns: count, seed });
    try {
      await compare(some);
    } catch (error) {
      throw new Error(`${name}, ORIEL_FUZZ_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    }
    runs += some.length;
  }
  if (seconds > 0) console.info(`${name}: ${runs} runs without a failure`);
}

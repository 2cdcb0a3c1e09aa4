/**
 * fast-check with one seed for every property, so that each run of the tests tries the same cases. `ORIEL_PROPERTY_SEED=N`
 * tries others; a failure prints the seed and the path that repeat it.
 */

import fc from 'fast-check';

/** In mutation tests only the fact of a failure counts, and each of thousands of runs has to be short. */
const brief = { endOnFailure: true, interruptAfterTimeLimit: 3_000 };

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env['ORIEL_PROPERTY_SEED'] ?? 1),
  ...(process.env['ORIEL_MUTATION_TESTS'] && brief),
});

export { fc };

/** Another one in each run of CI, which prints it; otherwise that of the properties. */
export const seedOfRun = Number(process.env['ORIEL_FUZZ_SEED'] ?? process.env['ORIEL_PROPERTY_SEED'] ?? 1);

/** Whether the run has the time for all cases. */
export const isLongRun = Number(process.env['ORIEL_FUZZ_SECONDS'] ?? 0) > 0;

/** `count` of the cases, spread over them: others with another seed of the run, and all of them in a long one. */
export function some<T>(cases: readonly T[], count: number): readonly T[] {
  if (isLongRun || count >= cases.length) return cases;
  const step = cases.length / count;
  const first = seedOfRun % Math.ceil(step);
  return Array.from({ length: count }, (_, i) => cases[(Math.floor(i * step) + first) % cases.length] as T);
}

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

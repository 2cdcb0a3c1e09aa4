/**
 * fast-check with one seed for every property, so that each run of the tests tries the same cases. `ORIEL_PROPERTY_SEED=N`
 * tries others; a failure prints the seed and the path that repeat it.
 */

import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['ORIEL_PROPERTY_SEED'] ?? 1) });

export { fc };

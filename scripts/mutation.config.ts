/** The tests that `npm run mutation` runs. */

import { defineConfig } from 'vitest/config';
import all from '../vitest.config.ts';

export default defineConfig({
  test: {
    ...all.test,
    globalSetup: ['scripts/mutation-setup.ts'],
    include: JSON.parse(process.env['ORIEL_MUTATION_TESTS'] ?? '[]') as string[],
  },
});

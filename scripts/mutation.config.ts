/** The tests that `npm run mutation` runs. */

import { defineConfig } from 'vitest/config';
import { common } from '../vitest.config.ts';

export default defineConfig({
  plugins: [
    {
      name: 'oriel:pool',
      // Stryker asks for threads. A thread closes at its end the descriptors that it opened and a socket has closed since: their
      // numbers then belong to others, such as Stryker's own pipes. So tests run in child processes, as they do without Stryker.
      configureVitest({ project }) {
        project.config.pool = 'forks';
        project.globalConfig.tagsFilter = ['!slow'];
      },
    },
  ],
  test: {
    ...common,
    include: JSON.parse(process.env['ORIEL_MUTATION_TESTS'] ?? '[]') as string[],
  },
});

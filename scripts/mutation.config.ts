/** The tests that `npm run mutation` runs. */

import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { common, mocking } from '../vitest.config.ts';

const CHILDREN = resolve('scripts/mutation-children.ts');

export default defineConfig({
  plugins: [
    {
      name: 'oriel:children',
      enforce: 'pre',
      resolveId: (id, importer) =>
        id.endsWith('/child-pool.ts') && importer?.includes('/src/formats/') ? CHILDREN : undefined,
    },
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
    setupFiles: [...common.setupFiles, 'scripts/mutation-setup.ts'],
    // Loading the modules again for each file takes longer than its tests. Files that mock modules are tried with the build.
    isolate: false,
    include: JSON.parse(process.env['ORIEL_MUTATION_TESTS'] ?? '[]') as string[],
    exclude: mocking,
  },
});

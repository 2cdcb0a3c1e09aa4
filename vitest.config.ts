import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/use-build.ts'],
    pool: 'forks',
    // On two cores vitest would use one.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The default, one second, passes on a busy machine before anything has gone wrong.
    expect: { poll: { timeout: 25_000, interval: 20 } },
  },
});

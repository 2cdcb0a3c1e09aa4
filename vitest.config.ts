import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/use-build.ts'],
    pool: 'forks',
    // One more than cores, because tests also wait: for servers, timers and the disk.
    maxWorkers: availableParallelism() + 1,
    // These only end what hangs: on a busy machine a test takes many times as long as on an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
  },
});

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { TierReporter } from './test/support/reporter.ts';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path));
const isOf = (tier: string) => (path: string) => path.endsWith(`.${tier}.test.ts`);
const fast = files.filter((path) => !isOf('slow')(path) && !isOf('check')(path));
const mocksModules = (path: string): boolean => /\bvi\.(mock|doMock)\(/.test(readFileSync(path, 'utf8'));

const project = (
  name: string,
  include: readonly string[],
  isolate: boolean,
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [...include], isolate },
});

/** Of every run of tests, mutation tests too. */
export const common = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/setup.ts'],
  pool: 'forks',
  // One more than cores, because tests also wait: for servers, timers and the disk.
  maxWorkers: availableParallelism() + 1,
  // These only end what hangs: on a busy machine a test takes many times as long as on an idle one.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 100_000, interval: 20 } },
  unstubEnvs: true,
  unstubGlobals: true,
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    // A file's name says its tier: `x.test.ts` is fast, `x.slow.test.ts` slow, `x.check.test.ts` is of `npm run check`.
    projects: [
      // Files that mock no module share loaded modules.
      project(
        'fast',
        fast.filter((path) => !mocksModules(path)),
        false,
      ),
      project('mocks', fast.filter(mocksModules), true),
      project('slow', files.filter(isOf('slow')), true),
      project('check', files.filter(isOf('check')), false),
    ],
    reporters: ['default', new TierReporter()],
  },
});

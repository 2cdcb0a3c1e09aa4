import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TierReporter } from './test/support/reporter.ts';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path));

const project = (
  name: string,
  has: (text: string) => boolean,
  options: { readonly isolate: boolean },
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: files.filter((path) => has(readFileSync(path, 'utf8'))), ...options },
});

const hasTag = (text: string, tag: string): boolean => text.includes(`* @module-tag ${tag}\n`);
const isFast = (text: string): boolean => !hasTag(text, 'slow') && !hasTag(text, 'check');
const mocksModules = (text: string): boolean => /\bvi\.(mock|doMock|resetModules)\(/.test(text);

export const mocking = files.filter((path) => mocksModules(readFileSync(path, 'utf8')));

/** The file that takes longest begins first; at the end it would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): number =>
      Number(moduleId.endsWith('test/hardening/ways.test.ts'));
    return (await super.sort(files)).toSorted((one, other) => isLongest(other) - isLongest(one));
  }
}

/** Of every run of tests, mutation tests too. */
export const common = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/setup.ts'],
  pool: 'forks',
  // One more than cores, because tests also wait: for processes, servers, timers and the disk.
  maxWorkers: availableParallelism() + 1,
  sequence: { sequencer: LongestFirst },
  // These only end what hangs: on a busy machine a test takes many times as long as on an idle one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 200_000, interval: 20 } },
  tags: [
    { name: 'slow', description: 'Not of `npm test`: a test of over a second of CPU time, or a whole file.' },
    { name: 'check', description: 'Of `npm run check`: documents, wording, the shape of the code.' },
  ],
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    projects: [
      // Files that mock no module share loaded modules.
      project('fast', (text) => isFast(text) && !mocksModules(text), { isolate: false }),
      project('mocks', (text) => isFast(text) && mocksModules(text), { isolate: true }),
      project('slow', (text) => hasTag(text, 'slow'), { isolate: true }),
      project('check', (text) => hasTag(text, 'check'), { isolate: false }),
    ],
    reporters: ['default', new TierReporter()],
  },
});

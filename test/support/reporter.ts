/** Prints a failure when it happens, what the run left to `npm run test:all`, and which files of the fast tier are too expensive. */

import { readdirSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** CPU seconds of a file of the fast tier, its processes included. Such a file belongs to the slow tier, or is made cheaper. */
const MAX_FAST_SECONDS = 5;

export class TierReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    console.log(
      `FAILED ${test.module.relativeModuleId} > ${test.fullName}: ${errors?.[0]?.message.split('\n')[0]}`,
    );
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const cost = (module: TestModule): number => module.meta().cpuSeconds ?? 0;
    const seconds = modules.reduce((sum, module) => sum + cost(module), 0);
    console.log(`CPU time of the tests: ${seconds.toFixed(0)} s.`);
    const isFast = ({ project }: TestModule): boolean => project.name === 'fast' || project.name === 'mocks';
    for (const module of modules.filter((one) => isFast(one) && cost(one) > MAX_FAST_SECONDS)) {
      console.error(
        `TOO EXPENSIVE ${module.relativeModuleId}: ${cost(module).toFixed(1)} s of CPU time; a file of the fast tier has ${MAX_FAST_SECONDS}.`,
      );
      process.exitCode = 1;
    }
    if (!modules.some(({ project }) => project.name === 'slow') && modules.length > 100)
      console.log(slowTier());
  }
}

function slowTier(): string {
  const directories = new Map<string, number>();
  for (const path of readdirSync('test', { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.slow.test.ts')) continue;
    const [directory = ''] = path.split('/');
    directories.set(directory, (directories.get(directory) ?? 0) + 1);
  }
  const parts = Array.from(directories, ([name, files]) => `${name} (${files} files)`);
  return `npm run test:all runs besides: ${parts.join(', ')}.`;
}

/**
 * Prints a failure when it happens, and at the end what the run did not do. A file that is too expensive for the fast tier
 * fails the run.
 */

import type { Reporter, TestCase, TestModule, TestSuite, SerializedError } from 'vitest/node';

/** CPU seconds of a file in a run of the fast tier, its processes included. */
const MAX_FILE_SECONDS = 5;

export class TierReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'failed') failed(`${test.module.relativeModuleId} > ${test.fullName}`, errors);
  }

  onTestSuiteResult(suite: TestSuite): void {
    const errors = suite.errors();
    if (errors.length > 0) failed(`${suite.module.relativeModuleId} > ${suite.fullName}`, errors);
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length > 0) failed(module.relativeModuleId, errors);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const error of errors) failed('beside all tests', [error]);
    const seconds = modules.reduce((sum, module) => sum + costOf(module), 0);
    console.log(`CPU time of the tests: ${seconds.toFixed(0)} s.`);
    const [first] = modules;
    if (!first?.project.globalConfig.tagsFilter?.includes('!slow')) return;
    for (const module of modules.filter((one) => costOf(one) > MAX_FILE_SECONDS)) {
      console.error(
        `TOO EXPENSIVE ${module.relativeModuleId}: ${costOf(module).toFixed(1)} s of CPU time, at most ${MAX_FILE_SECONDS}. Tag its slow tests.`,
      );
      process.exitCode = 1;
    }
    console.log(
      'This was the fast tier. `npm run test:all` also runs what is tagged slow: hostile cases through every interface, real servers, browsers and office programs, races, fuzzing.',
    );
  }
}

function failed(what: string, errors: readonly { readonly message: string }[]): void {
  const [reason] = (errors[0]?.message ?? '').split('\n');
  console.log(`FAILED ${what}: ${reason}`);
}

function costOf(module: TestModule): number {
  return module.meta().cpuSeconds ?? 0;
}

/** Vitest's setup of each test file: the build that code under test loads workers from, and what tests cost. */

import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { buildSeconds, useTestBuild } from './built.ts';
import { cpuSeconds } from './cpu-seconds.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test or a file, with those of its processes. */
    cpuSeconds?: number;
  }
}

/** A higher cost is divided by the slowness of the machine: programs that share caches and cores cost each other CPU time. */
const DEAR_SECONDS = 3;

useTestBuild();

// After the file's imports: whichever file comes first loads the modules that all share.
let atStart = 0;
let atTest = 0;
beforeAll(() => {
  atStart = ownCpuSeconds();
});
beforeEach(() => {
  atTest = ownCpuSeconds();
});
afterEach(({ task }) => {
  task.meta.cpuSeconds = ownCpuSeconds() - atTest;
});
// oxlint-disable-next-line no-empty-pattern -- Vitest takes nothing else in this place.
afterAll(async ({}, file) => {
  // The next file may share this process.
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const seconds = ownCpuSeconds() - atStart;
  file.meta.cpuSeconds = seconds > DEAR_SECONDS ? seconds / (await import('./lag.ts')).slowness() : seconds;
});

/** Without the build, which the first test pays that needs it. */
function ownCpuSeconds(): number {
  return cpuSeconds() - buildSeconds();
}

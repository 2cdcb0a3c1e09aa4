/** Vitest's setup of each test file: the build that code under test loads workers from, and what tests cost. */

import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { useTestBuild } from './built.ts';
import { cpuSeconds } from './cpu-seconds.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test or a file, with those of its processes. */
    cpuSeconds?: number;
  }
}

useTestBuild();

const atStart = cpuSeconds();
let atTest = atStart;
beforeEach(() => {
  atTest = cpuSeconds();
});
afterEach(({ task }) => {
  task.meta.cpuSeconds = cpuSeconds() - atTest;
});
// oxlint-disable-next-line no-empty-pattern -- Vitest takes nothing else in this place.
afterAll(({}, file) => {
  // The next file may share this process.
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  file.meta.cpuSeconds = cpuSeconds() - atStart;
});

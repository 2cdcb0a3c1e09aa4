/** Vitest's setup of each test file: the build that code under test loads workers from, and what the file costs. */

import { afterAll } from 'vitest';
import { cpuSeconds } from './cpu-seconds.ts';
import { useTestBuild } from './built.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of a test file, with those of its processes that have ended. */
    cpuSeconds?: number;
  }
}

useTestBuild();

const before = cpuSeconds();
afterAll(({}, file) => {
  file.meta.cpuSeconds = cpuSeconds() - before;
});

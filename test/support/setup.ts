/** Vitest's setup of each test file: the build that code under test loads workers from, and what tests cost. */

import { spawnSync } from 'node:child_process';
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

/** CPU seconds in which Node starts and ends on an idle 2 GHz machine. */
const NODE_SECONDS = 0.05;

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
  file.meta.cpuSeconds = seconds > DEAR_SECONDS ? seconds / (await slowness()) : seconds;
});

/** That of code or that of processes, whichever is greater: new processes, pages and system calls may be slow alone. */
async function slowness(): Promise<number> {
  const before = cpuSeconds();
  for (let i = 0; i < 3; i += 1) spawnSync(process.execPath, ['-e', '0'], { env: {} });
  return Math.max((cpuSeconds() - before) / 3 / NODE_SECONDS, (await import('./lag.ts')).slowness());
}

/** Without the build, which the first test pays that needs it. */
function ownCpuSeconds(): number {
  return cpuSeconds() - buildSeconds();
}

/** Whether an optional program is installed: `test.runIf(has('python3'))(…)`. */

import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { type ProgramName, programs } from './programs.ts';

export function has(program: ProgramName): boolean {
  return programs.some(({ name, isInstalled }) => name === program && isInstalled());
}

let mounts: boolean | undefined;

/** Whether a process may mount file systems in a namespace of its own. Throws with ORIEL_TEST_ALL=1 if it may not. */
export function mayMount(): boolean {
  const mount = ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'];
  mounts ??= spawnSync('unshare', mount, { stdio: 'ignore' }).status === 0;
  if (!mounts) refuseToSkip('nothing can be mounted here');
  return mounts;
}

/** Skips the test; an error with ORIEL_TEST_ALL=1. */
export function skip(context: TestContext, why: string): void {
  refuseToSkip(why);
  context.skip(why);
}

function refuseToSkip(why: string): void {
  if (process.env['ORIEL_TEST_ALL']) throw new Error(`A test would be skipped: ${why}.`);
}

/** Whether an optional program is installed: `test.runIf(has('python3'))(…)`. */

import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { type ProgramName, programs } from './programs.ts';

export function has(program: ProgramName): boolean {
  return programs.some(({ name, isInstalled }) => name === program && isInstalled());
}

let mounts: boolean | undefined;

/**
 * Whether a process may mount file systems, over /proc too, in a namespace of its own. With ORIEL_TEST_ALL=1 it counts as able
 * to, so that tests which need it fail.
 */
export function mayMount(): boolean {
  const mount = ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt && mount -t tmpfs none /proc'];
  mounts ??=
    Boolean(process.env['ORIEL_TEST_ALL']) || spawnSync('unshare', mount, { stdio: 'ignore' }).status === 0;
  return mounts;
}

/** Skips the test; an error with ORIEL_TEST_ALL=1. */
export function skip(context: TestContext, why: string): void {
  if (process.env['ORIEL_TEST_ALL']) throw new Error(`A test would be skipped: ${why}.`);
  context.skip(why);
}

/** Whether a program is there that a test runs: `test.runIf(has('python3'))(…)`. */

import { inject } from 'vitest';
import type { ProgramName } from './programs.ts';

export function has(program: ProgramName): boolean {
  return !inject('missingPrograms').includes(program);
}

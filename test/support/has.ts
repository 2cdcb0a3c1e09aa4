/** Whether an optional program is installed: `test.runIf(has('python3'))(…)`. */

import { inject } from 'vitest';
import type { ProgramName } from './programs.ts';

export function has(program: ProgramName): boolean {
  return !inject('missingPrograms').includes(program);
}

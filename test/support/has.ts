/** Whether an optional program is installed: `test.runIf(has('python3'))(…)`. */

import { type ProgramName, programs } from './programs.ts';

export function has(program: ProgramName): boolean {
  return programs.some(({ name, isInstalled }) => name === program && isInstalled());
}

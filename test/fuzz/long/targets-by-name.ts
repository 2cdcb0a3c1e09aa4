/** All targets of long runs. */

import type { FuzzTarget } from './fuzz-target.ts';
import { selectorTargets } from './selector-targets.ts';
import { textTargets } from './text-targets.ts';
import { windowTargets } from './window-targets.ts';

export const longTargets: readonly FuzzTarget[] = [...selectorTargets, ...textTargets, ...windowTargets];

/** Those of a group or a name; all without one. */
export function targetsNamed(names: readonly string[]): readonly FuzzTarget[] {
  return longTargets.filter(
    ({ name, group }) => names.length === 0 || names.includes(name) || names.includes(group),
  );
}

/** All targets of long runs. */

import { adviceTargets } from './advice-targets.ts';
import { binaryDocumentTargets } from './binary-document-targets.ts';
import { containerTargets } from './container-targets.ts';
import { databaseTargets } from './database-targets.ts';
import { documentTargets } from './document-targets.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { pageTargets } from './page-targets.ts';
import { realmTargets } from './realm-targets.ts';
import { selectorTargets } from './selector-targets.ts';
import { textTargets } from './text-targets.ts';
import { truthTargets } from './truth-targets.ts';
import { windowTargets } from './window-targets.ts';

export const longTargets: readonly FuzzTarget[] = [
  ...selectorTargets,
  ...adviceTargets,
  ...truthTargets,
  ...textTargets,
  ...windowTargets,
  ...containerTargets,
  ...databaseTargets,
  ...pageTargets,
  ...documentTargets,
  ...binaryDocumentTargets,
  ...realmTargets,
];

/** Those of a group or a name; all without one. */
export function targetsNamed(names: readonly string[]): readonly FuzzTarget[] {
  return longTargets.filter(
    ({ name, group }) => names.length === 0 || names.includes(name) || names.includes(group),
  );
}

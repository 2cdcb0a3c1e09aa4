/** The order in which files are parsed. */

import { languageOf } from '../../views/languages.ts';

/**
 * `wanted` (positions in `paths`) with the files of one language together, in the order in which the languages come, and
 * each in its own order. A parser that begins anew then loads the grammar of one language, not of all that the tree has.
 */
export function byLanguage(paths: readonly string[], wanted: Uint32Array): Uint32Array {
  const groups = new Map<string, number[]>();
  for (const position of wanted) {
    const path = paths[position] ?? '';
    const name = languageOf(path.slice(path.lastIndexOf('/') + 1), '')?.name ?? '';
    const group = groups.get(name);
    if (group) group.push(position);
    else groups.set(name, [position]);
  }
  return Uint32Array.from([...groups.values()].flat());
}

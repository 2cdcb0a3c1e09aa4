/** Sorts files for parsing by their language. */

import { languageOf } from '../../views/languages.ts';

/**
 * Groups `wanted` (0-based indices into `paths`) by language: languages in order of first occurrence, files of one
 * language in their given order. A restarted parser then loads one grammar at a time, not those of all languages.
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

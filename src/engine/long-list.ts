/** Explains a list with more paths than one call reads. */

import { advised, type OrielError } from '../errors.ts';
import { joinedPaths, MOST_PATHS, pathLists, separatedLists } from '../selector/path-lists.ts';
import { oneLine } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import { canonicalTarget } from './target.ts';

/** The error with the call for the first paths. Undefined unless `target` is a list that is too long, and these exist. */
export async function explainLongList(target: string, call: Call): Promise<OrielError | undefined> {
  const names = await firstNames(target, call);
  if (!names || (await canonicalTarget(target, call)) !== undefined) return undefined;
  const why = `At most ${MOST_PATHS} paths are read in one call.`;
  const next = joinedPaths(names, [',', ';']);
  if (next === undefined) return advised('LIMIT', why, 'Read the others in another call.');
  // The call is not shortened, because it is to be copied.
  const advice = `Use ${oneLine(next)} for the first ${MOST_PATHS}, then read the others.`;
  return advised('LIMIT', why, advice, { next });
}

/** The first paths in the form of notices, if all of them exist. */
async function firstNames(target: string, call: Call): Promise<string[] | undefined> {
  for (const paths of listsOf(target)) {
    if (paths.length <= MOST_PATHS) continue;
    const first = paths.slice(0, MOST_PATHS);
    if (first.includes('')) continue;
    const found = await Promise.all(first.map((path) => canonicalTarget(path, call)));
    const names = found.filter((name) => name !== undefined);
    if (names.length === MOST_PATHS) return names;
  }
  return undefined;
}

function* listsOf(target: string): Generator<readonly string[]> {
  yield* pathLists(target);
  for (const { paths } of separatedLists(target)) yield paths;
}

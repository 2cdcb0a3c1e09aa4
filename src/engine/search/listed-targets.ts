/** Several paths in one string, such as `a.ts,src`, that one search visits one after the other. */

import { within } from '../../access/paths.ts';
import { advised, OrielError } from '../../errors.ts';
import { MOST_PATHS, pathLists } from '../../selector/path-lists.ts';
import type { Call } from '../../types/call.ts';
import { openTarget } from '../walk/open-target.ts';

/**
 * The paths of a list, without those inside another path of the list. Undefined unless all paths of the list exist. Throws
 * if there are too many. `cause` is the error of opening the string as one path.
 */
export async function listedTargets(
  typed: string,
  cause: unknown,
  call: Call,
): Promise<readonly string[] | undefined> {
  if (!(cause instanceof OrielError) || cause.code !== 'NOT_FOUND') return undefined;
  for (const paths of pathLists(typed)) {
    if (paths.length < 2 || !(await areThere(paths.slice(0, MOST_PATHS), call))) continue;
    if (paths.length <= MOST_PATHS) return apart(paths, call);
    const why = `At most ${MOST_PATHS} paths are searched in one call.`;
    throw advised('LIMIT', why, 'Search a directory that contains them, or the others in another call.');
  }
  return undefined;
}

async function areThere(paths: readonly string[], call: Call): Promise<boolean> {
  for (const path of paths) {
    const start = await openTarget(path, call).catch((error: unknown) => {
      call.signal.throwIfAborted();
      if (error instanceof OrielError) return undefined;
      throw error;
    });
    await start?.opened.close();
    if (!start) return false;
  }
  return true;
}

/** Removes paths inside another path of the list, so that no file is searched twice. */
function apart(paths: readonly string[], { access }: Call): string[] {
  const full = paths.map((path) => access.absolute(path));
  return paths.filter((_, at) =>
    full.every((other, i) => {
      const path = full[at] as string;
      return i === at || !within(path, other) || (path === other && at < i);
    }),
  );
}

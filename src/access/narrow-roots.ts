/** Narrows the roots of a server to the directories that a client declares as its roots. */

import { isOrielError, OrielError } from '../errors.ts';
import { hasDescriptorPaths, inspectorOf } from './descriptors.ts';
import { isShortage } from './system-failure.ts';
import {
  holdNarrowed,
  type NarrowedRoots,
  realDirectory,
  type Root,
  rootAt,
  rootsIn,
  standsStill,
} from './held-roots.ts';
import { within } from './paths.ts';
import { isKeptAt, keptFromClients } from './private-files.ts';
import { type Place, placeOf } from './place.ts';
import { Roots } from './roots.ts';

/**
 * The directories of `wanted` (absolute paths) that are inside held roots which are unchanged; for a wanted
 * directory that contains such a root, the root itself. Names are resolved inside a root, and targets of
 * links outside are not touched. The list is empty if all of them are elsewhere, or oriel's own. Throws OrielError
 * (`OUTSIDE_ROOT`) when what is inside is not there, or is no directory.
 */
export async function narrowRoots(
  roots: readonly string[],
  wanted: readonly string[],
): Promise<NarrowedRoots> {
  const known = rootsIn(roots);
  const all = new Roots(roots, '/');
  const inside = (await Promise.all(wanted.map((path) => rootsFor(path, known, all)))).flat();
  const found = inside.flatMap((root) => root ?? []);
  if (inside.length > 0 && found.length === 0)
    throw new OrielError(
      'OUTSIDE_ROOT',
      'The directories that the client declares as its roots do not exist, so nothing can be read. Declare others.',
    );
  return holdNarrowed(Array.from(new Map(found.map((root) => [root.real, root])).values()));
}

/** Empty for a directory outside; undefined for a directory that should be inside and does not exist. */
async function rootsFor(
  path: string,
  known: readonly Root[],
  all: Roots,
): Promise<readonly (Root | undefined)[]> {
  const isNamedInside = hasDescriptorPaths() && all.any && all.mayName(path);
  const { real, isThere }: Place = isNamedInside ? { real: path, isThere: true } : await placeOf(path);
  const held = known.filter((root) => within(root.real, real));
  if (held.length > 0) return held;
  const holder = known.find((root) => within(real, root.real) || within(real, root.given));
  if (!holder) return [];
  if (!isThere) return [undefined];
  return hasDescriptorPaths() ? found(real, all) : [byName(real, holder)];
}

/** The directory, reached without leaving the roots. Path and identity come from the same descriptor. */
async function found(path: string, all: Roots): Promise<readonly (Root | undefined)[]> {
  try {
    const { fd, path: real, stats } = await all.find(path, () => path);
    await inspectorOf(real).close(fd, 0);
    if (isKeptAt(keptFromClients(all.paths), real, stats)) return [];
    return [stats.isDirectory() ? { given: real, real, dev: stats.dev, ino: stats.ino } : undefined];
  } catch (error) {
    if (isShortage(error)) throw error;
    // A link in it leads outside.
    return isOrielError(error) && error.code === 'OUTSIDE_ROOT' ? [] : [undefined];
  }
}

/** For systems on which directories cannot be held by descriptors. */
function byName(real: string, holder: Root): Root | undefined {
  const root = realDirectory(real) === undefined ? undefined : rootAt(real);
  return root && within(root.real, holder.real) && standsStill(holder) ? root : undefined;
}

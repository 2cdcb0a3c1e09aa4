/** Narrows the roots of a server to the directories that a client declares as its roots. */

import { OrielError } from '../errors.ts';
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
import { placeOf } from './place.ts';
import { Roots } from './roots.ts';

/**
 * The directories of `wanted` (absolute paths) that are inside held roots which are unchanged; for a wanted
 * directory that contains such a root, the root itself. Names are resolved inside a root, and targets of
 * links outside are not touched. Throws OrielError (`OUTSIDE_ROOT`) if none of them is a directory inside: then
 * nothing may be read.
 */
export async function narrowRoots(
  roots: readonly string[],
  wanted: readonly string[],
): Promise<NarrowedRoots> {
  const known = rootsIn(roots);
  const all = new Roots(roots, '/');
  const found = (await Promise.all(wanted.map((path) => rootsFor(path, known, all)))).flat();
  if (found.length === 0) {
    const message =
      'None of the roots that the client declares is a directory inside those of this server, so nothing can be read. Declare one that is.';
    throw new OrielError('OUTSIDE_ROOT', message);
  }
  return holdNarrowed(Array.from(new Map(found.map((root) => [root.real, root])).values()));
}

/** Empty for a path outside, without a directory, or of oriel itself. */
async function rootsFor(path: string, known: readonly Root[], all: Roots): Promise<readonly Root[]> {
  const isNamedInside = hasDescriptorPaths() && all.any && all.mayName(path);
  const real = isNamedInside ? path : await placeOf(path);
  const held = known.filter((root) => within(root.real, real));
  if (held.length > 0) return held;
  const holder = known.find((root) => within(real, root.real) || within(real, root.given));
  if (!holder) return [];
  return hasDescriptorPaths() ? found(real, all) : byName(real, holder);
}

/** The directory, reached without leaving the roots. Path and identity come from the same descriptor. */
async function found(path: string, all: Roots): Promise<readonly Root[]> {
  try {
    const { fd, path: real, stats } = await all.find(path, () => path);
    await inspectorOf(real).close(fd, 0);
    if (isKeptAt(keptFromClients(all.paths), real, stats)) return [];
    return stats.isDirectory() ? [{ given: real, real, dev: stats.dev, ino: stats.ino }] : [];
  } catch (error) {
    if (isShortage(error)) throw error;
    return [];
  }
}

/** For systems on which directories cannot be held by descriptors. */
function byName(real: string, holder: Root): readonly Root[] {
  const root = realDirectory(real) === undefined ? undefined : rootAt(real);
  return root && within(root.real, holder.real) && standsStill(holder) ? [root] : [];
}

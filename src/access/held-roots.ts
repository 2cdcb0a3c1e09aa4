/**
 * Lists of roots with the identities of their directories, taken once: whoever is given the list has the same directories
 * as roots, whatever stands at their paths by then.
 */

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { failure } from './failure.ts';
import { fromWorkingDirectory, within } from './paths.ts';
import { O_PATH } from './path-walk.ts';
import { placeOf } from './place.ts';

export interface Root {
  /** As given: paths may be typed with it. */
  readonly given: string;
  readonly real: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Of lists that `holdRoots` has made. */
const held = new WeakMap<readonly string[], readonly Root[]>();

/**
 * The same list, resolved now and not where it is used: all that are given it have the same directories as their roots,
 * whatever stands at these paths by then. Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`).
 */
export function holdRoots(paths: readonly string[]): readonly string[] {
  if (held.has(paths)) return paths;
  const list = Array.from(paths);
  held.set(list, list.map(rootAt));
  return list;
}

/** Roots inside those of a server, with whose identity they are held. Only `narrowRoots` makes them. */
export type NarrowedRoots = readonly string[] & { readonly [narrowed]: true };
declare const narrowed: unique symbol;

/**
 * Those of `wanted` (absolute paths of directories) that lie inside held roots which are still in their places; a wanted
 * one that holds such a root stands for it. The list is empty where all of them lie elsewhere. Throws OrielError (`OUTSIDE_ROOT`) when what lies inside is not there, or is no directory.
 */
export async function narrowRoots(
  roots: readonly string[],
  wanted: readonly string[],
): Promise<NarrowedRoots> {
  const known = rootsIn(roots);
  const places = await Promise.all(wanted.map(placeOf));
  const inside = places.flatMap(({ real, isThere }) => {
    const same = known.filter((root) => within(root.real, real));
    if (same.length > 0) return same;
    const holder = known.find((root) => within(real, root.real) || within(real, root.given));
    return holder ? [isThere ? rootInside(holder, real) : undefined] : [];
  });
  const found = inside.flatMap((root) => root ?? []);
  if (inside.length > 0 && found.length === 0)
    throw new OrielError(
      'OUTSIDE_ROOT',
      'The directories that the client declares as its roots are not there: nothing else may be read. Declare others.',
    );
  const unique = Array.from(new Map(found.map((root) => [root.real, root])).values());
  const list = unique.map(({ real }) => real);
  held.set(list, unique);
  return list as readonly string[] as NarrowedRoots;
}

/** What tells one list of held roots from another: a directory that is made again is another one. */
export function rootsKey(roots: readonly string[]): string {
  return JSON.stringify(held.get(roots)?.map(({ real, dev, ino }) => [real, `${dev}:${ino}`]) ?? roots);
}

/** Those of a list that is held, else what stands at its paths now. Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`). */
export function rootsIn(paths: readonly string[]): readonly Root[] {
  return held.get(paths) ?? paths.map(rootAt);
}

/** What stands at the path now. */
function rootAt(path: string): Root {
  const given = fromWorkingDirectory(path);
  let stats: BigIntStats;
  let real: string;
  try {
    real = realpathSync(given);
    stats = lstatSync(real, { bigint: true });
  } catch (error) {
    const known = failure(error, given);
    if (!(known instanceof OrielError) || known.code !== 'NOT_FOUND') throw known;
    const message = `The root ${quote(given)} does not exist. Use a directory that does.`;
    throw new OrielError('NOT_FOUND', message, { cause: error });
  }
  if (!stats.isDirectory())
    throw new OrielError('NOT_DIRECTORY', `The root ${quote(given)} is not a directory. Use one that is.`);
  return { given, real, dev: stats.dev, ino: stats.ino };
}

/**
 * The directory at `real` as a root, where it lies in `holder`. Its path and its identity are those of one descriptor: what
 * is exchanged at the path meanwhile becomes no root.
 */
function rootInside(holder: Root, real: string): Root | undefined {
  if (process.platform !== 'linux') {
    const root = realDirectory(real) === undefined ? undefined : rootAt(real);
    return root && within(root.real, holder.real) && standsStill(holder) ? root : undefined;
  }
  let fd: number;
  try {
    fd = openSync(real, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    const isInside = within(path, holder.real) && standsStill(holder);
    return isInside ? { given: path, real: path, dev, ino } : undefined;
  } finally {
    closeSync(fd);
  }
}

/** The real path of a directory; undefined for a path that is not one. */
export function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

export function standsStill(root: Root): boolean {
  try {
    return isSame(root, lstatSync(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

/** A link may have the number of the directory that was removed for it. */
export function isSame({ dev, ino }: Root, stats: BigIntStats): boolean {
  return stats.isDirectory() && stats.dev === dev && stats.ino === ino;
}

/**
 * Lists of roots with the identities of their directories, which are read once: all users of a list have the
 * same directories as roots, even if their paths are replaced later.
 */

import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { failure } from './system-failure.ts';
import { fromWorkingDirectory } from './paths.ts';

export interface Root {
  /** The path as it was given: typed paths may begin with it. */
  readonly given: string;
  readonly real: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The roots of the lists that `holdRoots` returned. */
const held = new WeakMap<readonly string[], readonly Root[]>();

/**
 * The same list, resolved now instead of when it is used: all users have the same directories as roots, even
 * if their paths are replaced later. Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`).
 */
export function holdRoots(paths: readonly string[]): readonly string[] {
  if (held.has(paths)) return paths;
  const list = Array.from(paths);
  held.set(list, list.map(rootAt));
  return list;
}

/** Held roots that are inside those of a server, at least one. Only `holdNarrowed` makes them. */
export type NarrowedRoots = readonly [string, ...string[]] & { readonly [narrowed]: true };
declare const narrowed: unique symbol;

export function holdNarrowed(roots: readonly Root[]): NarrowedRoots {
  const list = roots.map(({ real }) => real);
  held.set(list, roots);
  return list as readonly string[] as NarrowedRoots;
}

/** A key for a list of held roots. A directory that is removed and created again has another key. */
export function rootsKey(roots: readonly string[]): string {
  return JSON.stringify(held.get(roots)?.map(({ real, dev, ino }) => [real, `${dev}:${ino}`]) ?? roots);
}

/**
 * The roots of a held list, or the directories that are at the paths now. Throws OrielError (`NOT_FOUND`,
 * `NOT_DIRECTORY`).
 */
export function rootsIn(paths: readonly string[]): readonly Root[] {
  return held.get(paths) ?? paths.map(rootAt);
}

/** The directory that is at the path now. Throws as `rootsIn`. */
export function rootAt(path: string): Root {
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

/** A link may have the inode number of the directory that it replaced. */
export function isSame({ dev, ino }: Root, stats: BigIntStats): boolean {
  return stats.isDirectory() && stats.dev === dev && stats.ino === ino;
}

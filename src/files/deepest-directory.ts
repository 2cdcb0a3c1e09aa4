/**
 * Finds the deepest existing directory of a path by binary search: each step opens the path up to one of its names.
 */

import { join, parse, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isOrielError } from '../errors.ts';
import type { FileAccess, OpenedDirectory } from '../types/access.ts';
import { isPathWithin } from './paths.ts';

export interface DeepestDirectory {
  readonly opened: OpenedDirectory;
  /** The part of `path` that leads to it. */
  readonly at: string;
  /** The names after it in `path`. */
  readonly names: readonly string[];
}

/**
 * The deepest directory above `path` (absolute) that can be opened; the caller closes it. Undefined if none
 * can be opened. Throws the signal's reason, and errors other than OrielError.
 */
export async function deepestDirectory(
  access: FileAccess,
  path: string,
  signal?: AbortSignal,
): Promise<DeepestDirectory | undefined> {
  // A path outside the roots is above a root, or was reached through a link that leads out.
  const isAboveRoot = (at: string): boolean => access.roots.some((root) => isPathWithin(root, at));
  return (
    (await search(access, path, () => true, signal)) ?? (await search(access, path, isAboveRoot, signal))
  );
}

/** `isAbove`: whether a directory outside the roots counts as above the deepest one (otherwise as below it). */
async function search(
  access: FileAccess,
  path: string,
  isAbove: (outside: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<DeepestDirectory | undefined> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).filter(Boolean);
  let deepest: DeepestDirectory | undefined;
  // The search is for the number of names; the parent directory of the path is tried first.
  let [least, most] = [0, Math.max(0, names.length - 1)];
  for (let count = most; least <= most; count = (least + most) >>> 1) {
    const at = join(root, ...names.slice(0, count));
    const opened = await tried(access, at, signal);
    if (typeof opened === 'object') {
      await deepest?.opened.close();
      deepest = { opened, at, names: names.slice(count) };
    }
    if (opened === 'missing' || (opened === 'outside' && !isAbove(at))) most = count - 1;
    else least = count + 1;
    await setImmediate();
  }
  return deepest;
}

async function tried(
  access: FileAccess,
  path: string,
  signal: AbortSignal | undefined,
): Promise<OpenedDirectory | 'missing' | 'outside'> {
  try {
    const opened = await access.open(path, signal);
    if (opened.is === 'directory') return opened;
    await opened.close();
    return 'missing';
  } catch (error) {
    signal?.throwIfAborted();
    if (!isOrielError(error)) throw error;
    return error.code === 'OUTSIDE_ROOT' ? 'outside' : 'missing';
  }
}

// Whether a path can be opened.

/** `path` is absolute. */
export async function exists(path: string, access: FileAccess): Promise<boolean> {
  const opened = await access.open(path).catch(() => undefined);
  await opened?.close();
  return opened !== undefined;
}

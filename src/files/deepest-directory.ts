/** Finds the deepest existing directory of a path: its parent, or by halves. */

import { join, parse, relative, sep } from 'node:path';
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
  const { root } = parse(path);
  const names = relative(root, path).split(sep).filter(Boolean);
  const opened = (count: number): Promise<OpenedDirectory | undefined> =>
    openDirectory(access, join(root, ...names.slice(0, count)), signal);
  const last = Math.max(0, names.length - 1);
  const parent = await opened(last);
  if (parent) return { opened: parent, at: join(root, ...names.slice(0, last)), names: names.slice(last) };
  // What is above a directory that can be opened can be opened, too, down from the root that holds the path.
  const above = access.roots.filter((one) => isPathWithin(path, one));
  let low = Math.min(...above.map((one) => one.split(sep).filter(Boolean).length), names.length);
  if (above.length === 0) low = 0;
  for (let high = last; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    const found = await opened(middle);
    if (found) low = middle;
    else high = middle - 1;
    await found?.close();
    await setImmediate();
  }
  for (let count = Math.min(low, last); count >= 0; count -= 1) {
    const found = await opened(count);
    if (found) return { opened: found, at: join(root, ...names.slice(0, count)), names: names.slice(count) };
  }
  return undefined;
}

async function openDirectory(
  access: FileAccess,
  path: string,
  signal: AbortSignal | undefined,
): Promise<OpenedDirectory | undefined> {
  try {
    const opened = await access.open(path, signal);
    if (opened.kind === 'directory') return opened;
    await opened.close();
  } catch (error) {
    signal?.throwIfAborted();
    if (!isOrielError(error)) throw error;
  }
  return undefined;
}

// Whether a path can be opened.

/** `path` is absolute. */
export async function exists(path: string, access: FileAccess): Promise<boolean> {
  const opened = await access.open(path).catch(() => undefined);
  await opened?.close();
  return opened !== undefined;
}

/** Finds the deepest existing directory of a path, upwards from its parent. */

import { join, parse, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isOrielError } from '../errors.ts';
import type { FileAccess, OpenedDirectory } from '../types/access.ts';

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
  const names = path.slice(root.length).split(sep).filter(Boolean);
  for (let count = Math.max(0, names.length - 1); count >= 0; count -= 1) {
    const at = join(root, ...names.slice(0, count));
    const opened = await openDirectory(access, at, signal);
    if (opened) return { opened, at, names: names.slice(count) };
    await setImmediate();
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

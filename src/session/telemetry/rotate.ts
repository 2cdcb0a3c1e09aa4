/** Rotates a telemetry file: it becomes `PATH.1`, and the oldest part is removed. */

import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PRIVATE_FILE, trustedDirectory } from '../../access/private-files.ts';
import { errno } from '../../access/system-failure.ts';

/** The number of rotated files kept; `PATH.1` is the newest. */
export const ROTATED = 4;

export function rotatedParts(path: string): string[] {
  return Array.from({ length: ROTATED }, (_, i) => `${path}.${i + 1}`);
}

/** Milliseconds after which a lock counts as left behind by a killed process and is removed. */
const STALE_MS = 10_000;

/**
 * If `path` has `at` bytes or more: `PATH` becomes `PATH.1`, `PATH.1` becomes `PATH.2`, and so on. Does nothing while
 * another process rotates. Throws errors of the file system, and `UnsafeDirectory`.
 */
export async function rotate(path: string, at: number): Promise<void> {
  const lock = `${path}.lock`;
  trustedDirectory(dirname(path));
  const held = await open(lock, 'wx', PRIVATE_FILE).catch((error: unknown) => {
    if (errno(error) !== 'EEXIST') throw error;
  });
  if (!held) return removeStale(lock);
  try {
    // Another process may have rotated it just before.
    const stats = await lstat(path).catch(nothingThere);
    if (!stats || stats.size < at) return;
    for (let n = ROTATED; n > 0; n -= 1) {
      await rename(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`).catch(nothingThere);
    }
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
}

/** Removes a stale lock. Throws if the path cannot be a lock (a directory), because it would block rotation for ever. */
async function removeStale(lock: string): Promise<void> {
  const stats = await lstat(lock).catch(nothingThere);
  if (!stats) return;
  const isStale = Date.now() - stats.mtimeMs > STALE_MS;
  if (isStale || !stats.isFile()) await rm(lock, { force: true });
}

function nothingThere(error: unknown): undefined {
  if (errno(error) !== 'ENOENT') throw error;
}

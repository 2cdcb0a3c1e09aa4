/** Rotates a file of telemetry: it becomes `PATH.1`, and the oldest part is removed. */

import { lstat, open, rename, rm } from 'node:fs/promises';
import { errno } from '../../access/system-failure.ts';

/** Older files, `PATH.1` being the youngest. */
export const ROTATED = 4;

/** Milliseconds after which the lock of a process that was killed is removed. */
const STALE_MS = 10_000;

/**
 * `PATH` becomes `PATH.1`, which becomes `PATH.2`, …, where it has `at` bytes or more. One process does it at a time:
 * while another one does, nothing is done here. Throws what the file system throws.
 */
export async function rotate(path: string, at: number): Promise<void> {
  const lock = `${path}.lock`;
  const held = await open(lock, 'wx', 0o600).catch((error: unknown) => {
    if (errno(error) !== 'EEXIST') throw error;
  });
  if (!held) return removeStale(lock);
  try {
    // Another process may have done so just before.
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

/** Throws where what is there is no lock: it would never go. */
async function removeStale(lock: string): Promise<void> {
  const stats = await lstat(lock).catch(nothingThere);
  if (!stats) return;
  const isStale = Date.now() - stats.mtimeMs > STALE_MS;
  if (isStale || !stats.isFile()) await rm(lock, { force: true });
}

function nothingThere(error: unknown): undefined {
  if (errno(error) !== 'ENOENT') throw error;
}

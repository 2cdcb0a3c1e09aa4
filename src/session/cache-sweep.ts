/** Keeps the directory of the cache on disk within its budget. */

import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './owner.ts';

/** An entry that was not used for this long is removed, in ms. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/** An unfinished file of another machine is considered abandoned after this long, in ms. */
const UNFINISHED_MS = 60 * 60_000;

/** Bytes that even the smallest file takes on disk. */
export const BLOCK = 4096;

/** The suffix of a file that is still being written. */
export const TEMPORARY = '.tmp';

/** Whether it is an unfinished file of a process on this machine that no longer runs. */
function isUnfinished(name: string): boolean {
  return name.endsWith(TEMPORARY) && isLeftBehind(name.slice(name.indexOf('.') + 1));
}

/** Removes old and unfinished files, then the least recently used ones until the rest takes at most `bytes`. */
export async function sweep(directory: string, bytes: number): Promise<void> {
  const entries: { readonly path: string; readonly usedAt: number; readonly weight: number }[] = [];
  for await (const { name } of await opendir(directory)) {
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    // If the clock was set back, some times are in the future.
    const age = Math.abs(Date.now() - stats.mtimeMs);
    const isOver = age > (name.endsWith(TEMPORARY) ? UNFINISHED_MS : UNUSED_MS);
    if (isOver || isUnfinished(name)) await rm(path, { force: true });
    else entries.push({ path, usedAt: stats.mtimeMs, weight: Math.max(stats.size, BLOCK) });
  }
  let total = entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const { path, weight } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= bytes) return;
    await rm(path, { force: true });
    total -= weight;
  }
}

/** A lock between processes: a file in a private directory that only one process can create (`O_EXCL`). */

import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectorOf, readDescriptor } from '../access/descriptors.ts';
import { errno } from '../access/system-failure.ts';
import { openRegular } from '../access/open-regular.ts';
import { isLeftBehind, ownName } from './owner.ts';

/** Milliseconds between two attempts, and for all attempts together. */
const TRY_MS = 10;
const MOST_MS = 30_000;

/** How long one lock that has no readable owner, or cannot be removed, is waited for, in ms. */
const UNKNOWN_MS = 2_000;

/** A lock is removed after this long, in ms, whoever owns it. */
const STALE_MS = 10_000;

/** The suffix of a second lock, under which a stale lock is removed. Its end is `TEMPORARY`, so `sweep` removes a leftover. */
const TURN = '.turn.tmp';

/** The most bytes read of an owner's name; such names are shorter. */
const MOST_NAME = 64;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Runs `act` while this process holds the lock at `path`. Waits as long as other processes take turns with it, up to 30
 * seconds and not after `signal`. If the lock is not available then, or what is at `path` is no lock, `act` runs without it,
 * so use it only for data that may be lost and computed again.
 */
export async function withFileLock<T>(path: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const name = await acquire(path, signal);
  try {
    return await act();
  } finally {
    // If `act` took too long, the lock may be another's by now.
    if (name !== undefined && (await ownerOf(path)) === name) await remove(path);
  }
}

/** The name in the lock, or undefined if it could not be acquired. */
async function acquire(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const name = ownName();
  const began = performance.now();
  let last: { readonly owner: string; readonly since: number } | undefined;
  for (;;) {
    const made = await create(path, name);
    if (made !== 'exists') return made === 'made' ? name : undefined;
    const owner = await ownerOf(path);
    const stale = await isStale(path, owner);
    if (stale && (await removeStale(path))) continue;
    const now = performance.now();
    if (last?.owner !== owner) last = { owner, since: now };
    const isLong = now - last.since > (stale || owner === '' ? UNKNOWN_MS : STALE_MS);
    if (isLong || now - began > MOST_MS || signal?.aborted) return undefined;
    await sleep(TRY_MS);
  }
}

async function create(path: string, name: string): Promise<'made' | 'exists' | 'failed'> {
  try {
    const handle = await open(path, CREATE, 0o600);
    try {
      await handle.writeFile(name);
    } catch (error) {
      // The disk may be full: others would wait for a lock without an owner.
      await remove(path);
      throw error;
    } finally {
      await handle.close();
    }
    return 'made';
  } catch (error) {
    return errno(error) === 'EEXIST' ? 'exists' : 'failed';
  }
}

/**
 * Removes a stale lock; false if it is not stale or cannot be removed. One process at a time does that, and checks the lock
 * again: of two that had found the same stale lock, the second would remove the new lock of the first. Two may do it at once
 * only if a process was killed while it did.
 */
async function removeStale(path: string): Promise<boolean> {
  const turn = `${path}${TURN}`;
  if ((await create(turn, ownName())) !== 'made') {
    // Left by a process that was killed meanwhile.
    if (await isStale(turn, await ownerOf(turn))) await remove(turn);
    return false;
  }
  try {
    return (await isStale(path, await ownerOf(path))) && (await remove(path));
  } finally {
    await remove(turn);
  }
}

/** False if it is a directory or cannot be removed. */
function remove(path: string): Promise<boolean> {
  return rm(path, { force: true }).then(
    () => true,
    () => false,
  );
}

/** Whether the owner no longer runs, or the lock is too old. */
async function isStale(path: string, owner: string): Promise<boolean> {
  if (isLeftBehind(owner)) return true;
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > STALE_MS;
}

/** The owner's name in a lock file; empty for anything but a readable regular file. */
async function ownerOf(path: string): Promise<string> {
  try {
    const inspector = inspectorOf(path);
    const { fd } = await openRegular(path, inspector);
    try {
      const name = Buffer.alloc(MOST_NAME);
      return name.toString('latin1', 0, await readDescriptor(fd, name, 0));
    } finally {
      await inspector.close(fd);
    }
  } catch {
    return '';
  }
}

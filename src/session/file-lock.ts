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

/** The most bytes read of an owner's name; such names are shorter. */
const MOST_NAME = 64;

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Runs `act` while this process holds the lock at `path`. Waits as long as other processes take turns with it, up to 30
 * seconds. If the lock is not available then, or what is at `path` is no lock, `act` runs without it, so use it only for
 * data that may be lost and computed again.
 */
export async function withFileLock<T>(path: string, act: () => Promise<T>): Promise<T> {
  const isHeld = await acquire(path);
  try {
    return await act();
  } finally {
    if (isHeld) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function acquire(path: string): Promise<boolean> {
  const began = performance.now();
  let last: { readonly owner: string; readonly since: number } | undefined;
  for (;;) {
    const made = await create(path);
    if (made !== 'exists') return made === 'made';
    const owner = await ownerOf(path).catch(() => '');
    // Two processes that find the same stale lock may both continue. That is rare and acceptable (see `withFileLock`).
    const stale = await isStale(path, owner);
    if (stale && (await removed(path))) continue;
    const now = performance.now();
    if (last?.owner !== owner) last = { owner, since: now };
    if (now - last.since > (stale || owner === '' ? UNKNOWN_MS : STALE_MS) || now - began > MOST_MS)
      return false;
    await sleep(TRY_MS);
  }
}

async function create(path: string): Promise<'made' | 'exists' | 'failed'> {
  try {
    const handle = await open(path, CREATE, 0o600);
    try {
      await handle.writeFile(ownName());
    } finally {
      await handle.close();
    }
    return 'made';
  } catch (error) {
    return errno(error) === 'EEXIST' ? 'exists' : 'failed';
  }
}

/** False if the lock is a directory or cannot be removed. */
function removed(path: string): Promise<boolean> {
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

/** The owner's name in a lock file. Throws for anything but a regular file. */
async function ownerOf(path: string): Promise<string> {
  const inspector = inspectorOf(path);
  const { fd } = await openRegular(path, inspector);
  try {
    const name = Buffer.alloc(MOST_NAME);
    return name.toString('latin1', 0, await readDescriptor(fd, name, 0));
  } finally {
    await inspector.close(fd);
  }
}

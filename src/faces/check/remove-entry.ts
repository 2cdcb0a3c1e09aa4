/**
 * Removes files and directories that another process may exchange at any moment. Nothing outside is removed: each step goes through
 * an open directory, and no link is followed.
 */

import { randomBytes } from 'node:crypto';
import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { type Name, OpenDirectory } from './open-directory.ts';

/** Most entries that are looked at, because a process may create new ones without end. */
const MOST_ENTRIES = 1_000_000;

/** How often an entry is tried: another process may fill a directory that was just emptied. */
const MOST_TRIES = 4;

/**
 * Removes everything but `kept`. Directories inside are moved up into `top` first, so two are open at a time however deep they are.
 * Throws the error of the first entry that cannot be removed, after all others were.
 */
export function emptyDirectory(top: OpenDirectory, kept: readonly string[] = []): void {
  const tries = new Map<string, number>();
  const failures: unknown[] = [];
  const hoisted = `removed-${randomBytes(6).toString('hex')}`;
  let looked = 0;
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const name of top.names()) {
      const key = name.toString('latin1');
      const count = tries.get(key) ?? 0;
      if (count === MOST_TRIES || kept.includes(key)) continue;
      isDone = false;
      try {
        looked += 1;
        if (!unlinked(top, name)) removeDirectory(top, name, () => `${hoisted}-${(looked += 1)}`);
      } catch (error) {
        tries.set(key, count + 1);
        if (count + 1 === MOST_TRIES) failures.push(error);
      }
      if (looked > MOST_ENTRIES) throw new Error(`more than ${MOST_ENTRIES} entries`);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Removes a file, a link, or a directory with everything in it, if it exists. Throws the error of the system. */
export function removeEntry(directory: OpenDirectory, name: Name): void {
  if (unlinked(directory, name)) return;
  const inner = directory.enter(name);
  try {
    emptyDirectory(inner);
  } finally {
    inner.close();
  }
  rmdirSync(directory.at(name));
}

/** False for a directory. */
function unlinked(directory: OpenDirectory, name: Name): boolean {
  try {
    unlinkSync(directory.at(name));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    // Linux says EISDIR, POSIX EPERM.
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    return false;
  }
}

/** Removes a directory in `top`, whose own directories are moved to new names in `top`. */
function removeDirectory(top: OpenDirectory, name: Name, fresh: () => string): void {
  const inner = top.enter(name);
  try {
    for (const child of inner.names())
      if (!unlinked(inner, child)) renameSync(inner.at(child), top.at(fresh()));
  } finally {
    inner.close();
  }
  rmdirSync(top.at(name));
}

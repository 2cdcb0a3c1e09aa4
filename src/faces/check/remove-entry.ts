/**
 * Removes files and directories that another process may exchange at any moment. Nothing outside is removed: each step goes through
 * an open directory, and no link is followed.
 */

import { randomBytes } from 'node:crypto';
import { renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { type Name, OpenDirectory } from './open-directory.ts';

/** Most entries that are removed at once: other processes may create new ones without end. */
const MOST_ENTRIES = 200_000;

/** How often an entry is tried: another process may fill a directory that was just emptied. */
const MOST_TRIES = 4;

/**
 * Removes everything but `kept`. Directories inside are moved up into `top` first, so two are open at a time however deep they are.
 * Throws the error of the first entry that cannot be removed, after all others were.
 */
export function emptyDirectory(top: OpenDirectory, kept: readonly string[] = []): void {
  const tries = new Map<string, number>();
  const failures: unknown[] = [];
  const count = counter();
  const prefix = `removed-${randomBytes(6).toString('hex')}`;
  const isLeft = (name: Buffer): boolean => {
    const key = name.toString('latin1');
    return !kept.includes(key) && (tries.get(key) ?? 0) < MOST_TRIES;
  };
  for (let names = top.names().filter(isLeft); names.length > 0; names = top.names().filter(isLeft)) {
    for (const name of names) {
      count();
      try {
        if (!unlinked(top, name)) removeDirectory(top, name, () => `${prefix}-${count()}`, count);
      } catch (error) {
        if (error instanceof TooMany) throw error;
        const key = name.toString('latin1');
        tries.set(key, (tries.get(key) ?? 0) + 1);
        if (!isLeft(name)) failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

class TooMany extends Error {}

/** Counts the entries, and throws if there are too many. */
function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    if (count > MOST_ENTRIES) throw new TooMany(`over ${MOST_ENTRIES} files`);
    return count;
  };
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

/** Removes a directory in `top`, whose own directories are moved to new names in `top`. Throws as `emptyDirectory`. */
function removeDirectory(top: OpenDirectory, name: Name, fresh: () => string, count: () => number): void {
  const inner = top.enter(name);
  try {
    for (let names = inner.names(); names.length > 0; names = inner.names()) {
      const failures: unknown[] = [];
      for (const child of names) {
        count();
        try {
          if (!unlinked(inner, child)) renameSync(inner.at(child), top.at(fresh()));
        } catch (error) {
          if (error instanceof TooMany) throw error;
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    }
  } finally {
    inner.close();
  }
  rmdirSync(top.at(name));
}

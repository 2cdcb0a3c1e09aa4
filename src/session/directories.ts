/**
 * Where sessions keep their private files. They are removed when the session ends; those of a killed process are removed by the
 * next session. Each directory is checked up to the root before something is written or removed in it, and only names that oriel
 * makes are removed.
 */

import { accessSync, constants, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isTrusted, keepFromClients, privateDirectory, trustedDirectory } from '../access/private-files.ts';
import { isLeftBehind, isOwnName, isRunning, ownName } from './owner.ts';

/** Directories and files are removed when they were not written for this long. */
const KEEP_MS = 24 * 60 * 60 * 1_000;

/** The parent of all session directories: below the XDG cache directory if that is writable and safe, otherwise below tmp. */
export function stateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  try {
    return cacheDirectory(env);
  } catch {
    const path = mkdtempSync(join(trustedDirectory(tmpdir()), 'oriel-'));
    keepFromClients(path);
    return privateDirectory(path);
  }
}

/**
 * Our own directory below the XDG cache directory. If that is not writable, or others could replace it, a directory below tmp
 * with a name that other processes of this user find too. Throws if that name is taken.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  try {
    const cache = cachePath(env);
    const directory = privateDirectory(join(trustedDirectory(dirname(cache), 0o777), basename(cache)));
    // An existing directory may be on a file system that is mounted read-only.
    accessSync(directory, constants.W_OK);
    return directory;
  } catch {
    return privateDirectory(temporaryPath());
  }
}

/** For files without a name: the temporary directory of the system, or ours where others could replace that one. */
export function temporaryDirectory(): string {
  try {
    return trustedDirectory(tmpdir());
  } catch {
    return cacheDirectory();
  }
}

function cachePath(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CACHE_HOME'];
  // Relative paths are ignored. Source: XDG Base Directory Specification.
  return join(named?.startsWith('/') ? named : join(env['HOME'] ?? homedir(), '.cache'), 'oriel');
}

/** A predictable path below tmp. All users can write there, so another user may have taken the name. */
function temporaryPath(): string {
  return join(tmpdir(), `oriel-${process.getuid?.() ?? userInfo().uid}`);
}

/**
 * Makes the state directories (and `state`) unreadable through file access of clients. Called before this session writes
 * anything, because outputs of other sessions and processes are already there.
 */
export function keepStateFromClients(state?: string): void {
  for (const path of [() => cachePath(process.env), temporaryPath, () => state]) {
    try {
      const place = path();
      if (place !== undefined) keepFromClients(place);
    } catch {
      // The user has no home directory.
    }
  }
}

/** Creates a directory for one session of this process; it is removed with the session. */
export function sessionDirectory(state: string): string {
  const sessions = privateDirectory(join(state, 'sessions'));
  sweepFiles(sessions, (name) => isOwnName(name) && !isRunning(Number.parseInt(name, 10)));
  return privateDirectory(join(sessions, ownName()));
}

/** Removes old entries of a private directory if `mayRemove` accepts the name, and leftovers of processes that were killed. */
export function sweepFiles(directory: string, mayRemove: (name: string) => boolean): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (isLeftBehind(name) || (mayRemove(name) && isOld(path))) void remove(path);
  }
}

const atExit = new Set<string>();
let willRemove = false;

/** Removes `directory` when the process exits, for hosts that do not close their sessions. */
export function removeAtExit(directory: string): void {
  if (!willRemove) process.once('exit', () => atExit.forEach(removeAtOnce));
  willRemove = true;
  atExit.add(directory);
}

function isOld(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > KEEP_MS;
  } catch {
    return false;
  }
}

/** Removes a directory of this session without blocking the event loop. Tries again if files are added meanwhile. */
export async function removeNow(directory: string): Promise<void> {
  if (isTrusted(directory))
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  atExit.delete(directory);
}

/** A counter that makes the temporary names of removed files unique. */
let removals = 0;

/**
 * Renames the path synchronously, then removes it in another thread, because freeing the blocks of large files takes
 * time. Never throws: whatever could not be removed is left for the next sweep. Several processes may sweep concurrently.
 */
export async function remove(path: string): Promise<void> {
  atExit.delete(path);
  const aside = join(dirname(path), `${ownName()}-removed-${(removals += 1)}`);
  try {
    if (!isTrusted(path)) return;
    renameSync(path, aside);
  } catch {
    // It does not exist, or it cannot be renamed and so probably not removed either.
    return;
  }
  removeAtExit(aside);
  await removeNow(aside).catch(() => undefined);
}

function removeAtOnce(path: string): void {
  try {
    if (isTrusted(path)) rmSync(path, { recursive: true, force: true });
  } catch {
    // Left for the next sweep.
  }
}

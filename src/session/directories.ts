/**
 * Creates the private directories (mode 0700) in which sessions keep their files. They are removed when the session
 * ends; those of a killed process are removed by the next session.
 */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { errno } from '../access/system-failure.ts';
import { keepFromClients } from '../access/private-files.ts';
import { isLeftBehind, isRunning, ownName } from './owner.ts';

/** Directories and files are removed when they were not written for this long, in ms. */
const KEEP_FOR = 24 * 60 * 60 * 1_000;

/** The parent of all session directories: below the XDG cache directory if that is writable, otherwise below tmp. */
export function stateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  try {
    return cacheDirectory(env);
  } catch {
    const path = mkdtempSync(join(tmpdir(), 'oriel-'));
    keepFromClients(path);
    return path;
  }
}

/**
 * Our own directory below the XDG cache directory. If that is not writable, a directory below tmp with a name
 * that other processes of this user find too. Throws if that name is taken.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  try {
    const cache = cachePath(env);
    makeDirectories(dirname(cache), 0o777);
    const directory = privateDirectory(cache);
    // An existing directory may be on a file system that is mounted read-only.
    accessSync(directory, constants.W_OK);
    return directory;
  } catch {
    return privateDirectory(temporaryPath());
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

/** Creates `path` with its parents, or uses it if it is a real directory of this user. Throws otherwise. */
export function privateDirectory(path: string): string {
  makeDirectories(path, 0o700);
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} is not a directory`);
  if (process.getuid && stat.uid !== process.getuid()) throw new Error(`${path} belongs to another user`);
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}

/** Whether `path` is (still) a private directory of this user. False for a link, because its target may belong to anybody. */
export function isPrivateDirectory(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isDirectory() && (!process.getuid || isOnlyOf(stat, process.getuid()));
}

function isOnlyOf({ uid, mode }: Stats, user: number): boolean {
  return uid === user && (mode & 0o077) === 0;
}

/** Replaces `mkdir -p` of Node, which never returns if a parent exists but nothing can be created in it, as in `/proc`. */
function makeDirectories(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeDirectories(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process created it first, or something else has the name; the caller checks that.
    if (errno(error) !== 'EEXIST') throw error;
  }
}

/** Creates a directory for one session of this process; it is removed with the session. */
export function sessionDirectory(state: string): string {
  const sessions = privateDirectory(join(state, 'sessions'));
  sweepSessions(sessions);
  return privateDirectory(join(sessions, ownName()));
}

/** Removes directories of processes that no longer run: immediately for processes of this machine, otherwise by age. */
function sweepSessions(sessions: string): void {
  for (const name of readdirSync(sessions)) {
    const path = join(sessions, name);
    if (isLeftBehind(name) || (!isRunning(Number.parseInt(name, 10)) && isOld(path))) void remove(path);
  }
}

/** Removes old files in `directory`, and leftovers of removals by killed processes. */
export function sweepFiles(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (isLeftBehind(name) || isOld(path)) void remove(path);
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
    return Date.now() - statSync(path).mtimeMs > KEEP_FOR;
  } catch {
    return false;
  }
}

/** Removes a directory of this session without blocking the event loop. Tries again if files are added meanwhile. */
export async function removeNow(directory: string): Promise<void> {
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
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left for the next sweep.
  }
}

/**
 * Owns where sessions keep their files: folders that only this user can enter, removed when the session ends, and
 * by age where its process ended without saying so.
 */

import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errno } from '../access/failure.ts';

/** What nobody has touched for this long is removed, in ms. */
const KEEP_FOR = 24 * 60 * 60 * 1_000;

/** The parent of all session folders: the XDG cache directory where it can be written, else one in tmp. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['XDG_CACHE_HOME'];
  // The specification has relative paths ignored. Source: XDG Base Directory Specification.
  const cache = named?.startsWith('/') ? named : join(env['HOME'] ?? homedir(), '.cache');
  try {
    mkdirSync(cache, { recursive: true });
    return privateFolder(join(cache, 'oriel'));
  } catch {
    return tmpFolder();
  }
}

/** In a directory that all users write to, a name that can be guessed may have been taken by another user. */
function tmpFolder(): string {
  try {
    return privateFolder(join(tmpdir(), `oriel-${userInfo().uid}`));
  } catch {
    return mkdtempSync(join(tmpdir(), 'oriel-'));
  }
}

/** Makes `path` (its parent must exist) or takes it over when it is a real directory of this user. Throws when it is not. */
export function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} is not a directory`);
  if (process.getuid && stat.uid !== process.getuid()) throw new Error(`${path} belongs to another user`);
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}

/** A folder for one session of this process, gone with it. */
export function sessionFolder(state: string): string {
  const sessions = privateFolder(join(state, 'sessions'));
  sweepSessions(sessions);
  return privateFolder(join(sessions, `${process.pid}-${randomBytes(8).toString('hex')}`));
}

/** Folders of processes that no longer run, once they are old: the files of a crash can be looked at for a while. */
function sweepSessions(sessions: string): void {
  for (const name of readdirSync(sessions)) {
    const path = join(sessions, name);
    if (!isRunning(Number.parseInt(name, 10)) && isOld(path)) remove(path);
  }
}

/** Removes the files in `folder` that are old. */
export function sweepFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (isOld(path)) remove(path);
  }
}

const atExit = new Set<string>();

/** For hosts that end without closing their sessions. */
export function removeAtExit(folder: string): void {
  if (atExit.size === 0) process.once('exit', () => atExit.forEach(remove));
  atExit.add(folder);
}

function isOld(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > KEEP_FOR;
  } catch {
    return false;
  }
}

/** Two processes may sweep at once: what one has removed is no failure of the other. */
export function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left for the next sweep.
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

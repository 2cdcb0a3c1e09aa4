/**
 * Private files of oriel: caches, kept outputs, temporary files, telemetry, token files. Other accounts of the machine cannot
 * reach them: every directory above them was checked. Clients that have roots cannot read them, whatever their names: a second
 * hard link, a bind mount.
 */

import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { quote } from '../text/visible.ts';
import { isPathWithin } from './paths.ts';
import { errno, UnsafeDirectory } from './system-failure.ts';

/**
 * Files and directories that oriel makes carry the sticky bit and are closed to others. Linux ignores the bit on files, and it
 * belongs to the inode: so they are recognised under every name and by every process. Other systems do not let users set it.
 */
const MARK = process.platform === 'linux' ? 0o1000 : 0;
export const PRIVATE_FILE: number = 0o600 | MARK;
const PRIVATE_DIRECTORY = 0o700 | MARK;

const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/** Source: MAXSYMLINKS in linux/namei.h. */
const MAX_LINKS = 40;

/**
 * The real path of a directory that no other account can replace: it and all directories and links that lead to it belong to
 * this user or to root, and others cannot write there, or only with the sticky bit. Missing ones are made with `mode`. Throws
 * `UnsafeDirectory`, and errors of the system.
 */
export function trustedDirectory(path: string, mode?: number): string {
  // Windows has neither owners nor modes of this kind.
  if (!process.getuid) return ensureDirectory(path, mode);
  const names = resolve(path).split('/');
  let at = '/';
  checkDirectory(at, lstatSync(at));
  for (let links = 0; names.length > 0;) {
    const name = names.shift() as string;
    if (name === '' || name === '.') continue;
    // No link is left in `at`, so its parent is the one that the system would find.
    const next = name === '..' ? dirname(at) : join(at, name);
    const stats = statOrMake(next, mode);
    if (!stats.isSymbolicLink()) {
      checkDirectory(next, stats);
      at = next;
      continue;
    }
    checkOwner(next, stats);
    if ((links += 1) > MAX_LINKS) throw new UnsafeDirectory(`${quote(path)} leads into a loop of links`);
    const target = readlinkSync(next);
    if (target.startsWith('/')) at = '/';
    names.unshift(...target.split('/'));
  }
  return at;
}

/** Whether nobody else can replace what is at `path`. */
export function isTrusted(path: string): boolean {
  try {
    trustedDirectory(dirname(path));
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the private directory at `path`, or uses it if it is a real directory of this user, and returns its real path. Throws as
 * `trustedDirectory`.
 */
export function privateDirectory(path: string): string {
  const real = join(trustedDirectory(dirname(path), 0o700), basename(path));
  const stats = statOrMake(real, PRIVATE_DIRECTORY);
  if (!stats.isDirectory()) throw new UnsafeDirectory(`${quote(path)} is not a directory`);
  if (process.getuid && stats.uid !== process.getuid())
    throw new UnsafeDirectory(`${quote(path)} belongs to another user`);
  makePrivate(real, stats);
  return real;
}

/** Whether `path` is (still) a private directory of this user that nobody else can replace. */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true || !isTrusted(path)) return false;
  return !process.getuid || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}

/** Closes a file of this user to others and marks it as oriel's. Throws if the system refuses the former. */
export function makePrivate(at: string | number, stats: Stats): void {
  if (isPrivate(stats)) return;
  const mode = stats.isDirectory() ? PRIVATE_DIRECTORY : PRIVATE_FILE;
  try {
    if (typeof at === 'number') fchmodSync(at, mode);
    else chmodSync(at, mode);
  } catch (error) {
    // A file system without modes that is mounted for this user alone.
    if ((stats.mode & 0o077) !== 0) throw error;
  }
}

function isPrivate({ mode }: Pick<FileStats, 'mode'>): boolean {
  return (Number(mode) & 0o1077) === MARK;
}

/** `mkdir -p` of Node never returns if a parent exists but nothing can be created in it, as in `/proc`. */
function statOrMake(path: string, mode: number | undefined): Stats {
  const stats = lstatSync(path, { throwIfNoEntry: mode === undefined });
  if (stats) return stats;
  try {
    mkdirSync(path, { mode: mode as number });
  } catch (error) {
    // Another process created it first, or something else has the name; the caller checks that.
    if (errno(error) !== 'EEXIST') throw error;
  }
  return lstatSync(path);
}

function ensureDirectory(path: string, mode?: number): string {
  if (mode !== undefined) mkdirSync(path, { mode, recursive: true });
  return realpathSync(path);
}

function checkDirectory(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw new UnsafeDirectory(`${quote(path)} is not a directory`);
  checkOwner(path, stats);
  // Systems with umask 002 give each user a group of the same number, which has no other members.
  const others = stats.gid === process.getuid?.() ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITE;
  if ((stats.mode & others) === 0 || (stats.mode & STICKY) !== 0) return;
  throw new UnsafeDirectory(`other users can change ${quote(path)}`);
}

/** The owner of `/` is root, maybe of another user namespace, and can replace everything anyway. */
function checkOwner(path: string, { uid }: Stats): void {
  if (uid === 0 || uid === process.getuid?.() || uid === lstatSync('/').uid) return;
  throw new UnsafeDirectory(`${quote(path)} belongs to another user`);
}

/** Oriel's directory below the XDG cache directory. */
export function cachePath(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_CACHE_HOME'];
  // Relative paths are ignored. Source: XDG Base Directory Specification.
  return join(named?.startsWith('/') ? named : join(env['HOME'] ?? homedir(), '.cache'), 'oriel');
}

/** A predictable path below tmp. All users can write there, so another user may have taken the name. */
export function temporaryPath(): string {
  return join(tmpdir(), `oriel-${process.getuid?.() ?? userInfo().uid}`);
}

const places = new Set<string>();
const files = new Set<string>();
let hasState = false;

/** Outputs of other sessions and processes may be there already. */
function keepStateFromClients(): void {
  hasState = true;
  for (const path of [() => cachePath(process.env), temporaryPath]) {
    try {
      keepFromClients(path());
    } catch {
      // The user has no home directory.
    }
  }
}

/** What clients with certain roots cannot read. Plain data, for worker threads. */
export interface KeptFiles {
  /** Real paths of files and directories. */
  readonly places: readonly string[];
  /** Files, by `fileKey`. */
  readonly files: ReadonlySet<string>;
  /** The user whose marked files and directories are oriel's; undefined if marks do not count. */
  readonly markedBy: number | undefined;
}

const NOTHING_KEPT: KeptFiles = { places: [], files: new Set(), markedBy: undefined };

type FileStats = Readonly<Record<'dev' | 'ino' | 'mode' | 'uid', bigint | number>>;

/** A key for a file that does not depend on its name; device and inode numbers of more than 53 bits are rounded. */
export function fileKey({ dev, ino }: Pick<FileStats, 'dev' | 'ino'>): string {
  return `${Number(dev)}:${Number(ino)}`;
}

/** From now on no client can read the file, or files in the directory, by path. It need not exist yet. */
export function keepFromClients(path: string): void {
  places.add(realOf(path));
}

/**
 * The same for the file open at `fd`, which oriel did not make, under all of its names. The descriptor stays open for as long
 * as this process lives, so that the inode number cannot be reused.
 */
export function keepFileFromClients(path: string, fd: number, stats: Stats): void {
  keepFromClients(path);
  const key = fileKey(stats);
  if (files.has(key)) closeSync(fd);
  files.add(key);
}

/**
 * What clients with these roots (real paths) cannot read: nothing without roots. A place that contains one of the roots was
 * chosen on purpose and can be read.
 */
export function keptFromClients(roots: readonly string[]): KeptFiles {
  if (roots.length === 0) return NOTHING_KEPT;
  if (!hasState) keepStateFromClients();
  const kept = [...places].filter((place) => !roots.some((root) => isPathWithin(root, place)));
  const markedBy = MARK === 0 || kept.length < places.size ? undefined : process.getuid?.();
  return { places: kept, files, markedBy };
}

/** Whether it is one of the files and directories that are kept, whatever its name. */
export function isKept({ files: held, markedBy }: KeptFiles, stats: FileStats): boolean {
  const isMarked = Number(stats.uid) === markedBy && isPrivate(stats);
  return isMarked || (held.size > 0 && held.has(fileKey(stats)));
}

/** The same for the real path `path`. */
export function isKeptAt(kept: KeptFiles, path: string, stats: FileStats): boolean {
  return isKept(kept, stats) || kept.places.some((place) => isPathWithin(path, place));
}

export function realOf(path: string): string {
  const names = resolve(path).split(sep);
  let real = names.shift() + sep;
  // From the top, because most of a long path may be missing.
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    try {
      real = realpathSync(join(real, name));
    } catch {
      return join(real, name, ...names);
    }
  }
  return real;
}

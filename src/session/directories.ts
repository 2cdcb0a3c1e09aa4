/**
 * Where sessions keep their private files. They are removed when the session ends; those of a killed process are removed by the
 * next session. Each directory is checked up to the root before something is written or removed in it, and only names that oriel
 * makes are removed.
 */

import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { OrielError } from '../errors.ts';
import { untilDescriptors } from '../files/descriptors.ts';
import {
  cachePath,
  isPrivateDirectory,
  isTrusted,
  keepFromClients,
  PRIVATE_FILE,
  privateDirectory,
  temporaryPath,
  trustedDirectory,
} from '../files/kept-files.ts';
import { errno, writeFailure } from '../files/system-failure.ts';
import type { ScratchFile } from '../types/session.ts';

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
function temporaryDirectory(): string {
  try {
    return trustedDirectory(tmpdir());
  } catch {
    return cacheDirectory();
  }
}

export function sessionDirectory(state: string): string {
  const sessions = privateDirectory(join(state, 'sessions'));
  sweepFiles(sessions, (name) => isOwnName(name) && !isRunning(Number.parseInt(name, 10)));
  return privateDirectory(join(sessions, ownName()));
}

/** Removes old entries of a private directory if `mayRemove` accepts the name, and leftovers of processes that were killed. */
export function sweepFiles(directory: string, mayRemove: (name: string) => boolean): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (isLeftBehind(name) || (mayRemove(name) && isOld(path))) void removeQuietly(path);
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
async function removeNow(directory: string): Promise<void> {
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
export async function removeQuietly(path: string): Promise<void> {
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

// Private temporary files of a session for data too large for memory: mode 0600, and unlinked as soon as they are open.

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const TOO_LARGE = 'This is larger than memory may hold, and it could not be written to a temporary file';

export class ScratchDirectory {
  #directory: string | undefined;
  #files = 0;
  #removed = false;

  /** A new empty file (mode 0600). Throws `LIMIT` if no temporary file can be made, `BUSY` without descriptors. */
  async file(): Promise<ScratchFile> {
    if (this.#removed) throw new OrielError('CANCELLED', 'The session is closed.');
    try {
      return scratchFile(await untilDescriptors(() => this.#create()));
    } catch (error) {
      throw writeFailure(error, TOO_LARGE);
    }
  }

  /** Removes the directory. Later calls of `file` throw. */
  async remove(): Promise<void> {
    this.#removed = true;
    if (this.#directory !== undefined) await removeNow(this.#directory);
  }

  async #create(): Promise<FileHandle> {
    const path = join(this.#checked(), String((this.#files += 1)));
    const handle = await open(path, CREATE, PRIVATE_FILE);
    // An unlinked file disappears with its descriptor, also if the process is killed. Windows refuses to unlink open files.
    await rm(path).catch(() => undefined);
    return handle;
  }

  /** One directory for all files of the session, made again if it is gone: systems remove temporary directories by age. */
  #checked(): string {
    if (this.#directory === undefined || !isPrivateDirectory(this.#directory)) {
      const parent = temporaryDirectory();
      this.#directory = privateDirectory(join(parent, `${PREFIX}${ownName()}`));
      removeAtExit(this.#directory);
      void sweep(parent).catch(() => undefined);
    }
    return this.#directory;
  }
}

const PREFIX = 'oriel-scratch-';

/** Removes the directories of killed processes. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX) || !isLeftBehind(name.slice(PREFIX.length))) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    // Everybody can write to tmp: another user could replace a part of the tree by a link during the removal.
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function scratchFile(handle: FileHandle): ScratchFile {
  let size = 0;
  return {
    fd: handle.fd,
    async append(bytes) {
      await writeAt(handle, bytes, size).catch((error: unknown) => {
        throw writeFailure(error, TOO_LARGE);
      });
      size += bytes.length;
    },
    readInto: (target, offset) => readInto(handle, target, offset),
    // The content is no longer needed, so a failed close does not matter.
    close: () => handle.close().catch(() => undefined),
  };
}

/** Writes all of `bytes`. */
export async function writeAt(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const step = await handle.write(bytes, written, bytes.length - written, at + written);
    written += step.bytesWritten;
  }
}

/** Fills `target`, and returns the number of bytes: fewer only at the end of the file. */
export async function readInto(handle: FileHandle, target: Uint8Array, at: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await handle.read(target, filled, target.length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

// Names of private files that identify the process that made them, so leftovers of a killed process can be removed immediately.

/** Hexadecimal digits that identify the machine and the process id namespace. */
const HERE_DIGITS = 8;

let here: string | undefined;

/** A new name: `PID-` and 16 hexadecimal digits, eight for the machine and eight random ones. */
export function ownName(): string {
  return `${process.pid}-${placeHere() ?? random()}${random()}`;
}

/** Whether `name` is such a name, or that of something that is being removed. */
export function isOwnName(name: string): boolean {
  return /^\d+-[0-9a-f]{16}(?:-removed-\d+)?$/.test(name);
}

/** Whether `name` was made by a process of this machine that no longer runs. */
export function isLeftBehind(name: string): boolean {
  const made = /^(\d+)-([0-9a-f]{8})[0-9a-f]{8}(?:-removed-\d+)?$/.exec(name);
  return made?.[2] !== undefined && made[2] === placeHere() && !isRunning(Number(made[1]));
}

/** Whether a process of this machine has that id. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

/**
 * Identifies the machine (or container) and its boot, because a directory may be shared with others. Undefined if
 * unknown; then leftovers are removed by age.
 */
function placeHere(): string | undefined {
  if (here !== undefined) return here;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const place = `${hostname()}\0${boot}\0${readlinkSync('/proc/self/ns/pid')}`;
    here = createHash('sha256').update(place).digest('hex').slice(0, HERE_DIGITS);
  } catch {
    // No /proc.
  }
  return here;
}

const random = (): string => randomBytes(HERE_DIGITS / 2).toString('hex');

/**
 * File descriptors: opening them, with retries when there are none left, reading at offsets, their stats.
 *
 * Operations that may wait for a disk, a server or another process (finding a name, reading) run in a thread.
 * Operations that a local file system answers from memory run on the main thread: finding a name in a directory that was
 * just used, opening it, its stats, and reading the start of a file that was just read (in `file.ts`). They take 1 to
 * 5 µs; through a thread they would take 20 to 50. `O_NONBLOCK` keeps an open from waiting for a lease. An open may still
 * block on a virus scanner.
 */

import { type BigIntStats, constants, readlinkSync } from 'node:fs';
import * as fs from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isLocalPath, isPathWithin, wasReached } from './paths.ts';
import { errno, isShortage } from './system-failure.ts';

// Resolves a path name by name, each in an open directory, so that nothing outside is touched even if a
// directory is replaced by a link meanwhile. Linux only.

/** Opens without reading rights: nothing blocks on a FIFO, no device notices. Source: asm-generic/fcntl.h. */
export const O_PATH = 0o10000000;

const LOOK = O_PATH | constants.O_NOFOLLOW;
const ENTER = LOOK | constants.O_DIRECTORY;

/** The directory where a walk begins, and its expected identity. */
export interface WalkBase {
  readonly real: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** A descriptor that was opened without reading rights. */
interface PathDescriptor {
  readonly fd: number;
  readonly stats: BigIntStats;
}

export interface ReachedPath extends PathDescriptor {
  /** Real, absolute. */
  readonly path: string;
}

/**
 * Opens `path` (absolute, inside `base`). At a link, returns the path with the link resolved instead; the caller decides
 * whether to follow it. Undefined if `base` was replaced, or a directory of the path was moved out of it. Throws the
 * system's error for a name inside.
 */
export async function walkPath(path: string, base: WalkBase): Promise<ReachedPath | string | undefined> {
  const names = path.slice(base.real.length).split(sep).filter(Boolean);
  const inspector = inspectorOf(path);
  const start = await openBase(base, inspector);
  if (start === undefined || names.length === 0) return start && { ...start, path: base.real };
  let { fd } = start;
  let at = base.real;
  try {
    for (const [i, name] of names.entries()) {
      const inner = `/proc/self/fd/${fd}/${name}`;
      const isLast = i === names.length - 1;
      const found = isLast
        ? await openPathEntry(inner, wasReached(path), inspector)
        : await enter(inner, inspector);
      if (typeof found === 'number') {
        const closing = inspector.close(fd, 0);
        if (closing) await closing;
        fd = found;
        at = join(at, name);
        continue;
      }
      // The base was just opened by its path; a directory in it may have been moved out since it was entered.
      const holder = i === 0 ? base.real : await holderOf(fd, found, inspector);
      if (!isPathWithin(holder, base.real)) {
        await closeFound(found, inspector);
        return undefined;
      }
      if (typeof found === 'object') return { ...found, path: join(holder, name) };
      // If it was a link a moment ago, the path is resolved again.
      return found === undefined ? path : resolve(at, found, ...names.slice(i + 1));
    }
  } catch (error) {
    if (errno(error) !== '' && !isInside(fd, base)) return undefined;
    throw error;
  } finally {
    const closing = inspector.close(fd, 0);
    if (closing) await closing;
  }
  return undefined;
}

/** Any failure to open counts as replaced; how it was replaced is not reported. */
async function openBase(base: WalkBase, inspector: DescriptorInspector): Promise<PathDescriptor | undefined> {
  let fd: number;
  try {
    const opening = inspector.open(base.real, ENTER);
    fd = typeof opening === 'number' ? opening : await opening;
  } catch (error) {
    // Failures of the machine are reported.
    if (isShortage(error) || errno(error) === 'EIO') throw error;
    return undefined;
  }
  const asked = statsOf(fd, inspector);
  const stats = asked instanceof Promise ? await asked : asked;
  if (stats.dev === base.dev && stats.ino === base.ino) return { fd, stats };
  await inspector.close(fd, 0);
  return undefined;
}

/** Opens a directory. Returns the target if it is a link, and undefined if it is being replaced. */
async function enter(path: string, inspector: DescriptorInspector): Promise<number | string | undefined> {
  try {
    return await inspector.open(path, ENTER);
  } catch (error) {
    if (errno(error) !== 'ENOTDIR') throw error;
    const found = await openPathEntry(path, true, inspector);
    if (typeof found !== 'object') return found;
    if (found.stats.isDirectory()) return found.fd;
    await inspector.close(found.fd);
    throw error;
  }
}

/**
 * Opens an entry that is not a link, in a thread if it may have to be read from a disk. Returns the target if
 * it is a link, and undefined if it is being replaced.
 */
export async function openPathEntry(
  path: string,
  isKnown: boolean,
  inspector: DescriptorInspector,
): Promise<PathDescriptor | string | undefined> {
  const opening = isKnown ? inspector.open(path, LOOK) : openDescriptor(path, LOOK);
  const fd = typeof opening === 'number' ? opening : await opening;
  const asked = statsOf(fd, inspector);
  const stats = asked instanceof Promise ? await asked : asked;
  if (!stats.isSymbolicLink()) return { fd, stats };
  await inspector.close(fd, 0);
  try {
    return await inspector.readlink(path);
  } catch (error) {
    if (errno(error) === 'EINVAL' || errno(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Closes the descriptor if its stats cannot be read. */
export function statsOf(fd: number, inspector: DescriptorInspector): BigIntStats | Promise<BigIntStats> {
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await inspector.close(fd);
    throw error;
  };
  try {
    const asked = inspector.stat(fd);
    return asked instanceof Promise ? asked.catch(closeAndThrow) : asked;
  } catch (error) {
    return closeAndThrow(error);
  }
}

/** The current path of the open directory in which `found` was found. Throws for a path over `PATH_MAX`. */
async function holderOf(
  fd: number,
  found: PathDescriptor | string | undefined,
  inspector: DescriptorInspector,
): Promise<string> {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch (error) {
    await closeFound(found, inspector);
    throw error;
  }
}

async function closeFound(
  found: PathDescriptor | string | undefined,
  inspector: DescriptorInspector,
): Promise<void> {
  if (typeof found === 'object') await inspector.close(found.fd);
}

/** Whether an open directory is still inside `base`. */
function isInside(fd: number, base: WalkBase): boolean {
  return isPathWithin(readlinkSync(`/proc/self/fd/${fd}`), base.real);
}

// Opens regular files that oriel wrote, and refuses anything else that has replaced them.

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Throws the system's error, and ENOENT for anything but a regular file. */
export async function openRegular(path: string, inspector: DescriptorInspector): Promise<PathDescriptor> {
  if (!hasDescriptorPaths()) return judged(await openDescriptor(path, READ), inspector);
  // A writer on a FIFO must not notice, and opening a device may have side effects.
  const found = await openPathEntry(path, false, inspector);
  if (typeof found !== 'object') throw NO_FILE;
  try {
    if (!found.stats.isFile()) throw NO_FILE;
    const fd = await inspector.open(`/proc/self/fd/${found.fd}`, READ & ~constants.O_NOFOLLOW);
    return await judged(fd, inspector);
  } finally {
    await inspector.close(found.fd);
  }
}

const NO_FILE = Object.assign(new Error('This is not a regular file.'), { code: 'ENOENT' });

async function judged(fd: number, inspector: DescriptorInspector): Promise<PathDescriptor> {
  const stats = await statsOf(fd, inspector);
  if (stats.isFile()) return { fd, stats };
  await inspector.close(fd);
  throw NO_FILE;
}

const openFile = promisify(fs.open);
const closeFile = promisify(fs.close);
const fstatFile = promisify(fs.fstat) as (fd: number, options: { bigint: true }) => Promise<fs.BigIntStats>;

const IS_PROC_MOUNTED = fs.existsSync('/proc/self/fd');

/**
 * Whether the file of a descriptor has a path, `/proc/self/fd/N`: on Linux, where /proc is mounted. Without it files are opened
 * again by their own paths, and a file that has replaced another meanwhile is recognised by its identity.
 */
export function hasDescriptorPaths(): boolean {
  return process.platform === 'linux' && IS_PROC_MOUNTED;
}

/** What does not hold on Linux without /proc; undefined elsewhere. */
export function missingProc(): string | undefined {
  if (process.platform !== 'linux' || IS_PROC_MOUNTED) return undefined;
  return (
    'There is no /proc here. So a file that is replaced while it is opened may be read before that is noticed, and ' +
    'processes that leave the process group of their command outlive it. Mount /proc to prevent both.'
  );
}

/** Operations on an open descriptor. */
export interface DescriptorInspector {
  /** Whether it is for files on local file systems. */
  readonly isLocal: boolean;
  /** Opens the file of a descriptor again: `/proc/self/fd/N`. */
  open(again: string, flags: number): number | Promise<number>;
  stat(fd: number): fs.BigIntStats | Promise<fs.BigIntStats>;
  readlink(path: string): string | Promise<string>;
  /** `size` of the closed file in bytes, if known. */
  close(fd: number, size?: number): void | Promise<void>;
}

/** Freeing a deleted file of fewer bytes takes no noticeable time. */
const LITTLE = 64 << 10;

/** For files on local file systems. */
const localInspector: DescriptorInspector = {
  isLocal: true,
  open: openOnMainThread,
  stat: (fd) => fs.fstatSync(fd, { bigint: true }),
  readlink: (path) => fs.readlinkSync(path),
  close(fd, size = Number.POSITIVE_INFINITY) {
    // The last close of a deleted file frees its blocks, which takes time in proportion to its size.
    if (size > LITTLE && isDeleted(fd)) return closeDescriptor(fd);
    try {
      fs.closeSync(fd);
    } catch {
      // The descriptor is closed even if `close` reports an error.
    }
  },
};

/** For files on all other file systems. */
const remoteInspector: DescriptorInspector = {
  isLocal: false,
  open: openDescriptor,
  stat: statDescriptor,
  readlink: (path) => fs.promises.readlink(path),
  close: closeDescriptor,
};

/** The inspector for `path` (absolute, real). */
export function inspectorOf(path: string): DescriptorInspector {
  return isLocalPath(path) ? localInspector : remoteInspector;
}

function isDeleted(fd: number): boolean {
  try {
    return fs.fstatSync(fd).nlink === 0;
  } catch {
    return false;
  }
}

/** How long an open waits for others to close descriptors, in ms. */
const RETRY_MS = 2_000;

/** Milliseconds between two attempts: at first, and at most. */
const INITIAL_RETRY_WAIT_MS = 5;
const MAX_RETRY_WAIT_MS = 100;

/**
 * Retries `attempt` while there are no descriptors left, and returns its result. `attempt` must close what it
 * has opened when it fails. Otherwise two attempts that need a second descriptor could deadlock.
 */
export async function untilDescriptors<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const until = performance.now() + RETRY_MS;
  for (let wait = INITIAL_RETRY_WAIT_MS; ; wait = Math.min(wait * 2, MAX_RETRY_WAIT_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isShortage(error) || performance.now() > until) throw error;
      await sleep(wait, undefined, signal && { signal });
    }
  }
}

/** Opens in a thread, without retries. */
export function openDescriptor(path: string, flags: number): Promise<number> {
  return openFile(path, flags);
}

/** Only for files whose metadata the system has in memory. */
export function openOnMainThread(path: string, flags: number): number {
  return fs.openSync(path, flags);
}

export async function closeDescriptor(fd: number): Promise<void> {
  await closeFile(fd).catch(() => undefined);
}

function statDescriptor(fd: number): Promise<fs.BigIntStats> {
  return fstatFile(fd, { bigint: true });
}

/** Fills `target` from byte `offset`; fewer bytes only at the end of the file. */
export async function readDescriptor(
  fd: number,
  target: Uint8Array,
  offset: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    signal?.throwIfAborted();
    const got = await readOnce(fd, target, filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function readOnce(fd: number, target: Uint8Array, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, target, at, target.length - at, position, (error, got) => {
      if (error) reject(error);
      else resolve(got);
    });
  });
}

/** How many descriptors this process may have; undefined if unknown. Source: proc_pid_limits(5). */
export function maxDescriptors(): number | undefined {
  try {
    const limits = fs.readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]) || undefined;
  } catch {
    return undefined;
  }
}

// Tracks the sessions that have run commands: with the last of them the pool of pipes is closed.

/** The private directories of these sessions, in which the FIFOs are made. */
const directories = new Set<string>();
let closeSpare: (() => void) | undefined;

/** `close` closes the pool of pipes. */
export function usePipes(directory: string, close: () => void): void {
  directories.add(directory);
  closeSpare = close;
}

export function leavePipes(directory: string): void {
  if (directories.delete(directory) && directories.size === 0) closeSpare?.();
}

export function arePipesInUse(): boolean {
  return directories.size > 0;
}

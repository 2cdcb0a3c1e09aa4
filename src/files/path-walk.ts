/**
 * Resolves a path name by name, each in an open directory, so that nothing outside is touched even if a directory is
 * replaced by a link meanwhile. Linux only.
 */

import { type BigIntStats, constants } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import {
  type DescriptorInspector,
  hasDescriptorPaths,
  inspectorOf,
  openDescriptor,
  statsOf,
  targetOf,
} from './descriptors.ts';
import { isPathWithin } from './paths.ts';
import { errno, isShortage } from './system-failure.ts';

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
      const found = isLast ? await openPathEntry(inner, inspector) : await enter(inner, inspector);
      if (typeof found === 'number') {
        await inspector.close(fd, 0);
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
    await inspector.close(fd, 0);
  }
  return undefined;
}

/** Any failure to open counts as replaced; how it was replaced is not reported. */
async function openBase(base: WalkBase, inspector: DescriptorInspector): Promise<PathDescriptor | undefined> {
  let fd: number;
  try {
    fd = await inspector.open(base.real, ENTER);
  } catch (error) {
    // Failures of the machine are reported.
    if (isShortage(error) || errno(error) === 'EIO') throw error;
    return undefined;
  }
  const stats = await statsOf(fd, inspector);
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
    const found = await openPathEntry(path, inspector);
    if (typeof found !== 'object') return found;
    if (found.stats.isDirectory()) return found.fd;
    await inspector.close(found.fd);
    throw error;
  }
}

/** Opens an entry that is not a link. Returns the target if it is a link, and undefined if it is being replaced. */
async function openPathEntry(
  path: string,
  inspector: DescriptorInspector,
): Promise<PathDescriptor | string | undefined> {
  const fd = await inspector.open(path, LOOK);
  const stats = await statsOf(fd, inspector);
  if (!stats.isSymbolicLink()) return { fd, stats };
  await inspector.close(fd, 0);
  try {
    return await inspector.readlink(path);
  } catch (error) {
    if (errno(error) === 'EINVAL' || errno(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The current path of the open directory in which `found` was found. Throws for a path over `PATH_MAX`. */
async function holderOf(
  fd: number,
  found: PathDescriptor | string | undefined,
  inspector: DescriptorInspector,
): Promise<string> {
  try {
    return targetOf(`/proc/self/fd/${fd}`);
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
  return isPathWithin(targetOf(`/proc/self/fd/${fd}`), base.real);
}

// Opens regular files that oriel wrote, and refuses anything else that has replaced them.

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Throws the system's error, and ENOENT for anything but a regular file. */
export async function openRegular(path: string, inspector: DescriptorInspector): Promise<PathDescriptor> {
  if (!hasDescriptorPaths()) return judged(await openDescriptor(path, READ), inspector);
  // A writer on a FIFO must not notice, and opening a device may have side effects.
  const found = await openPathEntry(path, inspector);
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

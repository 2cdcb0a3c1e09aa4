/**
 * Opens local files and directories. A path is first opened without reading rights (`O_PATH`): nothing blocks
 * on a FIFO and no device notices. The type and place of the handle are checked, and only then it is opened
 * for reading, through the handle and not through the path, which may have changed.
 */

import { type BigIntStats, constants, readlinkSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { OrielError } from '../errors.ts';
import { fitTo } from '../queues/queue-table.ts';
import { Identity } from '../identity.ts';
import { quote } from '../text/visible.ts';
import type { Access, Opened, OpenedFile } from '../types/access.ts';
import { memoryBytes } from './bytes.ts';
import {
  closeDescriptor,
  hasDescriptorPaths,
  type Inspector,
  inspectorOf,
  mostDescriptors,
  openDescriptor,
  openOnMainThread,
  readDescriptor,
  untilDescriptors,
} from './descriptors.ts';
import { openedDirectory } from './directory.ts';
import { errno, failure, isShortage } from './system-failure.ts';
import { openedFile } from './file.ts';
import { isKernelFile, nameInKernel, refuseProcessSecret, withoutTokens } from './kernel-files.ts';
import { noteReached, wasReached } from './mounts.ts';
import { isKeptAt, keptFromClients } from './private-files.ts';
import { absolutePath, within } from './paths.ts';
import { O_PATH, statsOf } from './path-walk.ts';
import { Roots } from './roots.ts';

export interface AccessOptions {
  readonly cwd: string;
  /** The roots: nothing outside these directories is opened. Empty for no restriction. */
  readonly roots: readonly string[];
  /** Directories in which kernel files may be read anyway: `/proc`, `/sys`. */
  readonly allow: readonly string[];
  /**
   * Whether an absolute path is a file of oriel that may be read although it is outside the roots: a spill of
   * the session.
   */
  ours?(path: string): boolean;
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Kernel files report a size of 0, so at most this many bytes are read. */
const KERNEL_FILE_BYTES = 1 << 20;

/** File names that would be taken for a URL or a home directory if they were typed: `https:/host/x.ts`. */
const MISTAKEN = /^(?:https?:|[a-z][a-z\d+.-]*:\/|www\.[^/]*[:?#]|~(?:\/|$))/i;

/** Empty, `.` and `..` parts of a path. A path without them only needs its prefix removed. */
const UNCLEAN = /(?:^|[\\/])\.{0,2}(?:[\\/]|$)/;

const descriptors = mostDescriptors();
if (descriptors !== undefined) fitTo(descriptors);

/** The error for token files of the server and for files that it keeps for its clients. */
function keptPlace(shown: string): OrielError {
  return new OrielError(
    'DENIED',
    `${quote(shown)} belongs to the server itself and is not read. Use . to list the working directory.`,
    { next: '.' },
  );
}

export function createAccess(options: AccessOptions): Access {
  const roots = new Roots(options.roots, options.cwd);
  const { cwd } = options;
  const below = cwd.endsWith(sep) ? cwd : cwd + sep;
  const display = (path: string): string => {
    const rest = path.startsWith(below) ? path.slice(below.length) : '';
    const inside = rest !== '' && !UNCLEAN.test(rest) ? rest : relative(cwd, path);
    if (inside === '') return '.';
    if (!within(path, cwd) || inside.startsWith('..')) return path;
    return MISTAKEN.test(inside) ? `./${inside}` : inside;
  };

  function open(path: string, signal?: AbortSignal): Promise<Opened> {
    const attempt = (): Promise<Opened> => openNow(path, signal);
    return attempt().catch(async (error: unknown) => {
      if (!isShortage(error)) throw error;
      return untilDescriptors(attempt, signal).catch((last: unknown) => {
        signal?.throwIfAborted();
        throw failure(last, display(path));
      });
    });
  }

  /** A shortage of descriptors is rethrown after everything was closed. */
  async function openNow(path: string, signal?: AbortSignal): Promise<Opened> {
    signal?.throwIfAborted();
    const shown = (): string => display(path);
    const ours = options.ours?.(path);
    if (!roots.mayName(path) && !ours) throw roots.outside(shown());
    refuseProcessSecret(path, shown);
    const handle = await (ours || !roots.any ? look(path) : lookInside(path, shown)).catch(
      (error: unknown) => {
        throw isShortage(error) ? error : failure(error, shown());
      },
    );
    try {
      const inside = handle.inside || (await roots.holds(handle.path));
      const kept = keptFromClients(roots.paths);
      const isOpen = inside && !isKeptAt(kept, handle.path, handle.stats);
      if (!isOpen && !options.ours?.(handle.path)) throw inside ? keptPlace(shown()) : roots.outside(shown());
      refuseSpecial(handle.stats, shown);
      const asked = isKernelFile(handle.path, handle.again, handle.stats.dev);
      const kernel = typeof asked === 'boolean' ? asked : await asked;
      if (kernel && !options.allow.some((directory) => within(handle.path, directory))) {
        throw new OrielError('NOT_REGULAR', `${quote(shown())} is a kernel file, not a stored file.`);
      }
      const kernelName = kernel ? nameInKernel(handle.fd, handle.path, shown) : undefined;
      const { inspector } = handle;
      const opening = inspector.open(handle.again, READ);
      const fd = typeof opening === 'number' ? opening : await opening;
      const stats = await identify(fd, handle);
      if (stats.isDirectory()) return openedDirectory(fd, handle.path, stats, inspector, kept);
      if (kernelName !== undefined && stats.size === 0n)
        return await kernelFile(fd, handle, stats, kernelName, signal);
      return openedFile(fd, handle.path, stats, inspector, (suffix) => sibling(handle.path + suffix));
    } catch (error) {
      signal?.throwIfAborted();
      throw isShortage(error) ? error : failure(error, shown());
    } finally {
      const releasing = handle.release();
      if (releasing) await releasing;
    }
  }

  /** Resolves a path without opening it and without touching anything outside the roots. */
  async function lookInside(path: string, shown: () => string): Promise<Handle> {
    if (!hasDescriptorPaths()) return lookByPath(await roots.resolve(path, shown));
    const { fd, stats, path: real } = await roots.find(path, shown);
    const handle = handleOf(fd, real, stats);
    noteReached(real);
    return { ...handle, inside: true };
  }

  async function sibling(path: string): Promise<OpenedFile | undefined> {
    const opened = await open(path).catch((error: unknown) => {
      if (error instanceof OrielError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    if (opened?.is === 'file') return opened;
    await opened?.close();
    return undefined;
  }

  return { cwd, roots: roots.paths, absolute: (typed) => absolutePath(typed, cwd), open, display };
}

interface Handle {
  /** Real path of what the path led to. */
  readonly path: string;
  /** Whether it was found without leaving the roots. */
  readonly inside?: boolean;
  readonly stats: BigIntStats;
  /** A path that opens the same thing again. */
  readonly again: string;
  readonly inspector: Inspector;
  readonly fd?: number;
  release(): void | Promise<void>;
}

/** Resolves a path without opening it. */
async function look(path: string): Promise<Handle> {
  if (!hasDescriptorPaths()) return lookByPath(path);
  if (wasReached(path)) {
    const handle = await lookThrough(openOnMainThread(path, O_PATH | constants.O_NOFOLLOW));
    if (!handle.stats.isSymbolicLink()) return handle;
    // It is a link, which may lead to a slow file system.
    await handle.release();
  }
  const handle = await lookThrough(await openDescriptor(path, O_PATH));
  if (handle.path === path) noteReached(path);
  return handle;
}

async function lookThrough(fd: number): Promise<Handle> {
  try {
    // Synchronous, because the kernel has the path in memory.
    const real = readlinkSync(`/proc/self/fd/${fd}`);
    const stats = await inspectorOf(real).stat(fd);
    return handleOf(fd, placeOf(real, stats), stats);
  } catch (error) {
    await closeDescriptor(fd);
    throw error;
  }
}

function handleOf(fd: number, path: string, stats: BigIntStats): Handle {
  const inspector = inspectorOf(path);
  const release = (): void | Promise<void> => inspector.close(fd, Number(stats.size));
  return { path, stats, again: `/proc/self/fd/${fd}`, inspector, fd, release };
}

/**
 * Linux adds a suffix to the path of a deleted file. If the file still has a name, the suffix is part of that
 * name: otherwise a directory `work (deleted)` beside the root `work` would be taken for the root.
 */
function placeOf(real: string, { nlink }: BigIntStats): string {
  return nlink === 0n ? real.replace(/ \(deleted\)$/, '') : real;
}

/** If there is no `/proc/self/fd`: place and identity are compared after opening instead. */
async function lookByPath(path: string): Promise<Handle> {
  const real = await realpath(path);
  const stats = await stat(real, { bigint: true });
  return { path: real, stats, again: real, inspector: inspectorOf(real), release: () => undefined };
}

/** Checks that the opened file is the one that was resolved before. Otherwise closes it and throws `BUSY`. */
async function identify(fd: number, { inspector, stats: seen, path, again }: Handle): Promise<BigIntStats> {
  const asked = statsOf(fd, inspector);
  const stats = asked instanceof Promise ? await asked : asked;
  if (isSameFile(stats, seen) && (again !== path || (await isStillAt(path, stats)))) return stats;
  await inspector.close(fd);
  throw new OrielError('BUSY', `${quote(path)} was replaced while it was being opened. Call again.`);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Whether the file is at its real path, without a link on the way that may have been there when it was opened. */
async function isStillAt(path: string, stats: BigIntStats): Promise<boolean> {
  const isLinked = (await realpath(path).catch(() => '')) !== path;
  const now = await lstat(path, { bigint: true }).catch(() => undefined);
  return !isLinked && now !== undefined && isSameFile(now, stats);
}

function refuseSpecial(stats: BigIntStats, shown: () => string): void {
  if (stats.isFile() || stats.isDirectory()) return;
  const what = stats.isFIFO()
    ? 'a FIFO'
    : stats.isSocket()
      ? 'a socket'
      : stats.isCharacterDevice()
        ? 'a character device'
        : stats.isBlockDevice()
          ? 'a block device'
          : 'not a regular file';
  throw new OrielError(
    'NOT_REGULAR',
    `${quote(shown())} is ${what}; only regular files and directories are read.`,
  );
}

/** Reads the content into memory, because a kernel file reports a size of 0 and every read may differ. */
async function kernelFile(
  fd: number,
  { path, inspector }: Handle,
  stats: BigIntStats,
  kernelName: string,
  signal?: AbortSignal,
): Promise<Opened> {
  const buffer = Buffer.alloc(KERNEL_FILE_BYTES);
  let got = 0;
  try {
    got = await readDescriptor(fd, buffer, 0, signal);
  } catch (error) {
    if (errno(error) !== 'EAGAIN') throw error;
  } finally {
    await inspector.close(fd);
  }
  const content = buffer.subarray(0, got);
  const shown = kernelName.endsWith('/cmdline') ? withoutTokens(content) : content;
  const bytes = memoryBytes(shown, Identity.once('kernel'));
  return {
    is: 'file',
    path,
    size: shown.length,
    mtimeMs: Number(stats.mtimeMs),
    bytes,
    close: () => Promise.resolve(),
  };
}

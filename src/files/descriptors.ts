/**
 * File descriptors: opening them, with retries when there are none left, reading at offsets, their stats.
 *
 * Operations that may wait for a disk, a server or another process (finding a name, reading) run in a thread.
 * Operations that a local file system answers from memory run on the main thread: finding a name in a directory that was
 * just used, opening it, its stats, and reading the start of a file (in `file.ts`). They take 1 to
 * 5 µs; through a thread they would take 20 to 50. `O_NONBLOCK` keeps an open from waiting for a lease. An open may still
 * block on a virus scanner.
 */

import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { decodeText } from '../text/encoding.ts';
import { isLocalPath } from './mounts.ts';
import { exactPath, systemPath } from './paths.ts';
import { isShortage } from './system-failure.ts';

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
  readlink: targetOf,
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
  stat: (fd) => fstatFile(fd, { bigint: true }),
  readlink: async (path) => decodeText(await fs.promises.readlink(systemPath(path), 'buffer')),
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
  return openFile(systemPath(path), flags);
}

/** The target of a link. Blocks. */
export function targetOf(path: string): string {
  return exactPath((encoding) => fs.readlinkSync(systemPath(path), encoding));
}

/** Only for files whose metadata the system has in memory. */
export function openOnMainThread(path: string, flags: number): number {
  return fs.openSync(systemPath(path), flags);
}

export async function closeDescriptor(fd: number): Promise<void> {
  await closeFile(fd).catch(() => undefined);
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

/** Both ends of a pipe, which no other process has. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Pipes for the output of the next commands; they are closed with any session, and made again when they are needed. */
export const sparePipes: PipeEnds[] = [];

export function closeSparePipes(): void {
  for (const ends of sparePipes.splice(0)) closePipe(ends);
}

export function closePipe({ readEnd, writeEnd }: PipeEnds): void {
  fs.closeSync(writeEnd);
  fs.closeSync(readEnd);
}

/** Closes the descriptor if its stats cannot be read. */
export async function statsOf(fd: number, inspector: DescriptorInspector): Promise<fs.BigIntStats> {
  try {
    return await inspector.stat(fd);
  } catch (error) {
    await inspector.close(fd);
    throw error;
  }
}

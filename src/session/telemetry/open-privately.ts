/** Opens a telemetry file for appending. It must be a private regular file of this user, not a link or a FIFO. */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivate, PRIVATE_FILE, trustedDirectory } from '../../access/private-files.ts';
import { errno, UnsafeDirectory } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens or creates the file (mode 0600). Throws OrielError (`BAD_INPUT`) if it is not acceptable. */
export async function openPrivately(path: string): Promise<FileHandle> {
  checkParents(path);
  const handle = await open(path, APPEND, PRIVATE_FILE).catch((cause: unknown) => {
    throw failedToOpen(path, cause);
  });
  try {
    checkFile(path, handle.fd, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The synchronous `openPrivately`; returns the descriptor. */
export function openNow(path: string): number {
  checkParents(path);
  let fd: number;
  try {
    fd = openSync(path, APPEND, PRIVATE_FILE);
  } catch (cause) {
    throw failedToOpen(path, cause);
  }
  try {
    checkFile(path, fd, fstatSync(fd));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Whether the file ends without a newline; false if it cannot be read. */
export function endsTorn(path: string): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Throws if another account could put another file in its place. */
function checkParents(path: string): void {
  try {
    trustedDirectory(dirname(path));
  } catch (cause) {
    throw failedToOpen(path, cause);
  }
}

/** Makes it private. Throws for anything but a regular file of this user with one hard link. */
function checkFile(path: string, fd: number, stats: Stats): void {
  if (!stats.isFile()) throw refused(path, 'it is not a regular file');
  if (process.getuid && stats.uid !== process.getuid()) throw refused(path, 'it belongs to another user');
  if (stats.nlink > 1) throw refused(path, 'it has several names');
  makePrivate(fd, stats);
}

function failedToOpen(path: string, cause: unknown): OrielError {
  const why = cause instanceof UnsafeDirectory ? cause.message : (WHY[errno(cause)] ?? errno(cause));
  return refused(path, why, cause);
}

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENOENT: 'its directory does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ENXIO: 'it is not a regular file',
};

function refused(path: string, why: string, cause?: unknown): OrielError {
  return new OrielError('BAD_INPUT', `Telemetry cannot be written to ${quote(path)}: ${why}.`, { cause });
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Checks at program start that `path` is writable. Throws OrielError (`BAD_INPUT`), but not for a full disk. */
export function checkTelemetryFile(path: string): void {
  try {
    closeSync(openNow(path));
  } catch (error) {
    if (!FULL.has(errno((error as OrielError).cause))) throw error;
  }
}

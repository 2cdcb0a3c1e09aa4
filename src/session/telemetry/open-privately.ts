/** Opens a file of telemetry to append to it: private, and never through a link, a FIFO or a file of somebody else. */

import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errno } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens what may be written. Throws OrielError (`BAD_INPUT`). */
export async function openPrivately(path: string): Promise<FileHandle> {
  const handle = await open(path, APPEND, 0o600).catch((cause: unknown) => {
    throw failedToOpen(path, cause);
  });
  try {
    if (isPrivate(path, await handle.stat())) return handle;
    await handle.chmod(0o600);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** As `openPrivately`, at once. */
export function openNow(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, APPEND, 0o600);
  } catch (cause) {
    throw failedToOpen(path, cause);
  }
  try {
    if (!isPrivate(path, fstatSync(fd))) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Whether the last line has no end. Where that cannot be seen it is taken to have one. */
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

/** Whether nobody else may read it. Throws for what is no regular file of this user with one name. */
function isPrivate(path: string, stats: Stats): boolean {
  if (!stats.isFile()) throw refused(path, 'it is not a regular file');
  if (process.getuid && stats.uid !== process.getuid()) throw refused(path, 'it belongs to another user');
  if (stats.nlink > 1) throw refused(path, 'it has several names');
  return (stats.mode & 0o077) === 0;
}

function failedToOpen(path: string, cause: unknown): OrielError {
  return refused(path, WHY[errno(cause)] ?? errno(cause), cause);
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

/** Checks at the start of a program that `path` can be written. Throws OrielError (`BAD_INPUT`); not for a full disk. */
export function checkTelemetryFile(path: string): void {
  try {
    closeSync(openNow(path));
  } catch (error) {
    if (!FULL.has(errno((error as OrielError).cause))) throw error;
  }
}

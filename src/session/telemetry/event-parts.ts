/** Opens a file of telemetry and its rotated parts, which belong to it. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errno } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { ROTATED } from './rotate.ts';

/**
 * The handles of those that are there, the oldest first; `path` itself is the last one. Throws OrielError (`NOT_FOUND`,
 * `BAD_INPUT`) where `path` cannot be read; `command` is what the error names.
 */
export async function openParts(path: string, command: string): Promise<FileHandle[]> {
  const parts: FileHandle[] = [];
  try {
    // The youngest first: one that is rotated meanwhile is then met twice, which is seen, and never missed.
    for (let n = 0; n <= ROTATED; n += 1) {
      const part = await openPart(path, n, command);
      if (part && !(await isAmong(parts, part))) parts.unshift(part);
      else await part?.close();
    }
    return parts;
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
}

async function openPart(path: string, n: number, command: string): Promise<FileHandle | undefined> {
  const name = n === 0 ? path : `${path}.${n}`;
  let handle: FileHandle;
  try {
    handle = await open(name, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (n > 0) return undefined;
    const missing = errno(cause) === 'ENOENT';
    const why = missing ? 'does not exist' : `cannot be read (${errno(cause)})`;
    throw unreadable(missing ? 'NOT_FOUND' : 'BAD_INPUT', `${quote(path)} ${why}`, command, cause);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  if (n > 0) return undefined;
  throw unreadable('BAD_INPUT', `${quote(path)} is not a file of telemetry`, command);
}

async function isAmong(parts: readonly FileHandle[], part: FileHandle): Promise<boolean> {
  const { ino, dev } = await part.stat();
  for (const other of parts) {
    const stats = await other.stat();
    if (stats.ino === ino && stats.dev === dev) return true;
  }
  return false;
}

function unreadable(
  code: 'NOT_FOUND' | 'BAD_INPUT',
  what: string,
  command: string,
  cause?: unknown,
): OrielError {
  return new OrielError(code, `${what}. Use ${command} with a file that --telemetry FILE wrote.`, { cause });
}

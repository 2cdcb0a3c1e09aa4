/** Opens a telemetry file together with its rotated parts. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errno } from '../../access/system-failure.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import { ROTATED } from './rotate.ts';

/**
 * The handles of all existing parts, oldest first; `path` itself is last. Throws OrielError (`NOT_FOUND`, `BAD_INPUT`)
 * if `path` cannot be read; the error suggests `command`.
 */
export async function openParts(path: string, command: string): Promise<FileHandle[]> {
  const parts: FileHandle[] = [];
  try {
    // Newest first: a part that is rotated meanwhile is then found twice (which is detected), but never missed.
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

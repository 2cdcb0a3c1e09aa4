/** Where hooks and their helper meet: a socket in a directory that only this user can enter. Loads nothing else. */

import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Paths of sockets have at most 103 bytes on every system. */
const MAX_SOCKET_PATH_BYTES = 100;

/** What a helper replies before its answer. */
export const REPLY = { answer: '+', nothing: '=', otherVersion: '-' } as const;

/** The path of the socket, in a directory that is made if it is missing. Undefined if others could have put it there. */
export function meetingPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  // A named pipe of Windows has no directory that keeps others out.
  if (process.platform === 'win32') return undefined;
  const uid = process.getuid?.() ?? userInfo().uid;
  const runtime = env['XDG_RUNTIME_DIR'];
  const places = [
    ...(runtime !== undefined && isAbsolute(runtime) ? [join(runtime, 'oriel')] : []),
    join(tmpdir(), `oriel-hook-${uid}`),
  ];
  for (const directory of places) {
    const path = join(directory, 'helper.sock');
    if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES && isPrivate(directory, uid)) return path;
  }
  return undefined;
}

function isPrivate(directory: string, uid: number): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // It is there, or its parent is missing.
  }
  try {
    const stats = lstatSync(directory);
    return stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** What differs between two versions, or two builds, of the command line at `path`. */
export function versionKey(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  return JSON.stringify([path, size, mtimeMs, ino]);
}

/** Where hooks and their helper meet: a socket in a directory that only this user can enter. Loads nothing else. */

import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Paths of sockets have at most 103 bytes on every system; behind this one stands a dot with the number of a process. */
const MAX_SOCKET_PATH_BYTES = 95;

/** What a helper replies before its answer. */
export const REPLY = { answer: '+', nothing: '=', otherVersion: '-' } as const;

/** The path of a link to the socket, in a directory that is made if it is missing. Undefined if others could have put it there. */
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
    const [stats, parent] = [lstatSync(directory), statSync(dirname(directory))];
    // In a directory without the sticky bit others rename what is there.
    const others = parent.gid === uid ? 0o002 : 0o022;
    if ((parent.mode & others) !== 0 && (parent.mode & 0o1000) === 0) return false;
    // Root may be of another user namespace.
    if (![uid, 0, lstatSync('/').uid].includes(parent.uid)) return false;
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

/** Outputs of commands with fewer characters are left alone, and so are texts. */
export const MIN_OUTPUT_CHARACTERS = 4_096;

/** Above this an agent's own tool refuses to read a text whole. */
export const MAX_OWN_READ_BYTES: number = 256 << 10;

/** Names of files that an agent's own tool for text cannot read, with the part that is meant behind. */
const OTHER_FILES =
  /\.(?:zip|jar|whl|apk|tar|tgz|tbz2?|txz|gz|bz2|xz|zst|7z|rar|deb|rpm|cpio|iso|cab|sqlite3?|db3?|docx?|xlsx?|pptx?|odt|ods|odp|epub|rtf|parquet)(?:[:/?].*)?$/i;

export function isOtherFile(path: string): boolean {
  return OTHER_FILES.test(path);
}

/** Whether the helper may have an answer, so that it need not be started for every small read. */
export function isWorthAsking(event: string): boolean {
  if (!event.includes('"PreToolUse"')) {
    if (/"tool_name":\s*"(?:Grep|Glob)"/.test(event))
      return /"truncated":\s*true|"appliedLimit":\s*\d/.test(event);
    return event.length > MIN_OUTPUT_CHARACTERS || /file_unchanged|File too large to read/.test(event);
  }
  const { tool_input: input } = JSON.parse(event) as { tool_input?: { file_path?: unknown } };
  const path = input?.file_path;
  if (typeof path !== 'string') return false;
  if (isOtherFile(path) || /[/\\]hook[/\\][0-9a-f]{24}\.txt$/.test(path)) return true;
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_OWN_READ_BYTES;
}

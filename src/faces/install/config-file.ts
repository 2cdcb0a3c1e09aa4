/** Reads configuration files of the user and replaces them in one step, so that no moment shows a half of one. */

import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OrielError } from '../../errors.ts';
import { errno, systemError } from '../../files/system-failure.ts';
import { isRunning } from '../../session/directories.ts';
import { quote } from '../../text/visible.ts';

export interface ConfigFile {
  /** The real path: a link is followed, so that it stays a link. */
  readonly path: string;
  /** The content without a byte order mark; undefined if there is no file. */
  readonly text: string | undefined;
  readonly bom: string;
  readonly mode?: number | undefined;
}

const OWNER_WRITE = 0o200;
const BOM = '\uFEFF';

/** Throws an OrielError that says why a file cannot be changed. */
export function readConfigFile(path: string): ConfigFile {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false }))
      return { path: realName(path), text: undefined, bom: '' };
    const real = realpathSync(path);
    const stats = statSync(real);
    const { mode, uid, nlink } = stats;
    const refused = (why: string): OrielError =>
      new OrielError('READ_ONLY', `${quote(path)} ${why}: it was left as it is.`);
    if (!stats.isFile()) throw refused('is not a regular file');
    if (process.getuid && uid !== process.getuid()) throw refused('belongs to another user');
    if ((mode & OWNER_WRITE) === 0) throw refused('is read-only');
    if (nlink > 1) throw refused('has hard links, which a replacement would separate');
    return { path: real, mode: mode & 0o7777, ...decoded(readFileSync(real), path) };
  } catch (error) {
    if (errno(error) === 'ENOENT')
      throw new OrielError('NOT_FOUND', `${quote(path)} is a link to a file that does not exist.`, {
        cause: error,
      });
    throw systemError(error, path);
  }
}

/** The real path of a file that does not exist. */
function realName(path: string): string {
  const parent = dirname(path);
  return join(existsSync(parent) ? realpathSync(parent) : realName(parent), basename(path));
}

function decoded(bytes: Uint8Array, path: string): { text: string; bom: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(BOM) ? { text: text.slice(1), bom: BOM } : { text, bom: '' };
  } catch (cause) {
    throw new OrielError('UNSUPPORTED', `${quote(path)} is not UTF-8: it was left as it is.`, { cause });
  }
}

/**
 * Writes `text` in place of `file`, or removes it if undefined. False if somebody else changed it since it was read: then
 * nothing is written. Throws an OrielError if it cannot be written.
 */
export function replaceConfigFile(file: ConfigFile, text: string | undefined): boolean {
  const { path, bom, mode } = file;
  const temporary = `${temporaryPrefix(path)}${process.pid}`;
  try {
    sweep(path);
    if (text === undefined) {
      if (!isUnchanged(file)) return false;
      rmSync(path);
      return true;
    }
    const fd = openSync(temporary, 'wx', mode ?? 0o600);
    try {
      writeFileSync(fd, bom + text);
      if (mode !== undefined) fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    // The time between the comparison and the replacement is as short as it can be without a lock that hosts do not know.
    if (!isUnchanged(file)) return false;
    renameSync(temporary, path);
    return true;
  } catch (error) {
    const why = errno(error);
    throw new OrielError('READ_ONLY', `${quote(path)} could not be written (${why}).`, { cause: error });
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isUnchanged({ path, text, bom }: ConfigFile): boolean {
  if (text === undefined) return !existsSync(path);
  try {
    return readFileSync(path).equals(Buffer.from(bom + text));
  } catch {
    return false;
  }
}

const temporaryPrefix = (path: string): string => join(dirname(path), `.${basename(path)}.oriel-`);

/** Removes what killed processes left beside `path`. */
function sweep(path: string): void {
  const prefix = temporaryPrefix(path);
  for (const name of readdirSync(dirname(path))) {
    const left = join(dirname(path), name);
    const pid = left.startsWith(prefix) ? Number(left.slice(prefix.length)) : Number.NaN;
    // An earlier process may have had the number of this one.
    if (pid === process.pid || (Number.isInteger(pid) && !isRunning(pid))) rmSync(left, { force: true });
  }
}

export function makeDirectory(path: string): string | undefined {
  try {
    return mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new OrielError('READ_ONLY', `${quote(path)} could not be made (${errno(error)}).`, {
      cause: error,
    });
  }
}

/** Removes empty directories, from `path` up to `top`. */
export function removeEmpty(path: string, top: string): void {
  try {
    for (let at = path; at.startsWith(top); at = dirname(at)) rmdirSync(at);
  } catch {
    // It is in use.
  }
}

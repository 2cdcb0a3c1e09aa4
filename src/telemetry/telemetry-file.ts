/**
 * Appends events to a private file as lines of JSON and rotates it. Events that cannot be written are dropped and
 * counted; no call fails because of them.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OrielError } from '../errors.ts';
import { keepFromClients, makePrivate, PRIVATE_FILE, trustedDirectory } from '../files/kept-files.ts';
import { errno, UnsafeDirectory } from '../files/system-failure.ts';
import { quote, safeJson } from '../text/visible.ts';
import type { TelemetryEvent } from '../types/telemetry.ts';

export interface TelemetryFileOptions {
  readonly path: string;
  /** Bytes after which the file is rotated to `PATH.1`. @default 16 MiB */
  readonly rotateAt?: number | undefined;
  /** Called with the first failure of each kind. */
  readonly onError?: (error: unknown) => void;
}

const ROTATE_AT: number = 16 << 20;

/** The most characters that wait to be written; beyond it events are dropped. */
const MAX_WAITING_CHARACTERS = 4 << 20;

/** If the file cannot be rotated, events are dropped when it has this many times the size of a rotation. */
const MAX_UNROTATED_SIZES = 2;

export class TelemetryFile {
  readonly #path: string;
  readonly #rotateAt: number;
  readonly #onError: (error: unknown) => void;
  /** Lines that are not written yet. They are ASCII. */
  #waiting: string[] = [];
  #characters = 0;
  #dropped = 0;
  readonly #told = new Set<string>();

  constructor({ path, rotateAt = ROTATE_AT, onError = () => undefined }: TelemetryFileOptions) {
    this.#path = path;
    for (const part of [path, ...rotatedParts(path)]) keepFromClients(part);
    this.#rotateAt = rotateAt;
    this.#onError = onError;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Adds an event to those that `flush` writes. */
  add(event: TelemetryEvent): void {
    const line = `${safeJson(event)}\n`;
    if (this.#characters + line.length > MAX_WAITING_CHARACTERS) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#characters += line.length;
  }

  /** Writes all events added before, or drops them. Never throws. */
  flush(): void {
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    let written = 0;
    let fd: number | undefined;
    try {
      fd = this.#open();
      // After a killed process or on a full disk the last line is incomplete; these begin on a new one.
      const before = endsTorn(this.#path) ? '\n' : '';
      // One write call for whole lines, so that lines of several processes do not mix. It may be short on a full disk.
      const bytes = Buffer.from(before + lines.join(''), 'latin1');
      written -= before.length;
      while (written < bytes.length - before.length) written += writeSync(fd, bytes, written + before.length);
    } catch (error) {
      for (const line of lines) {
        written -= line.length;
        if (written < 0) this.#dropped += 1;
      }
      this.#tell(error);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  /** Opens the file, rotated first if it is full. */
  #open(): number {
    const fd = openPrivately(this.#path);
    if (fstatSync(fd).size < this.#rotateAt) return fd;
    closeSync(fd);
    try {
      rotate(this.#path, this.#rotateAt);
    } catch (error) {
      this.#tell(error);
      if (lstatSync(this.#path).size >= MAX_UNROTATED_SIZES * this.#rotateAt) throw error;
    }
    return openPrivately(this.#path);
  }

  #tell(error: unknown): void {
    const code = errno(error);
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#onError(error);
  }
}

// Opens a telemetry file for appending. It must be a private regular file of this user, not a link or a FIFO.

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens or creates the file (mode 0600). Throws OrielError (`BAD_INPUT`) if it is not acceptable. */
function openPrivately(path: string): number {
  let fd: number;
  try {
    // Otherwise another account could put another file in its place.
    trustedDirectory(dirname(path));
    fd = openSync(path, APPEND, PRIVATE_FILE);
  } catch (cause) {
    const why = cause instanceof UnsafeDirectory ? cause.message : (WHY[errno(cause)] ?? errno(cause));
    throw refused(path, why, cause);
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
function endsTorn(path: string): boolean {
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

/** Makes it private. Throws for anything but a regular file of this user with one hard link. */
function checkFile(path: string, fd: number, stats: Stats): void {
  if (!stats.isFile()) throw refused(path, 'it is not a regular file');
  if (process.getuid && stats.uid !== process.getuid()) throw refused(path, 'it belongs to another user');
  if (stats.nlink > 1) throw refused(path, 'it has several names');
  makePrivate(fd, stats);
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
    closeSync(openPrivately(path));
  } catch (error) {
    if (!FULL.has(errno((error as OrielError).cause))) throw error;
  }
}

// Rotates a telemetry file: it becomes `PATH.1`, and the oldest part is removed.

/** The number of rotated files kept; `PATH.1` is the newest. */
export const ROTATED = 4;

function rotatedParts(path: string): string[] {
  return Array.from({ length: ROTATED }, (_, i) => `${path}.${i + 1}`);
}

/** Milliseconds after which a lock counts as left behind by a killed process and is removed. */
const STALE_MS = 10_000;

/**
 * If `path` has `at` bytes or more: `PATH` becomes `PATH.1`, `PATH.1` becomes `PATH.2`, and so on. Does nothing while
 * another process rotates. Throws errors of the file system.
 */
function rotate(path: string, at: number): void {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
    // Throws if the path cannot be a lock (a directory), because it would block rotation for ever.
    const stats = lstatSync(lock, { throwIfNoEntry: false });
    if (stats && (!stats.isFile() || Date.now() - stats.mtimeMs > STALE_MS)) rmSync(lock, { force: true });
    return;
  }
  try {
    // Another process may have rotated it just before.
    if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) < at) return;
    const parts = [path, ...rotatedParts(path)];
    for (let n = ROTATED; n > 0; n -= 1) {
      try {
        renameSync(parts[n - 1] as string, parts[n] as string);
      } catch (error) {
        if (errno(error) !== 'ENOENT') throw error;
      }
    }
  } finally {
    rmSync(lock, { force: true });
  }
}

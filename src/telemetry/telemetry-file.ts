/**
 * Appends events to a private file as lines of JSON and rotates it. Events that cannot be written are dropped and
 * counted; no call fails or waits because of them.
 */

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, writeSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OrielError } from '../errors.ts';
import { keepFromClients, makePrivate, PRIVATE_FILE, trustedDirectory } from '../files/private-files.ts';
import { errno, UnsafeDirectory } from '../files/system-failure.ts';
import { quote } from '../text/visible.ts';
import type { TelemetryEvent } from '../types/telemetry.ts';
import { LineBuffer, writeEvent } from './event-line.ts';

export interface TelemetryFileOptions {
  readonly path: string;
  /** Bytes after which the file is rotated to `PATH.1`. @default 16 MiB */
  readonly rotateAt?: number;
  /** Called with the first failure of each kind. */
  readonly onError?: (error: unknown) => void;
}

export const ROTATE_AT: number = 16 << 20;

/** The most bytes that wait to be written; beyond it events are dropped. */
const MAX_WAITING_BYTES = 4 << 20;

const NEWLINE = Buffer.from('\n');

/** If the file cannot be rotated, events are dropped when it has this many times the size of a rotation. */
const MAX_UNROTATED_SIZES = 2;

type FileIdentity = Pick<Stats, 'ino' | 'dev'>;

export class TelemetryFile {
  readonly #path: string;
  readonly #rotateAt: number;
  readonly #onError: (error: unknown) => void;
  #handle: FileHandle | undefined;
  /** The identity of the open file. */
  #identity: FileIdentity | undefined;
  readonly #waiting = new LineBuffer();
  /** The number of lines in `#waiting`. */
  #lines = 0;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;
  /** The last line was written only in part, so the next write begins with a newline. */
  #torn = false;
  readonly #told = new Set<string>();

  constructor({ path, rotateAt = ROTATE_AT, onError = () => undefined }: TelemetryFileOptions) {
    this.#path = path;
    for (const part of [path, ...rotatedParts(path)]) keepFromClients(part);
    this.#rotateAt = rotateAt;
    this.#onError = onError;
  }

  /** The number of events that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds an event to the buffer that `flush` writes. */
  add(event: TelemetryEvent): void {
    const before = this.#waiting.length;
    writeEvent(this.#waiting, event);
    if (this.#waiting.length > MAX_WAITING_BYTES) {
      this.#waiting.cut(before);
      this.#dropped += 1;
    } else this.#lines += 1;
  }

  /** Resolves when all events added before are written or dropped. Never throws. */
  async flush(): Promise<void> {
    // Writes run one after the other, because each may rotate the file and replace the handle.
    this.#writing = this.#writing.then(() => (this.#lines > 0 ? this.#write() : undefined));
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  async #write(): Promise<void> {
    try {
      const handle = await this.#opened();
      const [bytes, lines] = this.#take();
      await this.#append(handle, bytes, lines);
    } catch (error) {
      const [, lines] = this.#take();
      this.#dropped += lines;
      await this.#close();
      this.#tell(error);
    }
  }

  async #append(handle: FileHandle, text: Buffer, lines: number): Promise<void> {
    const bytes = this.#onItsOwnLine(text);
    let written = 0;
    try {
      // One write call for whole lines, so that lines of several processes do not mix.
      while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
      this.#torn = false;
    } catch (error) {
      this.#countTorn(text, lines, written - (bytes.length - text.length));
      this.#torn = written > 0 || this.#torn;
      throw error;
    }
  }

  /** Counts the lines that are not in the first `written` bytes of `text`; less than 0 if only a newline was before it. */
  #countTorn(text: Buffer, lines: number, written: number): void {
    const whole = text.subarray(0, Math.max(0, written)).toString().split('\n').length - 1;
    this.#dropped += lines - whole;
  }

  /** Removes and returns the buffered lines and their number. */
  #take(): readonly [Buffer, number] {
    const taken = [this.#waiting.take(), this.#lines] as const;
    this.#lines = 0;
    return taken;
  }

  #onItsOwnLine(bytes: Buffer): Buffer {
    return this.#torn ? Buffer.concat([NEWLINE, bytes]) : bytes;
  }

  /** The current file at the path, rotated first if it is full. Another process may have rotated it meanwhile. */
  async #opened(): Promise<FileHandle> {
    if (this.#handle) {
      const named = await lstat(this.#path).catch(() => undefined);
      if (named && isSame(named, this.#identity) && named.size < this.#rotateAt) return this.#handle;
      await this.#close();
    }
    let handle = await this.#newlyOpened();
    if ((await handle.stat()).size >= this.#rotateAt) {
      await this.#close();
      await this.#rotate();
      handle = await this.#newlyOpened();
    }
    return handle;
  }

  /** Rotates the file. If that fails, `onError` is told and the file may grow up to `MAX_UNROTATED_SIZES` times; then it throws. */
  async #rotate(): Promise<void> {
    try {
      await rotate(this.#path, this.#rotateAt);
    } catch (error) {
      this.#tell(error);
      const { size } = await lstat(this.#path);
      if (size >= MAX_UNROTATED_SIZES * this.#rotateAt) throw error;
    }
  }

  /** Opens the file and checks whether its last line is incomplete, after a killed process or on a full disk. */
  async #newlyOpened(): Promise<FileHandle> {
    const handle = await openPrivately(this.#path);
    try {
      this.#identity = await handle.stat();
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#torn = endsTorn(this.#path);
    // Set only now: `flushNow` may run at any time and needs to know whether the last line is incomplete.
    this.#handle = handle;
    return handle;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  /** Writes synchronously while the process exits. Never throws. */
  flushNow(): void {
    const [text, lines] = this.#take();
    if (lines === 0) return;
    let opened: number | undefined;
    let [before, written] = [0, 0];
    try {
      const fd = this.#handle?.fd ?? (opened = openNow(this.#path));
      if (opened !== undefined) this.#torn = endsTorn(this.#path);
      const bytes = this.#onItsOwnLine(text);
      before = bytes.length - text.length;
      // A write may be short, on a disk that is nearly full.
      while (written < bytes.length) written += writeSync(fd, bytes, written);
      this.#torn = false;
    } catch (error) {
      this.#countTorn(text, lines, written - before);
      this.#torn = written > 0 || this.#torn;
      this.#tell(error);
    } finally {
      if (opened !== undefined) closeSync(opened);
    }
  }

  #tell(error: unknown): void {
    const code = errno(error);
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#onError(error);
  }
}

function isSame(one: FileIdentity, other: FileIdentity | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

// Opens a telemetry file for appending. It must be a private regular file of this user, not a link or a FIFO.

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens or creates the file (mode 0600). Throws OrielError (`BAD_INPUT`) if it is not acceptable. */
async function openPrivately(path: string): Promise<FileHandle> {
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
function openNow(path: string): number {
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
 * another process rotates. Throws errors of the file system, and `UnsafeDirectory`.
 */
async function rotate(path: string, at: number): Promise<void> {
  const lock = `${path}.lock`;
  trustedDirectory(dirname(path));
  const held = await open(lock, 'wx', PRIVATE_FILE).catch((error: unknown) => {
    if (errno(error) !== 'EEXIST') throw error;
  });
  if (!held) return removeStale(lock);
  try {
    // Another process may have rotated it just before.
    const stats = await lstat(path).catch(nothingThere);
    if (!stats || stats.size < at) return;
    for (let n = ROTATED; n > 0; n -= 1) {
      await rename(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`).catch(nothingThere);
    }
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
}

/** Removes a stale lock. Throws if the path cannot be a lock (a directory), because it would block rotation for ever. */
async function removeStale(lock: string): Promise<void> {
  const stats = await lstat(lock).catch(nothingThere);
  if (!stats) return;
  const isStale = Date.now() - stats.mtimeMs > STALE_MS;
  if (isStale || !stats.isFile()) await rm(lock, { force: true });
}

function nothingThere(error: unknown): undefined {
  if (errno(error) !== 'ENOENT') throw error;
}

/**
 * Appends events to a file, a line of JSON each: private, rotated, never through a link. What cannot be written is
 * dropped and counted: no call fails or waits for it.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { errno } from '../../access/failure.ts';
import { OrielError } from '../../errors.ts';
import { safeJson } from '../../text/json.ts';
import { quote } from '../../text/visible.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { rotate } from './rotate.ts';

export interface TelemetryFileOptions {
  readonly path: string;
  /** Bytes of the file; beyond them it becomes `PATH.1` and a new one is begun. @default 16 MiB */
  readonly rotateAt?: number;
  /** Hears of the first failure of each kind. */
  readonly onError?: (error: unknown) => void;
}

export const ROTATE_AT: number = 16 << 20;

/** Characters that wait to be written; beyond them events are dropped. */
const MOST_WAITING = 4 << 20;

/** Times that size, of a file that cannot be rotated: beyond it events are dropped. */
const MOST_SIZES = 2;

const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class TelemetryFile {
  readonly #path: string;
  readonly #rotateAt: number;
  readonly #onError: (error: unknown) => void;
  #handle: FileHandle | undefined;
  #lines: string[] = [];
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;
  /** The last line was written in part: the next one begins on a line of its own. */
  #torn = false;
  readonly #told = new Set<string>();

  constructor({ path, rotateAt = ROTATE_AT, onError = () => undefined }: TelemetryFileOptions) {
    this.#path = path;
    this.#rotateAt = rotateAt;
    this.#onError = onError;
  }

  /** Events that are not in the file. */
  get dropped(): number {
    return this.#dropped;
  }

  /** It waits for `flush`: many lines are written at once. */
  add(event: TelemetryEvent): void {
    const line = `${safeJson(event)}\n`;
    if (this.#waiting + line.length > MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
  }

  /** Resolves when what was added before is written, or dropped. Never throws. */
  async flush(): Promise<void> {
    // One after the other: each rotates the file and holds its handle.
    this.#writing = this.#writing.then(() => (this.#lines.length > 0 ? this.#write() : undefined));
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  async #write(): Promise<void> {
    try {
      const handle = await this.#opened();
      const lines = this.#take();
      const bytes = Buffer.from((this.#torn ? '\n' : '') + lines.join(''));
      await this.#append(handle, bytes, lines.length);
    } catch (error) {
      this.#dropped += this.#take().length;
      await this.#close();
      this.#tell(error);
    }
  }

  async #append(handle: FileHandle, bytes: Buffer, lines: number): Promise<void> {
    let written = 0;
    try {
      // One write for whole lines: those of several processes do not mix.
      while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
      this.#torn = false;
    } catch (error) {
      this.#dropped += lines - bytes.subarray(0, written).toString().split('\n').length + 1;
      this.#torn = written > 0 || this.#torn;
      throw error;
    }
  }

  #take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#waiting = 0;
    return lines;
  }

  /** The file as it stands under its name now, with room in it: another process may have rotated it. */
  async #opened(): Promise<FileHandle> {
    if (this.#handle && !(await this.#isNamed(this.#handle))) await this.#close();
    this.#handle ??= await this.#newlyOpened();
    if ((await this.#handle.stat()).size >= this.#rotateAt) {
      await this.#close();
      await this.#rotate();
      this.#handle = await this.#newlyOpened();
    }
    return this.#handle;
  }

  /** Where that fails the file grows a little, and the host hears why. Throws where it has grown enough. */
  async #rotate(): Promise<void> {
    try {
      await rotate(this.#path, this.#rotateAt);
    } catch (error) {
      this.#tell(error);
      const { size } = await lstat(this.#path);
      if (size >= MOST_SIZES * this.#rotateAt) throw error;
    }
  }

  /** Its last line may be one that a process which was killed, or a disk that was full, left without an end. */
  async #newlyOpened(): Promise<FileHandle> {
    const handle = await openPrivately(this.#path);
    this.#torn = endsTorn(this.#path);
    return handle;
  }

  async #isNamed(handle: FileHandle): Promise<boolean> {
    const [held, named] = await Promise.all([handle.stat(), lstat(this.#path).catch(() => undefined)]);
    return named !== undefined && held.ino === named.ino && held.dev === named.dev;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  /** The process ends: there is no time for anything else. Never throws. */
  flushNow(): void {
    const lines = this.#take();
    if (lines.length === 0) return;
    try {
      const fd = this.#handle?.fd ?? openNow(this.#path);
      if (!this.#handle) this.#torn = endsTorn(this.#path);
      writeSync(fd, (this.#torn ? '\n' : '') + lines.join(''));
      if (!this.#handle) closeSync(fd);
    } catch (error) {
      this.#dropped += lines.length;
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    const code = errno(error);
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#onError(error);
  }
}

/** Opens what may be written. Throws OrielError (`BAD_INPUT`). */
async function openPrivately(path: string): Promise<FileHandle> {
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
function openNow(path: string): number {
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

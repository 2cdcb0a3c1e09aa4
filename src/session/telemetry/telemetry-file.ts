/**
 * Appends events to a file, a line of JSON each: private, rotated, never through a link. What cannot be written is
 * dropped and counted: no call fails or waits for it.
 */

import { closeSync, type Stats, writeSync } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { errno } from '../../access/system-failure.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { writeEvent } from './event-line.ts';
import { LineBuffer } from './line-buffer.ts';
import { endsTorn, openNow, openPrivately } from './open-privately.ts';
import { rotate } from './rotate.ts';

export interface TelemetryFileOptions {
  readonly path: string;
  /** Bytes of the file; beyond them it becomes `PATH.1` and a new one is begun. @default 16 MiB */
  readonly rotateAt?: number;
  /** Hears of the first failure of each kind. */
  readonly onError?: (error: unknown) => void;
}

export const ROTATE_AT: number = 16 << 20;

/** Bytes that wait to be written; beyond them events are dropped. */
const MOST_WAITING = 4 << 20;

const NEWLINE = Buffer.from('\n');

/** Times that size, of a file that cannot be rotated: beyond it events are dropped. */
const MOST_SIZES = 2;

type FileIdentity = Pick<Stats, 'ino' | 'dev'>;

export class TelemetryFile {
  readonly #path: string;
  readonly #rotateAt: number;
  readonly #onError: (error: unknown) => void;
  #handle: FileHandle | undefined;
  /** Of the file that the handle holds. */
  #identity: FileIdentity | undefined;
  readonly #waiting = new LineBuffer();
  /** Lines in it. */
  #lines = 0;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;
  /** The last line was written in part: the next one begins on a separate line. */
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
    const before = this.#waiting.length;
    writeEvent(this.#waiting, event);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.cut(before);
      this.#dropped += 1;
    } else this.#lines += 1;
  }

  /** Resolves when what was added before is written, or dropped. Never throws. */
  async flush(): Promise<void> {
    // One after the other: each rotates the file and holds its handle.
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
      // One write for whole lines: those of several processes do not mix.
      while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
      this.#torn = false;
    } catch (error) {
      // The newline after a torn line is no event.
      const ofText = Math.max(0, written - (bytes.length - text.length));
      this.#dropped += lines - (text.subarray(0, ofText).toString().split('\n').length - 1);
      this.#torn = written > 0 || this.#torn;
      throw error;
    }
  }

  /** Whole lines, and how many. */
  #take(): readonly [Buffer, number] {
    const taken = [this.#waiting.take(), this.#lines] as const;
    this.#lines = 0;
    return taken;
  }

  #onItsOwnLine(bytes: Buffer): Buffer {
    return this.#torn ? Buffer.concat([NEWLINE, bytes]) : bytes;
  }

  /** The file as it is under its name now, with room in it: another process may have rotated it. */
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
    try {
      this.#identity = await handle.stat();
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#torn = endsTorn(this.#path);
    // Not before: `flushNow` may come at any time, and has to know whether the last line is torn.
    this.#handle = handle;
    return handle;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  /** The process ends: there is no time for anything else. Never throws. */
  flushNow(): void {
    const [bytes, lines] = this.#take();
    if (lines === 0) return;
    try {
      const fd = this.#handle?.fd ?? openNow(this.#path);
      if (!this.#handle) this.#torn = endsTorn(this.#path);
      writeSync(fd, this.#onItsOwnLine(bytes));
      if (!this.#handle) closeSync(fd);
    } catch (error) {
      this.#dropped += lines;
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

function isSame(one: FileIdentity, other: FileIdentity | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

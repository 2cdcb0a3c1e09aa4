/**
 * Appends events to a private file as lines of JSON and rotates it. Events that cannot be written are dropped and
 * counted; no call fails or waits because of them.
 */

import { closeSync, type Stats, writeSync } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { keepFromClients } from '../../access/private-files.ts';
import { errno } from '../../access/system-failure.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { writeEvent } from './event-line.ts';
import { LineBuffer } from './line-buffer.ts';
import { endsTorn, openNow, openPrivately } from './open-privately.ts';
import { rotate, rotatedParts } from './rotate.ts';

export interface TelemetryFileOptions {
  readonly path: string;
  /** Bytes after which the file is rotated to `PATH.1`. @default 16 MiB */
  readonly rotateAt?: number;
  /** Called with the first failure of each kind. */
  readonly onError?: (error: unknown) => void;
}

export const ROTATE_AT: number = 16 << 20;

/** The most bytes that wait to be written; beyond it events are dropped. */
const MOST_WAITING = 4 << 20;

const NEWLINE = Buffer.from('\n');

/** If the file cannot be rotated, events are dropped when it has this many times the size of a rotation. */
const MOST_SIZES = 2;

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
    if (this.#waiting.length > MOST_WAITING) {
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

  /** Rotates the file. If that fails, `onError` is told and the file may grow up to `MOST_SIZES` times; then it throws. */
  async #rotate(): Promise<void> {
    try {
      await rotate(this.#path, this.#rotateAt);
    } catch (error) {
      this.#tell(error);
      const { size } = await lstat(this.#path);
      if (size >= MOST_SIZES * this.#rotateAt) throw error;
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

/** Reads the events of a file and its rotated parts, oldest first, and counts lines that are not events. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OrielError } from '../errors.ts';
import { errno } from '../files/system-failure.ts';
import { quote } from '../text/visible.ts';
import type { TelemetryEvent } from '../types/telemetry.ts';
import { parseEvent } from './event-line.ts';
import { ROTATED } from './telemetry-file.ts';

export interface ReadEvents {
  readonly events: number;
  /** Lines that are not events: incomplete lines, and lines written by other programs. */
  readonly skipped: number;
}

/** Throws OrielError (`NOT_FOUND`, `BAD_INPUT`) if `path` cannot be read; rotated parts are optional. */
export async function readTelemetryFile(
  path: string,
  take: (event: TelemetryEvent) => void,
  signal?: AbortSignal,
): Promise<ReadEvents> {
  let [events, skipped] = [0, 0];
  const takeLine = (line: Buffer | undefined): void => {
    const event = line && parseEvent(line.toString('utf8'));
    if (event) {
      events += 1;
      take(event);
    } else if (line?.length !== 0) skipped += 1;
  };
  const parts = await openParts(path, 'oriel report FILE');
  try {
    for (const part of parts) {
      const lines = new EventLines(part);
      await lines.readOn(takeLine, signal);
      lines.takeRest(takeLine);
    }
  } finally {
    await Promise.all(parts.map((part) => part.close()));
  }
  return { events, skipped };
}

// Reads the lines of a telemetry file piece by piece, and continues at the same position when the file has grown.

/** The most bytes of a line; no event is longer. */
export const MAX_EVENT_LINE_BYTES: number = 64 << 10;

/** Bytes that are read and parsed without giving control back to the event loop. */
const PIECE = 64 << 10;

const NONE = Buffer.alloc(0);

/** Called with a line (without its newline; undefined if it is too long) and the offset of its first byte. */
type TakeLine = (line: Buffer | undefined, offset: number) => void;

export class EventLines {
  readonly #handle: FileHandle;
  readonly #piece = Buffer.alloc(PIECE);
  /** The offset of the next byte to read. */
  #at = 0;
  /** The start of a line whose end was not read yet, at most `MAX_EVENT_LINE_BYTES` bytes of it; `#restBytes` counts all its bytes. */
  #rest: Buffer = NONE;
  #restBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The number of bytes that have been read. */
  get at(): number {
    return this.#at;
  }

  /** Passes all complete lines up to the current end of the file to `take`. Throws the errors of reading. */
  async readOn(take: TakeLine, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#handle.read(this.#piece, 0, PIECE, this.#at);
      if (bytesRead === 0) return;
      this.#split(this.#piece.subarray(0, bytesRead), take);
      this.#at += bytesRead;
    }
  }

  /** Passes an unfinished last line to `take`, if there is one. Bytes after it count as a new line. */
  takeRest(take: TakeLine): void {
    const [line, bytes] = [this.#line(NONE), this.#restBytes];
    this.#dropRest();
    if (bytes > 0) take(line, this.#at - bytes);
  }

  /** Whether there is an unfinished last line. */
  get hasBegun(): boolean {
    return this.#restBytes > 0;
  }

  /** The unfinished last line; undefined if it is too long. */
  get rest(): Buffer | undefined {
    return this.#line(NONE);
  }

  #split(piece: Buffer, take: TakeLine): void {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      const offset = this.#at + from - this.#restBytes;
      take(this.#line(piece.subarray(from, end)), offset);
      this.#dropRest();
      from = end + 1;
    }
    const begun = piece.subarray(from);
    this.#restBytes += begun.length;
    if (this.#restBytes <= MAX_EVENT_LINE_BYTES) this.#rest = Buffer.concat([this.#rest, begun]);
  }

  #line(end: Buffer): Buffer | undefined {
    if (this.#restBytes + end.length > MAX_EVENT_LINE_BYTES) return undefined;
    return this.#restBytes === 0 ? end : Buffer.concat([this.#rest, end]);
  }

  #dropRest(): void {
    this.#rest = NONE;
    this.#restBytes = 0;
  }
}

// Opens a telemetry file together with its rotated parts.

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

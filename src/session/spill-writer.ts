/**
 * Owns writing one spill, within a cap on its size. While the disk keeps up, which is nearly always, writing at once
 * from a buffer that is still in the processor's cache is twice as fast as handing it to another thread; when a
 * write takes long, the rest is written in the background.
 */

import { closeSync, write, writeFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Spill } from '../types/session.ts';

const writeSome = promisify(write);

/** Bytes of each buffer. */
const BUFFER = 128 << 10;

/** A write that blocks for longer than this, in ms, is the last one that does. */
const SLOW = 4;

/** A buffer with less room than this is written out: the largest chunk of a pipe must always fit. */
const ROOM = 64 << 10;

const NOTHING = new Uint8Array(0);

/** Beside a spill whose end is missing, for readers in other processes. */
export function cappedMark(path: string): string {
  return `${path}.capped`;
}

export class SpillWriter {
  readonly url: string;
  readonly path: string;
  readonly #fd: number;
  readonly #cap: number;
  #buffer = Buffer.allocUnsafeSlow(BUFFER);
  #other = Buffer.allocUnsafeSlow(BUFFER);
  #filled = 0;
  /** Bytes handed to the disk: where the buffer will be written. */
  #at = 0;
  #writing: Promise<void> | undefined;
  #slow = false;
  #capped = false;
  #finished = false;
  /** Set by a failed write: bytes that are surely there. */
  #kept: number | undefined;

  /** Takes over `fd`, an empty file at `path`. */
  constructor(fd: number, path: string, url: string, cap: number) {
    this.#fd = fd;
    this.path = path;
    this.url = url;
    this.#cap = cap;
  }

  /** Takes all of `bytes` (they may be reused at once). A promise asks to wait before the next call. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const room = this.#cap - this.#at - this.#filled;
    const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
    if (bytes.length > room) this.#capped = true;
    if (taken.length === 0 || this.#kept !== undefined || this.#finished) return undefined;
    if (taken.length > BUFFER - this.#filled) {
      this.#writeNow(taken);
      return undefined;
    }
    this.#buffer.set(taken, this.#filled);
    this.#filled += taken.length;
    if (BUFFER - this.#filled >= ROOM) return undefined;
    if (this.#writing) return this.#writing.then(() => this.#swap());
    if (this.#slow) this.#swap();
    else this.#writeNow();
    return undefined;
  }

  /** Writes what is left and closes the file. */
  async finish(): Promise<Spill> {
    this.#finished = true;
    while (this.#writing || this.#filled > 0) {
      await this.#writing;
      this.#swap();
    }
    closeSync(this.#fd);
    const capped = this.#capped || this.#kept !== undefined;
    if (capped) markCapped(this.path);
    return { url: this.url, path: this.path, bytes: this.#kept ?? this.#at, capped };
  }

  /** Writes the buffer in the background and goes on in the other one. */
  #swap(): void {
    if (this.#writing || this.#filled === 0) return;
    const [bytes, at] = [this.#buffer.subarray(0, this.#filled), this.#at];
    this.#at += this.#filled;
    this.#filled = 0;
    [this.#buffer, this.#other] = [this.#other, this.#buffer];
    this.#writing = writeAll(this.#fd, bytes, at)
      .catch(() => this.#fail(at))
      .finally(() => (this.#writing = undefined));
  }

  /** Writes the buffer, and `more` that has no room in it. */
  #writeNow(more?: Uint8Array): void {
    const at = this.#at;
    const began = performance.now();
    try {
      for (const part of [this.#buffer.subarray(0, this.#filled), more ?? NOTHING]) {
        for (let done = 0; done < part.length;) {
          const written = writeSync(this.#fd, part, done, part.length - done, this.#at);
          done += written;
          this.#at += written;
        }
      }
    } catch {
      this.#fail(at);
    }
    this.#filled = 0;
    this.#slow ||= performance.now() - began > SLOW;
  }

  /** A full disk ends the keeping, not the command. */
  #fail(at: number): void {
    this.#kept = Math.min(this.#kept ?? at, at);
  }
}

async function writeAll(fd: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function markCapped(path: string): void {
  try {
    writeFileSync(cappedMark(path), '', { mode: 0o600 });
  } catch {
    // Only a note is lost.
  }
}

/**
 * Writes one spill, within the cap of one output and the quota of all. Writes are synchronous while the disk is fast:
 * a write from a buffer that is still in the processor cache takes half the time of one through the thread pool. After a
 * slow write the rest is written in the background.
 */

import { closeSync, fstatSync, write, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { closeDescriptor } from '../access/descriptors.ts';
import { PRIVATE_FILE, trustedDirectory } from '../access/private-files.ts';
import { writeFailure } from '../access/system-failure.ts';
import type { Spill } from '../types/session.ts';
import { remove } from './directories.ts';
import type { SpillShare } from './spill-quota.ts';

const writeSome = promisify(write);

/** Bytes of each buffer. */
const BUFFER = 128 << 10;

/** After a write that blocked for longer than this, in ms, later writes are asynchronous. */
const SLOW = 4;

/** A buffer with less free space than this, in bytes, is written out: the largest chunk of a pipe must always fit. */
const ROOM = 64 << 10;

/** The failure of a discarded spill; it has the code of the system error for a removed file. */
const REMOVED = Object.assign(new Error('The file was removed while it was written.'), { code: 'ENOENT' });

const NOTHING = new Uint8Array(0);

/** A marker file beside a truncated spill, which tells readers in other processes that the spill was capped. */
export function cappedMark(path: string): string {
  return `${path}.capped`;
}

export class SpillWriter {
  readonly url: string;
  readonly path: string;
  readonly #fd: number;
  readonly #cap: number;
  readonly #share: SpillShare | undefined;
  #buffer = Buffer.allocUnsafeSlow(BUFFER);
  #other = Buffer.allocUnsafeSlow(BUFFER);
  #filled = 0;
  /** Bytes written so far: the offset for the next buffer. */
  #at = 0;
  #writing: Promise<void> | undefined;
  #slow = false;
  #capped = false;
  #finished = false;
  #open = true;
  /** The first failure; after it nothing is kept. */
  #failure: unknown;

  /** Takes ownership of `fd`, an empty file at `path`. `cap` is in bytes. Without a `share` only the cap limits it. */
  constructor(fd: number, path: string, url: string, cap: number, share?: SpillShare) {
    this.#fd = fd;
    this.path = path;
    this.url = url;
    this.#cap = cap;
    this.#share = share;
  }

  /**
   * Copies `bytes`, so the caller may reuse the buffer immediately. If it returns a promise, wait for it before the next write
   * (backpressure).
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    // A spill has no gaps: once truncated, it takes no more bytes, even if space becomes free.
    if (this.#capped || this.#failure !== undefined || this.#finished) return undefined;
    const room = this.#roomFor(bytes.length);
    const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
    if (bytes.length > room) this.#capped = true;
    if (taken.length === 0) return undefined;
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

  /**
   * Writes the rest and closes the file. `capped` says that the input was already truncated. If anything could not be
   * written, the file is removed and `LIMIT` or `BUSY` is thrown.
   */
  async finish(capped = false): Promise<Spill> {
    this.#finished = true;
    this.#capped ||= capped;
    while (this.#writing || this.#filled > 0) {
      await this.#writing;
      this.#swap();
    }
    try {
      if (this.#open && fstatSync(this.#fd).nlink === 0) throw REMOVED;
      this.#close();
      // The mark is written before the spill is announced, so that no process takes a truncated spill for a complete one.
      if (this.#capped && this.#failure === undefined) {
        trustedDirectory(dirname(this.path));
        writeFileSync(cappedMark(this.path), '', { mode: PRIVATE_FILE });
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#failure !== undefined) throw writeFailure(this.#failure, 'The full output could not be kept');
    this.#share?.keep();
    return { url: this.url, path: this.path, bytes: this.#at, capped: this.#capped };
  }

  /** Removes the spill. */
  discard(): void {
    this.#finished = true;
    this.#filled = 0;
    this.#fail(REMOVED);
  }

  #roomFor(bytes: number): number {
    const wanted = Math.min(bytes, this.#cap - this.#at - this.#filled);
    return this.#share ? this.#share.take(wanted) : wanted;
  }

  /** Starts an asynchronous write of the full buffer and continues with the second buffer. */
  #swap(): void {
    if (this.#failure !== undefined) this.#filled = 0;
    if (this.#writing || this.#filled === 0) return;
    const [bytes, at] = [this.#buffer.subarray(0, this.#filled), this.#at];
    this.#at += this.#filled;
    this.#filled = 0;
    [this.#buffer, this.#other] = [this.#other, this.#buffer];
    this.#writing = writeAll(this.#fd, bytes, at)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#writing = undefined;
        if (this.#failure !== undefined) this.#closeRemoved();
      });
  }

  /** Writes the buffer synchronously, and then `more`, which has no room in it. */
  #writeNow(more?: Uint8Array): void {
    const began = performance.now();
    try {
      for (const part of [this.#buffer.subarray(0, this.#filled), more ?? NOTHING]) {
        for (let done = 0; done < part.length;) {
          const written = writeSync(this.#fd, part, done, part.length - done, this.#at);
          done += written;
          this.#at += written;
        }
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#filled = 0;
    this.#slow ||= performance.now() - began > SLOW;
  }

  /**
   * A failure such as a full disk ends the spill, not the command. The file is removed immediately, because the command may run
   * for hours and other outputs need the space.
   */
  #fail(error: unknown): void {
    this.#failure ??= error;
    void remove(this.path);
    void remove(cappedMark(this.path));
    this.#share?.drop();
    if (!this.#writing) this.#closeRemoved();
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  /** Closes in another thread, because the last close of a removed file frees its blocks, which takes time. */
  #closeRemoved(): void {
    if (!this.#open) return;
    this.#open = false;
    void closeDescriptor(this.#fd);
  }
}

async function writeAll(fd: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * Writes one spill, within the cap of one output and the quota of all. Writes are synchronous while the disk is fast:
 * a write from a buffer that is still in the processor cache takes half the time of one through the thread pool. After a
 * slow write the rest is written in the background.
 */

import { closeSync, fstatSync, write, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { closeDescriptor } from '../files/descriptors.ts';
import { PRIVATE_FILE, trustedDirectory } from '../files/kept-files.ts';
import { writeFailure } from '../files/system-failure.ts';
import type { SpilledOutput } from '../types/session.ts';
import { removeQuietly } from './directories.ts';

const writeSome = promisify(write);

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
  #filled = 0;
  /** The offset of the next write. */
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
    const taken = bytes.subarray(0, room);
    if (bytes.length > room) this.#capped = true;
    if (taken.length > BUFFER - this.#filled) return this.#flush(taken);
    this.#buffer.set(taken, this.#filled);
    this.#filled += taken.length;
    return BUFFER - this.#filled < ROOM ? this.#flush() : undefined;
  }

  /**
   * Writes the rest and closes the file. `capped` says that the input was already truncated. If anything could not be
   * written, the file is removed and `LIMIT` or `BUSY` is thrown.
   */
  async finish(capped = false): Promise<SpilledOutput> {
    this.#finished = true;
    this.#capped ||= capped;
    await this.#flush();
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

  discard(): void {
    this.#finished = true;
    this.#filled = 0;
    this.#fail(REMOVED);
  }

  #roomFor(bytes: number): number {
    const wanted = Math.min(bytes, this.#cap - this.#at - this.#filled);
    return this.#share ? this.#share.take(wanted) : wanted;
  }

  /** Writes the buffer, and then `more`, which has no room in it. */
  #flush(more: Uint8Array = NOTHING): Promise<void> | undefined {
    if (this.#failure !== undefined) return this.#writing;
    const parts = [this.#buffer.subarray(0, this.#filled), more];
    this.#filled = 0;
    if (this.#slow) return this.#writeLater(Buffer.concat(parts));
    const began = performance.now();
    try {
      for (const part of parts) {
        for (let done = 0; done < part.length;) {
          const written = writeSync(this.#fd, part, done, part.length - done, this.#at);
          done += written;
          this.#at += written;
        }
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#slow = performance.now() - began > SLOW;
    return undefined;
  }

  #writeLater(bytes: Buffer): Promise<void> {
    const at = this.#at;
    this.#at += bytes.length;
    const writing = (this.#writing ?? Promise.resolve())
      .then(() => writeAll(this.#fd, bytes, at))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (this.#writing !== writing) return;
        this.#writing = undefined;
        if (this.#failure !== undefined) this.#closeRemoved();
      });
    return (this.#writing = writing);
  }

  /**
   * A failure such as a full disk ends the spill, not the command. The file is removed immediately, because the command may run
   * for hours and other outputs need the space.
   */
  #fail(error: unknown): void {
    this.#failure ??= error;
    void removeQuietly(this.path);
    void removeQuietly(cappedMark(this.path));
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

// The quota of kept outputs over all sessions: total bytes, and the number of outputs per session and in all. When it is
// exceeded, the oldest output of the session with the highest use is evicted. An output that is still being written is
// never evicted; it is truncated if nothing else can be evicted.

/** The most outputs of one session. More would not be useful, and listing them takes some milliseconds. */
export const MAX_SESSION_SPILLS = 1_000;

/** The most outputs of all sessions; each is a file. */
const MAX_SPILLS = 20_000;

/** One output's share of the quota. */
export interface SpillShare {
  /** Reserves up to `bytes` more and returns how many were granted. */
  take(bytes: number): number;
  /** Marks the output as complete: it may be evicted. */
  keep(): void;
  /** Returns the share to the quota after the output was removed. */
  drop(): void;
}

interface Share {
  readonly owner: object;
  bytes: number;
  kept: boolean;
  readonly remove: () => void;
}

export class SpillQuota {
  /** The quota in bytes. */
  readonly total: number;
  #used = 0;
  #outputs = 0;
  /** By owner, the oldest first. */
  readonly #owners = new Map<object, Set<Share>>();

  constructor(total: number) {
    this.total = total;
  }

  get used(): number {
    return this.#used;
  }

  /** Outputs that are kept or being written. */
  get outputs(): number {
    return this.#outputs;
  }

  /** Begins an output of `owner` (compared by identity); `remove` is called when it is evicted. */
  begin(owner: object, remove: () => void): SpillShare {
    const shares = this.#owners.get(owner) ?? new Set();
    if (shares.size >= MAX_SESSION_SPILLS) this.#evict(shares);
    if (this.#outputs >= MAX_SPILLS) this.#evict(this.#heaviest(() => 1));
    const share: Share = { owner, bytes: 0, kept: false, remove };
    this.#owners.set(owner, shares.add(share));
    this.#outputs += 1;
    return {
      take: (bytes) => this.#take(share, bytes),
      keep() {
        share.kept = true;
      },
      drop: () => this.#drop(share),
    };
  }

  /** Returns all shares of `owner` after its outputs were removed. */
  leave(owner: object): void {
    for (const share of this.#owners.get(owner) ?? []) this.#drop(share);
  }

  #take(share: Share, bytes: number): number {
    // The session was closed meanwhile.
    if (this.#owners.get(share.owner)?.has(share) !== true) return 0;
    while (this.#used + bytes > this.total && this.#evict(this.#heaviest((one) => one.bytes)));
    const granted = Math.min(bytes, Math.max(0, this.total - this.#used));
    share.bytes += granted;
    this.#used += granted;
    return granted;
  }

  #drop(share: Share): void {
    const shares = this.#owners.get(share.owner);
    if (!shares?.delete(share)) return;
    if (shares.size === 0) this.#owners.delete(share.owner);
    this.#used -= share.bytes;
    this.#outputs -= 1;
  }

  /** Evicts the oldest complete output; false if there is none. */
  #evict(shares: ReadonlySet<Share>): boolean {
    for (const share of shares) {
      if (!share.kept) continue;
      this.#drop(share);
      share.remove();
      return true;
    }
    return false;
  }

  /** The outputs of the owner with most among those that have a complete one. */
  #heaviest(weigh: (share: Share) => number): ReadonlySet<Share> {
    let [heaviest, most] = [new Set<Share>(), -1];
    for (const shares of this.#owners.values()) {
      let [weight, isKept] = [0, false];
      for (const share of shares) {
        weight += weigh(share);
        isKept ||= share.kept;
      }
      if (isKept && weight > most) [heaviest, most] = [shares, weight];
    }
    return heaviest;
  }
}

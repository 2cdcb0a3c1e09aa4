/**
 * Writes one spill, within the cap of one output and the quota of all. Writes are synchronous while the disk is fast:
 * a write from a buffer that is still in the processor cache takes half the time of one through the thread pool. After a
 * slow write the rest is written in the background.
 */

import { closeSync, fstatSync, write, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { closeDescriptor } from '../files/descriptors.ts';
import { PRIVATE_FILE, trustedDirectory } from '../files/private-files.ts';
import { writeFailure } from '../files/system-failure.ts';
import type { SpilledOutput } from '../types/session.ts';
import { removeQuietly } from './directories.ts';

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
  async finish(capped = false): Promise<SpilledOutput> {
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
  readonly owner: Owner;
  bytes: number;
  kept: boolean;
  readonly remove: () => void;
}

interface Owner {
  readonly key: object;
  /** Oldest first. */
  readonly shares: Set<Share>;
  bytes: number;
}

export class SpillQuota {
  /** The quota in bytes. */
  readonly total: number;
  #used = 0;
  #outputs = 0;
  readonly #owners = new Map<object, Owner>();

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

  /** Begins an output of the owner `key` (compared by identity); `remove` is called when it is evicted. */
  begin(key: object, remove: () => void): SpillShare {
    const owner = this.#owners.get(key) ?? { key, shares: new Set(), bytes: 0 };
    if (owner.shares.size >= MAX_SESSION_SPILLS) this.#evict(owner);
    if (this.#outputs >= MAX_SPILLS) this.#evict(this.#heaviest(({ shares }) => shares.size));
    this.#owners.set(key, owner);
    const share: Share = { owner, bytes: 0, kept: false, remove };
    owner.shares.add(share);
    this.#outputs += 1;
    return {
      take: (bytes) => this.#take(share, bytes),
      keep() {
        share.kept = true;
      },
      drop: () => this.#drop(share),
    };
  }

  /** Returns all shares of the owner `key` after its outputs were removed. */
  leave(key: object): void {
    for (const share of this.#owners.get(key)?.shares ?? []) this.#drop(share);
  }

  #take(share: Share, bytes: number): number {
    // The session was closed meanwhile.
    if (!share.owner.shares.has(share)) return 0;
    while (this.#used + bytes > this.total) {
      if (!this.#evict(this.#heaviest((owner) => owner.bytes))) break;
    }
    const granted = Math.min(bytes, Math.max(0, this.total - this.#used));
    this.#add(share, granted);
    return granted;
  }

  #add(share: Share, bytes: number): void {
    share.bytes += bytes;
    share.owner.bytes += bytes;
    this.#used += bytes;
  }

  #drop(share: Share): void {
    const { owner } = share;
    if (!owner.shares.delete(share)) return;
    if (owner.shares.size === 0) this.#owners.delete(owner.key);
    this.#add(share, -share.bytes);
    this.#outputs -= 1;
  }

  /** Evicts the oldest complete output of the owner; false if there is none. */
  #evict(owner: Owner | undefined): boolean {
    const oldest = owner && oldestOf(owner);
    if (!oldest) return false;
    this.#drop(oldest);
    oldest.remove();
    return true;
  }

  /** The owner with the highest value of `weigh` among those that have a complete output. */
  #heaviest(weigh: (owner: Owner) => number): Owner | undefined {
    let heaviest: Owner | undefined;
    for (const owner of this.#owners.values()) {
      if (heaviest && weigh(owner) <= weigh(heaviest)) continue;
      if (oldestOf(owner)) heaviest = owner;
    }
    return heaviest;
  }
}

function oldestOf({ shares }: Owner): Share | undefined {
  for (const share of shares) if (share.kept) return share;
  return undefined;
}

/**
 * A cache on disk for derived data that should outlive the process: one encrypted file per key, in a private directory,
 * within a budget. A value that cannot be read completely is a miss; a value that cannot be written is not cached.
 *
 * Not cacache (20.0.4 was tried): it has no budget and no eviction, its files are readable by everybody under the usual
 * umask, it brings 17 packages and takes 3.6 ms for each value.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachePart, LocalCache, TakePiece } from '../types/session.ts';
import { decrypt, type DecryptedPiece, encrypt, fileNameOf, HEADER_BYTES } from './cache-file.ts';
import { lengthOf } from './cache-parts.ts';
import { BLOCK, sweep, TEMPORARY } from './cache-sweep.ts';
import { cacheDirectory, privateDirectory } from './directories.ts';
import { withFileLock } from './file-lock.ts';
import { ownName } from './owner.ts';

export interface DiskCacheOptions {
  /** Its directory, created if missing; below the XDG cache directory when absent. */
  readonly directory?: string;
  /** The approximate budget of all its files in bytes; 512 MiB when absent. */
  readonly bytes?: number;
}

const DEFAULT_BYTES = 512 << 20;

/** One value may take an eighth of the budget. After an eighth was written, the directory is swept again. */
const PART = 8;

/** Milliseconds after which the time of the last use is updated, and after which the directory is swept again. */
const NOTE_MS = 10 * 60_000;

/** Milliseconds for which the end of the process waits for locks of other processes. */
const CLOSE_MS = 1_000;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class FileCache implements LocalCache {
  readonly #given: string | undefined;
  readonly #bytes: number;
  /** What `close` waits for: writes, removals, and updates that may still wait for their lock. */
  readonly #working = new Set<Promise<void>>();
  /** Aborted when updates should no longer wait for their lock. */
  #closing = new AbortController();
  /** Values that are being written. */
  #writing = 0;
  #directory: string | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #written = 0;
  #hits = 0;
  #misses = 0;

  constructor({ directory, bytes = DEFAULT_BYTES }: DiskCacheOptions = {}) {
    this.#given = directory;
    this.#bytes = bytes;
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  async get(key: string): Promise<Buffer | undefined> {
    const value = await this.#find(key);
    this.#count(value !== undefined);
    return value;
  }

  async getPieces(key: string, begin: () => TakePiece): Promise<boolean> {
    let take: TakePiece | undefined;
    const found = await this.#take(key, (piece) => (take ??= begin())(piece));
    this.#count(found);
    return found;
  }

  #count(found: boolean): void {
    if (found) this.#hits += 1;
    else this.#misses += 1;
  }

  async #find(key: string): Promise<Buffer | undefined> {
    let value: Buffer | undefined;
    let filled = 0;
    const found = await this.#take(key, (piece, size) => {
      value ??= Buffer.allocUnsafeSlow(size);
      filled += piece.copy(value, filled);
    });
    return found ? (value ?? Buffer.alloc(0)) : undefined;
  }

  /** False for a miss, and for a damaged or forged entry: then the value is computed again and replaces the entry. */
  async #take(key: string, take: (piece: Buffer, size: number) => Promise<void> | void): Promise<boolean> {
    const path = this.#pathOf(key);
    const handle = path === undefined ? undefined : await open(path, READ).catch(() => undefined);
    if (!handle) return false;
    const pieces = this.#decrypted(handle, key);
    try {
      for (;;) {
        const next = await pieces.next().catch(() => undefined);
        if (!next) return false;
        if (next.done) return next.value;
        await take(next.value.piece, next.value.size);
      }
    } finally {
      await handle.close().catch(() => undefined);
    }
  }

  put(key: string, parts: readonly CachePart[]): Promise<void> {
    const path = this.#writing >= PART ? undefined : this.#pathOf(key);
    if (path === undefined) return Promise.resolve();
    return this.#work(this.#store(path, key, parts));
  }

  change(key: string, next: (value: Buffer | undefined) => Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    if (path === undefined) return Promise.resolve();
    const lock = `${path}.lock${TEMPORARY}`;
    const update = async (): Promise<void> => this.#store(path, key, [next(await this.#find(key))]);
    return this.#work(withFileLock(lock, update, this.#closing.signal));
  }

  remove(key: string): void {
    const path = this.#pathOf(key);
    // A write that has already started would restore the value.
    if (path !== undefined) this.#work(Promise.all(this.#working).then(() => rm(path, { force: true })));
  }

  #work(work: Promise<void>): Promise<void> {
    const done = work.catch(() => undefined).finally(() => this.#working.delete(done));
    this.#working.add(done);
    return done;
  }

  /** Waits for what was begun, but not long for the locks of other processes: one may be stopped. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.#closing.abort(), CLOSE_MS);
    await Promise.all(this.#working);
    clearTimeout(late);
    this.#closing = new AbortController();
  }

  /** Undefined if no private directory can be created. */
  #pathOf(key: string): string | undefined {
    try {
      this.#directory ??= privateDirectory(this.#given ?? join(cacheDirectory(), 'derived'));
    } catch {
      return undefined;
    }
    return join(this.#directory, fileNameOf(key));
  }

  /** As `decrypt`; also returns false for a file of another user and for one larger than the budget. */
  async *#decrypted(handle: FileHandle, key: string): AsyncGenerator<DecryptedPiece, boolean> {
    const stats = await handle.stat();
    if (!isOurs(stats) || stats.size > this.#bytes) return false;
    if (!(yield* decrypt(handle, key, stats.size))) return false;
    if (Math.abs(Date.now() - stats.mtimeMs) > NOTE_MS) await handle.utimes(new Date(), new Date());
    return true;
  }

  async #store(path: string, key: string, parts: readonly CachePart[]): Promise<void> {
    const size = HEADER_BYTES + lengthOf(parts);
    if (size > this.#bytes / PART) return;
    this.#writing += 1;
    try {
      await this.#write(path, key, parts);
      await this.#bound(size);
    } finally {
      this.#writing -= 1;
    }
  }

  /** Writes atomically: the file is renamed to its final name when it is complete. */
  async #write(path: string, key: string, parts: readonly CachePart[]): Promise<void> {
    const temporary = `${path}.${ownName()}${TEMPORARY}`;
    try {
      const handle = await open(temporary, CREATE, 0o600);
      try {
        await encrypt(handle, key, parts);
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch {
      // The directory may have been removed: the next value creates it again.
      this.#directory = undefined;
      await rm(temporary, { force: true });
    }
  }

  /** Sweeps the directory when due: after a part of the budget was written, or by time, because other processes write too. */
  async #bound(size: number): Promise<void> {
    this.#written += Math.max(size, BLOCK);
    const now = performance.now();
    const isDue = this.#written > this.#bytes / PART || now - this.#sweptAt > NOTE_MS;
    if (!isDue || this.#directory === undefined) return;
    this.#written = 0;
    this.#sweptAt = now;
    await sweep(this.#directory, this.#bytes - (2 * this.#bytes) / PART);
  }
}

function isOurs(stats: Stats): boolean {
  return stats.isFile() && (!process.getuid || stats.uid === process.getuid());
}

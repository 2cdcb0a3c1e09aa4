/**
 * A cache on disk for derived things that are worth keeping beyond the process: one encrypted file for each key, in a
 * private directory, within a budget. A value that cannot be read back whole is a miss; one that cannot be written is
 * not cached.
 *
 * Not cacache (20.0.4 was tried): it has no budget and no eviction, its files are readable by everybody under the usual
 * umask, it brings 17 packages and takes 3.6 ms for each value.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachePart, LocalCache, TakePiece } from '../types/session.ts';
import { lengthOf, readParts } from './cache-parts.ts';
import { cacheDirectory, privateDirectory } from './directories.ts';
import { withFileLock } from './file-lock.ts';
import { isLeftBehind, ownName } from './owner.ts';

export interface DiskCacheOptions {
  /** Its directory, made where it is missing; below the XDG cache directory when absent. */
  readonly directory?: string;
  /** Bytes of all its files, about; 512 MiB when absent. */
  readonly bytes?: number;
}

const DEFAULT_BYTES = 512 << 20;

/** One value may take an eighth of the budget; after as much was written, the directory is swept again. */
const PART = 8;

/** An entry that nobody asked for in this long is removed, in ms. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/** A file that another machine has not finished after this long is that of a process that was killed, in ms. */
const UNFINISHED_MS = 60 * 60_000;

/** Milliseconds after which the last use of an entry is noted again, and the directory is swept again. */
const NOTE_MS = 10 * 60_000;

/** Even an empty file takes a block. */
const BLOCK = 4096;

const TEMPORARY = '.tmp';

/** Counted up when the layout of a file changes. */
const MAGIC = Buffer.from('orielc1\n');
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = MAGIC.length + IV_BYTES + TAG_BYTES;

/** Bytes that are encrypted at once. */
const PIECE = 256 << 10;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class FileCache implements LocalCache {
  readonly #given: string | undefined;
  readonly #bytes: number;
  readonly #writing = new Set<Promise<void>>();
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

  /** False where there is none, or where what was taken is damaged or forged: the value is made again, and takes its place. */
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
    const size = HEADER_BYTES + lengthOf(parts);
    if (size > this.#bytes / PART || this.#writing.size >= PART) return Promise.resolve();
    const path = this.#pathOf(key);
    if (path === undefined) return Promise.resolve();
    return this.#work(this.#write(path, key, parts).then(() => this.#bound(size)));
  }

  change(key: string, next: (value: Buffer | undefined) => Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    if (path === undefined) return Promise.resolve();
    const lock = `${path}.lock${TEMPORARY}`;
    return this.#work(withFileLock(lock, async () => this.put(key, [next(await this.#find(key))])));
  }

  remove(key: string): void {
    const path = this.#pathOf(key);
    // A write that has begun would put the value back.
    if (path !== undefined) this.#work(Promise.all(this.#writing).then(() => rm(path, { force: true })));
  }

  #work(work: Promise<void>): Promise<void> {
    const done = work.catch(() => undefined).finally(() => this.#writing.delete(done));
    this.#writing.add(done);
    return done;
  }

  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Undefined where no private directory can be had. */
  #pathOf(key: string): string | undefined {
    try {
      this.#directory ??= privateDirectory(this.#given ?? join(cacheDirectory(), 'derived'));
    } catch {
      return undefined;
    }
    return join(this.#directory, digest('name', key).toString('hex'));
  }

  /** Returns false for a file in another layout. Throws at the end of one that is damaged, forged, or of another key. */
  async *#decrypted(
    handle: FileHandle,
    key: string,
  ): AsyncGenerator<{ readonly piece: Buffer; readonly size: number }, boolean> {
    const stats = await handle.stat();
    const size = stats.size - HEADER_BYTES;
    if (!isOurs(stats) || size < 0 || stats.size > this.#bytes) return false;
    const header = await readAll(handle, 0, HEADER_BYTES);
    if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return false;
    const iv = header.subarray(MAGIC.length, MAGIC.length + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', digest('cipher', key), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(header.subarray(MAGIC.length + IV_BYTES));
    // One for all pieces: what is freed only when V8 collects it stays resident until then.
    const encrypted = Buffer.allocUnsafeSlow(Math.min(PIECE, size));
    for (let at = 0; at < size; at += PIECE) {
      const piece = await readInto(handle, HEADER_BYTES + at, encrypted.subarray(0, size - at));
      yield { piece: decipher.update(piece), size };
    }
    // Throws where a single bit is another.
    decipher.final();
    if (Math.abs(Date.now() - stats.mtimeMs) > NOTE_MS) await handle.utimes(new Date(), new Date());
    return true;
  }

  /** Whole or not at all: it gets its name when all of it is written. */
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
      // Somebody may have removed the directory: the next value makes it again.
      this.#directory = undefined;
      await rm(temporary, { force: true });
    }
  }

  /** Sweeps the directory now and then: other processes write to it too. */
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

async function encrypt(handle: FileHandle, key: string, parts: readonly CachePart[]): Promise<void> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', digest('cipher', key), iv, { authTagLength: TAG_BYTES });
  const size = lengthOf(parts);
  for (let at = 0; at < size; at += PIECE) {
    const piece = cipher.update(await readParts(parts, at, Math.min(PIECE, size - at)));
    await writeAll(handle, piece, HEADER_BYTES + at);
  }
  cipher.final();
  await writeAll(handle, Buffer.concat([MAGIC, iv, cipher.getAuthTag()]), 0);
}

/** Only a process that knows the key can find, read or write its entry. */
function digest(use: 'name' | 'cipher', key: string): Buffer {
  return createHash('sha256').update(`${use}\0${key}`).digest();
}

function readAll(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  return readInto(handle, at, Buffer.allocUnsafe(length));
}

async function readInto(handle: FileHandle, at: number, bytes: Buffer): Promise<Buffer> {
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    filled += bytesRead;
  }
  return bytes;
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const step = await handle.write(bytes, written, bytes.length - written, at + written);
    written += step.bytesWritten;
  }
}

/** Whether it is the unfinished file of a process of this machine that was killed. */
function isUnfinished(name: string): boolean {
  return name.endsWith(TEMPORARY) && isLeftBehind(name.slice(name.indexOf('.') + 1));
}

/** Removes what is old or unfinished, and then the least recently used until the rest is within `bytes`. */
async function sweep(directory: string, bytes: number): Promise<void> {
  const entries: { readonly path: string; readonly usedAt: number; readonly weight: number }[] = [];
  for await (const { name } of await opendir(directory)) {
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    // A clock that was set back has left times that are yet to come.
    const age = Math.abs(Date.now() - stats.mtimeMs);
    const isOver = age > (name.endsWith(TEMPORARY) ? UNFINISHED_MS : UNUSED_MS);
    if (isOver || isUnfinished(name)) await rm(path, { force: true });
    else entries.push({ path, usedAt: stats.mtimeMs, weight: Math.max(stats.size, BLOCK) });
  }
  let total = entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const { path, weight } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= bytes) return;
    await rm(path, { force: true });
    total -= weight;
  }
}

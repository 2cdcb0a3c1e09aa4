/**
 * A cache on disk for derived data that should outlive the process: one private file per key, within a budget. A value that
 * cannot be read completely is a miss; a value that cannot be written is not cached. Where another account could replace the
 * directory there is no cache.
 *
 * Not cacache (20.0.4 was tried): it has no budget and no eviction, its files are readable by everybody under the usual
 * umask, it brings 17 packages and takes 3.6 ms for each value.
 */

import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FILE, privateDirectory } from '../files/kept-files.ts';
import type { CachePart, LocalCache, TakePiece } from '../types/session.ts';
import { cacheDirectory, isLeftBehind, ownName, readInto, writeAt } from './directories.ts';

export interface DiskCacheOptions {
  /** Its directory, created if missing; below the XDG cache directory when absent. */
  readonly directory?: string | undefined;
  /** The approximate budget of all its files in bytes; 512 MiB when absent. */
  readonly bytes?: number | undefined;
}

const DEFAULT_CACHE_BYTES = 512 << 20;

/** One value may take an eighth of the budget. After an eighth was written, the directory is swept again. */
const PARTS = 8;

/** How many values are written at a time; others are not cached. */
const MAX_WRITES = 8;

/** After this time the time of the last use is updated, and the directory is swept again. */
const NOTE_MS = 10 * 60_000;

/** An entry that was not used for this long is removed. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/** An unfinished file of another machine is considered abandoned after this long. */
const UNFINISHED_MS = 60 * 60_000;

/** Bytes that even the smallest file takes on disk. */
const BLOCK_BYTES = 4096;

/** A file begins with this and the SHA-256 of key and value. Increment the number when the layout changes. */
const MAGIC = Buffer.from('orielc2\n');
const HEADER_BYTES = MAGIC.length + 32;

/** Bytes that are read and written in one step. */
const PIECE_BYTES = 256 << 10;

/** The suffix of a file that is still being written, after the name of its process. */
const TEMPORARY = '.tmp';

/** The names that the sweep may remove: of values, of unfinished ones, and of locks that earlier versions made. */
const ENTRY = /^[0-9a-f]{64}(?:\.[\w.-]+\.tmp)?$/;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class FileCache implements LocalCache {
  readonly #given: string | undefined;
  readonly #bytes: number;
  /** What `close` waits for: writes and removals. */
  readonly #working = new Set<Promise<void>>();
  /** The last of the changes, which run one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #writing = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #written = 0;
  #hits = 0;
  #misses = 0;

  constructor({ directory, bytes = DEFAULT_CACHE_BYTES }: DiskCacheOptions = {}) {
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
    const pieces = this.#pieces(handle, key);
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
    return this.#writing < MAX_WRITES ? this.#work(this.#store(key, parts)) : Promise.resolve();
  }

  change(key: string, next: (value: Buffer | undefined) => Uint8Array): Promise<void> {
    const change = async (): Promise<void> => this.#store(key, [next(await this.#find(key))]);
    return (this.#changing = this.#work(this.#changing.then(change)));
  }

  remove(key: string): void {
    const removeFile = async (): Promise<void> => {
      const path = this.#pathOf(key);
      if (path !== undefined) await rm(path, { force: true });
    };
    // A write that has already started would restore the value.
    void this.#work(Promise.all(this.#working).then(removeFile));
  }

  async keepWhile(name: string, version: string): Promise<void> {
    const key = `kept while ${name}`;
    if ((await this.#find(key))?.toString() === version) return;
    await Promise.all(this.#working);
    const directory = this.#directory();
    if (directory === undefined) return;
    await this.#work(sweep(directory, 0));
    await this.#work(this.#store(key, [Buffer.from(version)]));
  }

  #work(work: Promise<void>): Promise<void> {
    const done = work.catch(() => undefined).finally(() => this.#working.delete(done));
    this.#working.add(done);
    return done;
  }

  async close(): Promise<void> {
    await Promise.all(this.#working);
  }

  /** The private directory, checked again at each use. Undefined if there is none. */
  #directory(): string | undefined {
    try {
      return privateDirectory(this.#given ?? join(cacheDirectory(), 'derived'));
    } catch {
      return undefined;
    }
  }

  #pathOf(key: string): string | undefined {
    const directory = this.#directory();
    return directory === undefined ? undefined : join(directory, digestOf('name', key).digest('hex'));
  }

  /** The pieces of the value. Returns whether they are complete and unchanged; until then they may be wrong. */
  async *#pieces(
    handle: FileHandle,
    key: string,
  ): AsyncGenerator<{ readonly piece: Buffer; readonly size: number }, boolean> {
    const stats = await handle.stat();
    const size = stats.size - HEADER_BYTES;
    if (!isOurs(stats) || stats.size > this.#bytes) return false;
    const header = await readFrom(handle, 0, HEADER_BYTES);
    const digest = digestOf('value', key);
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const piece = await readFrom(handle, HEADER_BYTES + at, Math.min(PIECE_BYTES, size - at));
      digest.update(piece);
      yield { piece, size };
    }
    if (!header.equals(Buffer.concat([MAGIC, digest.digest()]))) return false;
    if (Math.abs(Date.now() - stats.mtimeMs) > NOTE_MS) await handle.utimes(new Date(), new Date());
    return true;
  }

  async #store(key: string, parts: readonly CachePart[]): Promise<void> {
    const size = HEADER_BYTES + lengthOf(parts);
    const path = size > this.#bytes / PARTS ? undefined : this.#pathOf(key);
    if (path === undefined) return;
    this.#writing += 1;
    try {
      await write(path, key, parts);
      await this.#bound(size);
    } finally {
      this.#writing -= 1;
    }
  }

  /** Sweeps the directory when due: after a part of the budget was written, or by time, because other processes write too. */
  async #bound(size: number): Promise<void> {
    this.#written += Math.max(size, BLOCK_BYTES);
    const now = performance.now();
    if (this.#written <= this.#bytes / PARTS && now - this.#sweptAt <= NOTE_MS) return;
    const directory = this.#directory();
    if (directory === undefined) return;
    this.#written = 0;
    this.#sweptAt = now;
    await sweep(directory, this.#bytes - (2 * this.#bytes) / PARTS);
  }
}

export function lengthOf(parts: readonly CachePart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Bytes `start` (0-based) to `start + length` (exclusive) of all parts together; fewer only at the end. */
export async function readParts(
  parts: readonly CachePart[],
  start: number,
  length: number,
): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(0, start - at);
    const to = Math.min(part.length, start + length - at);
    if (from < to) found.push(await readPart(part, from, to));
    at += part.length;
  }
  return Buffer.concat(found);
}

async function readPart(part: CachePart, from: number, to: number): Promise<Uint8Array> {
  if (part instanceof Uint8Array) return part.subarray(from, to);
  const bytes = await part.read(from, to - from);
  if (bytes.length < to - from) throw new Error('a part has become shorter');
  return bytes;
}

/** Digests of keys, so a name never leads out of the directory, and only who knows the key can find its value. */
function digestOf(use: 'name' | 'value', key: string): Hash {
  return createHash('sha256').update(`${use}\0${key.length}\0${key}`);
}

function isOurs(stats: Stats): boolean {
  return stats.isFile() && (!process.getuid || stats.uid === process.getuid());
}

/** Writes atomically: the file is renamed to its final name when it is complete. */
async function write(path: string, key: string, parts: readonly CachePart[]): Promise<void> {
  const temporary = `${path}.${ownName()}${TEMPORARY}`;
  try {
    const handle = await open(temporary, CREATE, PRIVATE_FILE);
    try {
      const digest = digestOf('value', key);
      const size = lengthOf(parts);
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const piece = await readParts(parts, at, Math.min(PIECE_BYTES, size - at));
        digest.update(piece);
        await writeAt(handle, piece, HEADER_BYTES + at);
      }
      await writeAt(handle, Buffer.concat([MAGIC, digest.digest()]), 0);
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true });
  }
}

async function readFrom(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  if ((await readInto(handle, bytes, at)) < length) throw new Error('the file has become shorter');
  return bytes;
}

/** Removes old and unfinished files, then the least recently used ones until the rest takes at most `bytes`. */
async function sweep(directory: string, bytes: number): Promise<void> {
  const entries: { readonly path: string; readonly usedAt: number; readonly weight: number }[] = [];
  for await (const { name } of await opendir(directory)) {
    const path = join(directory, name);
    const stats = ENTRY.test(name) ? await lstat(path).catch(() => undefined) : undefined;
    if (!stats?.isFile()) continue;
    const isUnfinished = name.endsWith(TEMPORARY);
    // If the clock was set back, some times are in the future.
    const isOld = Math.abs(Date.now() - stats.mtimeMs) > (isUnfinished ? UNFINISHED_MS : UNUSED_MS);
    const isLeft = isUnfinished && isLeftBehind(name.slice(name.indexOf('.') + 1, -TEMPORARY.length));
    if (isOld || isLeft) await rm(path, { force: true });
    else entries.push({ path, usedAt: stats.mtimeMs, weight: Math.max(stats.size, BLOCK_BYTES) });
  }
  let total = entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const { path, weight } of entries.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (total <= bytes) return;
    await rm(path, { force: true });
    total -= weight;
  }
}

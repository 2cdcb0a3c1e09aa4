/**
 * The cache of derived data that replicas share: pages, GitHub replies and converted documents that one replica has
 * read are found by the others in the shared store. The second level is the cache on the local disk, which also answers
 * while the shared store is unavailable.
 */

import { randomBytes } from 'node:crypto';
import { MOST_VALUE } from '../state/bounds.ts';
import { beforeClose } from '../state/store-timeout.ts';
import {
  CACHE_MS,
  cacheName,
  largeName,
  MissingPiece,
  piecesOf,
  putJson,
  putPieces,
  readJson,
  removePieces,
  resultName,
} from '../state/work-values.ts';
import type { StateSpace } from '../types/state.ts';
import type { CachePart, DiskCache, TakePiece } from '../types/session.ts';
import { lengthOf, readParts } from './disk-cache.ts';

/** The most bytes of a shared value; a larger one stays on this machine. */
const MOST_SHARED: number = 16 << 20;

/** The most bytes that are being sent to the store at a time; beyond that, values stay on this machine. */
const MOST_SENDING: number = 32 << 20;

/** The index of a value that is stored in several pieces. */
interface Large {
  readonly id: string;
  readonly bytes: number;
}

export interface OwnCache extends DiskCache {
  close(): Promise<void>;
}

export class SharedCache implements OwnCache {
  readonly #own: OwnCache;
  readonly #space: StateSpace;
  /** The last pending operation of each key. */
  readonly #working = new Map<string, Promise<void>>();
  #sending = 0;
  #hits = 0;
  #misses = 0;

  constructor(own: OwnCache, space: StateSpace) {
    this.#own = own;
    this.#space = space;
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Looks in the shared store first, because another replica may have a newer version of the page. */
  async get(key: string): Promise<Buffer | undefined> {
    const value = (await this.#shared(key)) ?? (await this.#own.get(key));
    this.#count(value !== undefined);
    return value;
  }

  async getPieces(key: string, begin: () => TakePiece): Promise<boolean> {
    const found = (await this.#takeShared(key, begin)) || (await this.#own.getPieces(key, begin));
    this.#count(found);
    return found;
  }

  async all(key: string): Promise<readonly Buffer[]> {
    const both = await Promise.all([this.#shared(key), this.#own.get(key)]);
    const all = both.filter((value) => value !== undefined);
    this.#count(all.length > 0);
    return all;
  }

  /** Resolves when the value is stored, or the store has not accepted it. */
  async put(key: string, parts: readonly CachePart[]): Promise<void> {
    const size = lengthOf(parts);
    await Promise.all([this.#own.put(key, parts), this.#work(key, () => this.#send(key, parts, size))]);
  }

  remove(key: string): void {
    this.#own.remove(key);
    void this.#work(key, () => this.#removeShared(key));
  }

  async close(): Promise<void> {
    const working = Promise.allSettled(this.#working.values());
    await Promise.all([beforeClose(working), this.#own.close()]);
  }

  /**
   * Operations on a key run one after the other: otherwise a value that is being sent could reappear after it
   * was removed.
   */
  #work(key: string, act: () => Promise<void>): Promise<void> {
    const done = (this.#working.get(key) ?? Promise.resolve()).then(act).finally(() => {
      if (this.#working.get(key) === done) this.#working.delete(key);
    });
    this.#working.set(key, done);
    return done;
  }

  #count(found: boolean): void {
    if (found) this.#hits += 1;
    else this.#misses += 1;
  }

  async #shared(key: string): Promise<Buffer | undefined> {
    let pieces: Buffer[] = [];
    const begin = (): TakePiece => {
      pieces = [];
      return (piece) => Promise.resolve(void pieces.push(piece));
    };
    return (await this.#takeShared(key, begin)) ? Buffer.concat(pieces) : undefined;
  }

  async #takeShared(key: string, begin: () => TakePiece): Promise<boolean> {
    const value = await this.#space.get(cacheName(key));
    if (value === 'away') return false;
    if (value === undefined) return this.#takeLarge(key, begin);
    await begin()(value);
    return true;
  }

  async #takeLarge(key: string, begin: () => TakePiece): Promise<boolean> {
    const large = await this.#largeOf(key);
    if (!large) return false;
    const take = begin();
    try {
      for await (const piece of piecesOf(this.#space, resultName(large.id), large.bytes)) await take(piece);
      return true;
    } catch (error) {
      if (error instanceof MissingPiece) return false;
      throw error;
    }
  }

  async #send(key: string, parts: readonly CachePart[], size: number): Promise<void> {
    // If the new value is not sent, the older value in the store must be removed, because it would be found
    // first.
    if (size > MOST_SHARED || this.#sending + size > MOST_SENDING) return this.#removeShared(key);
    this.#sending += size;
    try {
      if (size > MOST_VALUE) await this.#sendLarge(key, parts, size);
      else await this.#sendSmall(key, await readParts(parts, 0, size));
    } catch {
      // A part could not be read: the value is not shared.
      await this.#removeShared(key);
    } finally {
      this.#sending -= size;
    }
  }

  async #sendSmall(key: string, value: Uint8Array): Promise<void> {
    if (await this.#space.put(cacheName(key), value, CACHE_MS)) await this.#removeLarge(key);
    else await this.#removeShared(key);
  }

  /** Stores the pieces before their index, so that the value is found completely or not at all. */
  async #sendLarge(key: string, parts: readonly CachePart[], bytes: number): Promise<void> {
    const large: Large = { id: randomBytes(12).toString('base64url'), bytes };
    const read = (start: number, length: number): Promise<Uint8Array> => readParts(parts, start, length);
    await this.#removeShared(key);
    const isSent =
      (await putPieces(this.#space, resultName(large.id), read, bytes, CACHE_MS)) &&
      (await putJson(this.#space, largeName(key), large, CACHE_MS));
    if (!isSent) await removePieces(this.#space, resultName(large.id), bytes);
  }

  async #removeShared(key: string): Promise<void> {
    await Promise.all([this.#space.remove(cacheName(key)), this.#removeLarge(key)]);
  }

  /** Removes the index and the pieces, which could not be found without it. */
  async #removeLarge(key: string): Promise<void> {
    const large = await this.#largeOf(key);
    if (!large) return;
    await this.#space.remove(largeName(key));
    await removePieces(this.#space, resultName(large.id), large.bytes);
  }

  async #largeOf(key: string): Promise<Large | undefined> {
    const large = await readJson<Large>(this.#space, largeName(key));
    return large === 'away' ? undefined : large;
  }
}

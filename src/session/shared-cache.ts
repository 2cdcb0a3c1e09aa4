/**
 * The cache of derived things that replicas share: what one has read from the web, from GitHub or out of a document, the
 * others find in the store. Behind it is the cache on the disk of this machine, which also answers while the store is away.
 */

import type { DiskCache } from '../types/session.ts';
import { CACHE_MS, cacheName } from '../state/work-values.ts';
import type { StateSpace } from '../types/state.ts';

/** Bytes of one value that is shared; a larger one stays on this machine. */
const MOST_SHARED: number = 2 << 20;

/** Values that are on their way to the store; more are kept here alone. */
const MOST_SENDING = 8;

export interface OwnCache extends DiskCache {
  close(): Promise<void>;
}

export class SharedCache implements OwnCache {
  readonly #own: OwnCache;
  readonly #space: StateSpace;
  readonly #sending = new Set<Promise<unknown>>();
  #hits = 0;
  #misses = 0;

  constructor(own: OwnCache, space: StateSpace) {
    this.#own = own;
    this.#space = space;
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The store is asked first: another replica may have read the page again since. */
  async get(key: string): Promise<Buffer | undefined> {
    const shared = await this.#space.get(cacheName(key));
    const value = shared instanceof Uint8Array ? shared : await this.#own.get(key);
    if (value) this.#hits += 1;
    else this.#misses += 1;
    return value;
  }

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const written = this.#own.put(key, parts);
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    // What is not sent must not leave an older value there, which would be found first.
    if (size > MOST_SHARED || this.#sending.size >= MOST_SENDING) this.#removeShared(key);
    else this.#work(this.#space.put(cacheName(key), Buffer.concat(parts), CACHE_MS));
    return written;
  }

  remove(key: string): void {
    this.#own.remove(key);
    this.#removeShared(key);
  }

  #removeShared(key: string): void {
    // A value that is being sent would be there again.
    this.#work(Promise.all(this.#sending).then(() => this.#space.remove(cacheName(key))));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sending, this.#own.close()]);
  }

  #work(work: Promise<unknown>): void {
    const done = work.finally(() => this.#sending.delete(done));
    this.#sending.add(done);
  }
}

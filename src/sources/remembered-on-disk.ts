/**
 * What servers answered, in the cache on disk: the next process need not ask again. The key holds everything that
 * shapes the answer, a digest of the token too: an entry is found and decrypted with the same token alone.
 */

import type { Identity } from '../identity.ts';
import { frame, FrameReader } from '../text/frames.ts';
import type { DiskCache } from '../types/session.ts';

/** A value, and when it was asked for: milliseconds since the epoch. */
export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

/** How values of one kind are written. */
export interface Written<T> {
  /** Counted up when the layout changes. */
  readonly version: number;
  /** Plain JSON, and bytes. */
  parts(value: T): { readonly head: unknown; readonly body: Uint8Array };
  value(head: unknown, body: Buffer): T;
}

export class DiskCopy<T> {
  readonly #disk: DiskCache;
  readonly #written: Written<T>;
  readonly #key: string;

  constructor(disk: DiskCache, of: Identity, written: Written<T>) {
    this.#disk = disk;
    this.#written = written;
    this.#key = JSON.stringify(['remembered', written.version, of.key]);
  }

  /** Undefined also for one from the future: a clock that was set back would keep it new for long. */
  async find(now: number): Promise<Dated<T> | undefined> {
    const kept = await this.#disk.get(this.#key);
    const read = kept && new FrameReader(kept.length).push(kept);
    if (!read) return undefined;
    const { at, head } = read.head as { readonly at: number; readonly head: unknown };
    return at > now ? undefined : { at, value: this.#written.value(head, read.body) };
  }

  keep({ value, at }: Dated<T>): void {
    const { head, body } = this.#written.parts(value);
    this.#disk.put(this.#key, frame({ at, head }, body));
  }

  forget(): void {
    this.#disk.remove(this.#key);
  }
}

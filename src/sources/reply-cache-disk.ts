/**
 * Caches replies of servers on disk for later processes. The cache key contains everything that affects the reply, including
 * a digest of the token, so that an entry can be found and decrypted only with the same token.
 */

import type { Identity } from '../identity.ts';
import { frame, FrameReader } from '../text/frames.ts';
import type { DiskCache } from '../types/session.ts';

/** A value, and when it was requested (ms since the epoch). */
export interface Dated<T> {
  readonly value: T;
  readonly at: number;
}

/** The serialisation of values of one kind. */
export interface Written<T> {
  /** Increment it when the layout changes. */
  readonly version: number;
  /** A value as plain JSON and bytes. */
  parts(value: T): { readonly head: unknown; readonly body: Uint8Array };
  value(head: unknown, body: Buffer): T;
}

/** The header of an entry. `gone` marks a removed value, which invalidates older copies. */
interface Front {
  readonly at: number;
  readonly head?: unknown;
  readonly gone?: true;
}

const NOTHING = new Uint8Array(0);

export class DiskCopy<T> {
  readonly #disk: DiskCache;
  readonly #written: Written<T>;
  readonly #key: string;

  constructor(disk: DiskCache, of: Identity, written: Written<T>) {
    this.#disk = disk;
    this.#written = written;
    this.#key = JSON.stringify(['remembered', written.version, of.key]);
  }

  /**
   * The newest copy of this machine and the shared store: either may have missed an update while the store was unavailable.
   * An entry from the future is ignored, because after a clock was set back it would stay fresh for too long.
   */
  async find(now: number): Promise<Dated<T> | undefined> {
    const disk = this.#disk;
    const kept = disk.all ? await disk.all(this.#key) : [await disk.get(this.#key)];
    const [newest] = kept
      .flatMap((bytes) => (bytes && new FrameReader(bytes.length).push(bytes)) ?? [])
      .map(({ head, body }) => ({ ...(head as Front), body }))
      .filter(({ at }) => at <= now)
      .sort((a, b) => b.at - a.at);
    if (!newest || newest.gone) return undefined;
    return { at: newest.at, value: this.#written.value(newest.head, newest.body) };
  }

  /** Stores a value. With a shared store it resolves when other replicas can find it; otherwise immediately. */
  async keep({ value, at }: Dated<T>): Promise<void> {
    const { head, body } = this.#written.parts(value);
    const put = this.#disk.put(this.#key, frame({ at, head } satisfies Front, body));
    if (this.#disk.all) await put;
  }

  /** Removes the value. With a shared store a mark is written that invalidates older copies of all replicas. */
  async forget(at: number): Promise<void> {
    if (this.#disk.all) await this.#disk.put(this.#key, frame({ at, gone: true } satisfies Front, NOTHING));
    else this.#disk.remove(this.#key);
  }
}

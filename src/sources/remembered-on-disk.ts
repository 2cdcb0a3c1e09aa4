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

/** What precedes a value; `gone`: there is none, and older ones do not count any more. */
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
   * The newest of those that this machine and other replicas have: either may have missed what came while the store between
   * them was away. Undefined also for one from the future: a clock that was set back would keep it new for long.
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

  /** Resolves when other replicas find it, as far as they can; for this machine alone nobody waits. */
  async keep({ value, at }: Dated<T>): Promise<void> {
    const { head, body } = this.#written.parts(value);
    const put = this.#disk.put(this.#key, frame({ at, head } satisfies Front, body));
    if (this.#disk.all) await put;
  }

  /** Where replicas have it too, a mark is left: what is older counts no more, whoever still has it. */
  async forget(at: number): Promise<void> {
    if (this.#disk.all) await this.#disk.put(this.#key, frame({ at, gone: true } satisfies Front, NOTHING));
    else this.#disk.remove(this.#key);
  }
}

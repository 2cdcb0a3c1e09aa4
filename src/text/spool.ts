/**
 * Makes a stream readable at any offset. It is pulled only as far as its readers need, up to a cap, and stored in memory
 * while it is small, then in a private file.
 */

import type { Identity } from '../identity.ts';
import type { ByteSource } from '../types/access.ts';

/** The file of a spool that is too large for memory: it is appended to, and read at offsets. */
export interface Overflow {
  append(bytes: Uint8Array): Promise<void>;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly identity: Identity;
  /** Maximum bytes in memory; above that, `overflow` is opened. */
  readonly memory: number;
  /** Maximum bytes: after them the stream is ended and `capped` is set. */
  readonly cap: number;
  overflow(): Promise<Overflow>;
  /** Ends the work that produces the stream, even in the middle of a step. */
  stop?(): void;
}

/** When no reader waits for a step any more, the work is ended after this many milliseconds. */
const GRACE_MS = 1_000;

export class Spool implements ByteSource {
  readonly identity: Identity;
  readonly streamed = true;
  /** The stream was truncated at the cap. */
  capped = false;

  #pulled = 0;
  #ended = false;
  #closed = false;
  #failure: unknown;
  #chunks: Uint8Array[] = [];
  #overflow: Overflow | undefined;
  #pulling: Promise<void> | undefined;
  #waiting = 0;
  readonly #stream: AsyncIterator<Uint8Array>;
  readonly #options: SpoolOptions;

  constructor(stream: AsyncIterable<Uint8Array>, options: SpoolOptions) {
    this.#stream = stream[Symbol.asyncIterator]();
    this.#options = options;
    this.identity = options.identity;
  }

  /** Bytes, once the stream has ended; undefined before, and if it failed: a part must not be taken for the whole. */
  get size(): number | undefined {
    return this.#ended && !this.failed ? this.#pulled : undefined;
  }

  /** Whether the stream threw, or was closed before its end: its rest will never arrive. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Bytes of memory, bytes on disk and descriptors of the spool, without those of the work that produces the stream. */
  get held(): { readonly memory: number; readonly disk: number; readonly descriptors: number } {
    if (this.#closed) return { memory: 0, disk: 0, descriptors: 0 };
    return this.#overflow
      ? { memory: 0, disk: this.#pulled, descriptors: 1 }
      : { memory: this.#pulled, disk: 0, descriptors: 0 };
  }

  /** Pulls until `offset` bytes are stored or the stream ends. Throws what the stream threw. */
  async ensure(offset: number, signal?: AbortSignal): Promise<void> {
    while (this.#pulled < offset && !this.#ended) {
      signal?.throwIfAborted();
      this.#pulling ??= this.#pull().finally(() => (this.#pulling = undefined));
      await this.#waitFor(this.#pulling, signal);
    }
    if (this.#failure !== undefined && this.#pulled < offset) throw this.#failure;
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    await this.ensure(offset + target.length, signal);
    const room = Math.min(target.length, this.#pulled - offset);
    if (room <= 0) return 0;
    if (this.#overflow) return this.#overflow.readInto(target.subarray(0, room), offset);
    let at = 0;
    let written = 0;
    for (const chunk of this.#chunks) {
      if (at + chunk.length > offset + written && written < room) {
        const part = chunk.subarray(offset + written - at, offset + room - at);
        target.set(part, written);
        written += part.length;
      }
      at += chunk.length;
    }
    return written;
  }

  /** Ends the stream and frees its memory or file, even a file that is still being opened. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#end(new Error('The spool is closed.'));
    this.#options.stop?.();
    await this.#pulling;
    try {
      await this.#stream.return?.();
    } finally {
      this.#chunks = [];
      await this.#overflow?.close();
    }
  }

  /** A cancelled reader stops waiting. The step continues for other readers, and for `GRACE_MS` if there are none. */
  async #waitFor(pulling: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    this.#waiting += 1;
    let leave = (): void => undefined;
    try {
      if (!signal) return await pulling;
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => reject(signal.reason as Error);
        leave = () => signal.removeEventListener('abort', abort);
        signal.addEventListener('abort', abort, { once: true });
        pulling.then(resolve, reject);
      });
    } finally {
      leave();
      this.#waiting -= 1;
      if (signal?.aborted && this.#waiting === 0) this.#giveUpOn(pulling);
    }
  }

  #giveUpOn(pulling: Promise<void>): void {
    const timer = setTimeout(() => {
      if (this.#pulling !== pulling || this.#waiting > 0) return;
      this.#end(new Error('Nobody waits for this stream any more.'));
      this.#options.stop?.();
    }, GRACE_MS);
    timer.unref();
    void pulling.finally(() => clearTimeout(timer));
  }

  #end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
  }

  async #pull(): Promise<void> {
    try {
      const step = await this.#stream.next();
      if (step.done) {
        this.#end();
        return;
      }
      const room = this.#options.cap - this.#pulled;
      await this.#keep(step.value.length > room ? step.value.subarray(0, room) : step.value);
      if (step.value.length > room) {
        this.capped = true;
        this.#end();
        await this.#stream.return?.();
      }
    } catch (error) {
      this.#end(error);
    }
  }

  async #keep(chunk: Uint8Array): Promise<void> {
    if (!this.#overflow && this.#pulled + chunk.length > this.#options.memory) await this.#goToOverflow();
    // A closed spool has no readers, and its storage is freed.
    if (this.#closed) return;
    if (this.#overflow) await this.#overflow.append(chunk);
    else this.#chunks.push(Uint8Array.from(chunk));
    this.#pulled += chunk.length;
  }

  async #goToOverflow(): Promise<void> {
    const overflow = await this.#options.overflow();
    try {
      for (const held of this.#chunks) await overflow.append(held);
    } catch (error) {
      await overflow.close();
      throw error;
    }
    this.#overflow = overflow;
    this.#chunks = [];
  }
}

/**
 * One reader's view of a spool that is shared. It reports the size, and a failure of the stream, only after it has read
 * that far itself: so an answer does not depend on what other readers have pulled.
 */
export class SpoolReader implements ByteSource {
  readonly identity: Identity;
  readonly streamed = true;
  readonly #spool: Spool;
  #reached = 0;

  constructor(spool: Spool) {
    this.#spool = spool;
    this.identity = spool.identity;
  }

  get size(): number | undefined {
    const { size } = this.#spool;
    return size !== undefined && this.#reached > size ? size : undefined;
  }

  get capped(): boolean {
    return this.size !== undefined && this.#spool.capped;
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    const got = await this.#spool.readInto(target, offset, signal);
    this.#reached = Math.max(this.#reached, offset + target.length);
    return got;
  }
}

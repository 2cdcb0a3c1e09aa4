/**
 * Owns turning a stream into a ByteSource that grows: pulled only as far as a window needs, in memory while it is
 * small, in a private file when it is not, and never past its cap.
 */

import type { ByteSource } from '../types/byte-source.ts';

/** Where the spool goes when it outgrows memory: appended to in order, read at offsets. */
export interface Overflow {
  append(bytes: Uint8Array): Promise<void>;
  readInto(target: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly version: string;
  /** Bytes kept in memory before the overflow is opened. */
  readonly memory: number;
  /** Bytes after which the stream is ended and `capped` is set. */
  readonly cap: number;
  overflow(): Promise<Overflow>;
}

export class Spool implements ByteSource {
  readonly version: string;
  /** The stream was ended by the cap: more would have followed. */
  capped = false;
  /** Newlines in what has been pulled so far. */
  newlines = 0;

  #pulled = 0;
  #ended = false;
  #failure: unknown;
  #chunks: Uint8Array[] = [];
  #overflow: Overflow | undefined;
  #pulling: Promise<void> | undefined;
  readonly #stream: AsyncIterator<Uint8Array>;
  readonly #options: SpoolOptions;

  constructor(stream: AsyncIterable<Uint8Array>, options: SpoolOptions) {
    this.#stream = stream[Symbol.asyncIterator]();
    this.#options = options;
    this.version = options.version;
  }

  /** Bytes, once the stream has ended; undefined before. */
  get size(): number | undefined {
    return this.#ended ? this.#pulled : undefined;
  }

  readonly streamed = true;

  /** Bytes pulled so far. */
  get pulled(): number {
    return this.#pulled;
  }

  /** Pulls until `offset` bytes are there or the stream ends. Throws what the stream threw. */
  async ensure(offset: number, signal?: AbortSignal): Promise<void> {
    while (this.#pulled < offset && !this.#ended) {
      signal?.throwIfAborted();
      this.#pulling ??= this.#pull().finally(() => (this.#pulling = undefined));
      await this.#pulling;
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

  /** Ends the stream and gives its memory or file back. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#chunks = [];
    await this.#stream.return?.();
    await this.#overflow?.close();
  }

  async #pull(): Promise<void> {
    try {
      const step = await this.#stream.next();
      if (step.done) {
        this.#ended = true;
        return;
      }
      const room = this.#options.cap - this.#pulled;
      const chunk = step.value.length > room ? step.value.subarray(0, room) : step.value;
      await this.#keep(chunk);
      if (step.value.length > room) {
        this.capped = true;
        this.#ended = true;
        await this.#stream.return?.();
      }
    } catch (error) {
      this.#failure = error;
      this.#ended = true;
    }
  }

  async #keep(chunk: Uint8Array): Promise<void> {
    if (!this.#overflow && this.#pulled + chunk.length > this.#options.memory) {
      const overflow = await this.#options.overflow();
      for (const held of this.#chunks) await overflow.append(held);
      this.#chunks = [];
      this.#overflow = overflow;
    }
    if (this.#overflow) await this.#overflow.append(chunk);
    else this.#chunks.push(Uint8Array.from(chunk));
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.newlines += 1;
    this.#pulled += chunk.length;
  }
}

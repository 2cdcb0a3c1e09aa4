/** A cursor that moves forward through an archive: one interface for a file, which can seek, and for a stream. */

import type { ByteSource } from '../../types/access.ts';

export interface ByteCursor {
  /** The offset of the next byte that `read` returns. */
  readonly position: number;
  /** Reads up to `length` bytes, fewer only at the end. The buffer is valid until the next call. */
  read(length: number): Promise<Uint8Array>;
  /** Moves forward by `length` bytes; returns how many of these exist. */
  skip(length: number): Promise<number>;
}

/** Bytes that are read ahead, so that skipping a small member needs no read. */
const READ_AHEAD = 64 << 10;
/** Bytes that are read after a skip beyond the read-ahead: between large members there are only headers. */
const READ_AFTER_HOP = 4 << 10;

/** A cursor over a `ByteSource`; skipping needs no read. */
export class SeekingCursor implements ByteCursor {
  position = 0;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;
  #held = Buffer.alloc(0);
  #heldAt = 0;

  constructor(source: ByteSource, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  async read(length: number): Promise<Uint8Array> {
    const from = this.position - this.#heldAt;
    if (from < 0 || from + length > this.#held.length) await this.#fill(length);
    const start = this.position - this.#heldAt;
    const part = this.#held.subarray(start, start + length);
    this.position += part.length;
    return part;
  }

  skip(length: number): Promise<number> {
    const room = Math.max(0, (this.#source.size ?? Number.POSITIVE_INFINITY) - this.position);
    const moved = Math.min(length, room);
    this.position += moved;
    return Promise.resolve(moved);
  }

  async #fill(length: number): Promise<void> {
    const hopped = this.position > this.#heldAt + this.#held.length;
    const buffer = Buffer.allocUnsafe(Math.max(length, hopped ? READ_AFTER_HOP : READ_AHEAD));
    const got = await this.#source.readInto(buffer, this.position, this.#signal);
    this.#held = buffer.subarray(0, got);
    this.#heldAt = this.position;
  }
}

/** A cursor over a stream; skipping reads and drops bytes. */
export class StreamCursor implements ByteCursor {
  position = 0;
  readonly #stream: AsyncIterator<Uint8Array>;
  #held: Uint8Array = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  async read(length: number): Promise<Uint8Array> {
    if (this.#held.length < length) {
      // Copied, because the buffer of a chunk is reused for the next one.
      const parts = [Uint8Array.from(this.#held)];
      let got = this.#held.length;
      while (got < length) {
        const step = await this.#stream.next();
        if (step.done) break;
        parts.push(Uint8Array.from(step.value));
        got += step.value.length;
      }
      this.#held = Buffer.concat(parts);
    }
    return this.#take(length);
  }

  async skip(length: number): Promise<number> {
    let left = length - this.#take(length).length;
    while (left > 0) {
      const step = await this.#stream.next();
      if (step.done) break;
      this.#held = step.value;
      left -= this.#take(left).length;
    }
    return length - left;
  }

  /** Yields the next `length` bytes as they arrive, without copying. */
  async *stream(length: number): AsyncGenerator<Uint8Array> {
    let left = length;
    while (left > 0) {
      if (this.#held.length === 0) {
        const step = await this.#stream.next();
        if (step.done) return;
        this.#held = step.value;
      }
      const part = this.#take(left);
      left -= part.length;
      yield part;
    }
  }

  async close(): Promise<void> {
    await this.#stream.return?.();
  }

  #take(length: number): Uint8Array {
    const part = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(part.length);
    this.position += part.length;
    return part;
  }
}

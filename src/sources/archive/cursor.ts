/** Reading forward through an archive: one interface for a file, which can seek, and for a stream. */

import type { ByteSource } from '../../types/byte-source.ts';

export interface Cursor {
  /** Byte offset of what `read` gives next. */
  readonly position: number;
  /** Up to `length` bytes, valid until the next call; fewer only at the end. */
  read(length: number): Promise<Uint8Array>;
  /** Moves forward by `length` bytes; returns how many of them exist. */
  skip(length: number): Promise<number>;
}

/** Bytes read ahead: skipping a small member then costs no read. */
const READ_AHEAD = 64 << 10;
/** Bytes read after a skip past the read-ahead: between large members there are only headers. */
const READ_AFTER_HOP = 4 << 10;

/** A cursor over bytes at offsets; skipping costs nothing. */
export class SeekingCursor implements Cursor {
  position: number;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal | undefined;
  #held = Buffer.alloc(0);
  #heldAt = 0;

  constructor(source: ByteSource, position: number, signal?: AbortSignal) {
    this.#source = source;
    this.position = position;
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

/** A cursor over a stream; skipping reads and drops. */
export class StreamCursor implements Cursor {
  position = 0;
  readonly #stream: AsyncIterator<Uint8Array>;
  #held: Uint8Array = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  async read(length: number): Promise<Uint8Array> {
    if (this.#held.length < length) {
      // A chunk is valid until the next one is asked for.
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

  /** The next `length` bytes as they arrive, without copying. */
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

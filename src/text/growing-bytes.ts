/**
 * Bytes that arrive in pieces. They are in one memory that grows in place and is freed at once: buffers that nobody needs
 * any more stay resident for as long as V8 sees no reason to collect them.
 */

const FIRST_BYTES = 64 << 10;

export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #length = 0;

  /** Address space for `most` bytes is reserved, and none of it resident. */
  constructor(most: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: most });
  }

  get length(): number {
    return this.#length;
  }

  /** As many of `bytes` as there is room for. */
  add(bytes: Uint8Array): void {
    const { byteLength, maxByteLength } = this.#memory;
    const part = bytes.subarray(0, maxByteLength - this.#length);
    const end = this.#length + part.length;
    if (end > byteLength)
      this.#memory.resize(Math.min(maxByteLength, Math.max(end, 2 * byteLength, FIRST_BYTES)));
    new Uint8Array(this.#memory).set(part, this.#length);
    this.#length = end;
  }

  /** A copy of what was added. */
  copy(): Buffer {
    return Buffer.from(new Uint8Array(this.#memory, 0, this.#length));
  }

  /** Gives the memory back: nothing was added. */
  free(): void {
    this.#length = 0;
    if (this.#memory.byteLength > 0) this.#memory.resize(0);
  }
}

/**
 * Collects bytes that arrive in pieces. They are in one resizable ArrayBuffer, which grows in place and can be freed at
 * once. Unused Buffers would stay resident until V8's garbage collection.
 */

const FIRST_BYTES = 64 << 10;

export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #length = 0;

  /** Reserves address space for `most` bytes; none of it is resident yet. */
  constructor(most: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: most });
  }

  get length(): number {
    return this.#length;
  }

  /** Adds `bytes`; drops the part that exceeds the maximum. */
  add(bytes: Uint8Array): void {
    const { byteLength, maxByteLength } = this.#memory;
    const part = bytes.subarray(0, maxByteLength - this.#length);
    const end = this.#length + part.length;
    if (end > byteLength)
      this.#memory.resize(Math.min(maxByteLength, Math.max(end, 2 * byteLength, FIRST_BYTES)));
    new Uint8Array(this.#memory).set(part, this.#length);
    this.#length = end;
  }

  /** A copy of the bytes so far. */
  copy(): Buffer {
    return Buffer.from(new Uint8Array(this.#memory, 0, this.#length));
  }

  /** Frees the memory; afterwards it is empty. */
  free(): void {
    this.#length = 0;
    this.#memory.resize(0);
  }
}

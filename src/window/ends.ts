/** Keeps the first and the last bytes of an output while it is written, and counts its bytes and lines, in bounded memory. */

export interface EndsOptions {
  /** Maximum bytes to keep from the beginning. */
  readonly head: number;
  /** Maximum bytes to keep from the end. */
  readonly tail: number;
  /** Counts the newlines of a chunk. */
  countNewlines(bytes: Uint8Array): number;
}

const NEWLINE = 10;

export class Ends {
  readonly #options: EndsOptions;
  readonly #head: Buffer;
  #ring: Buffer;
  #bytes = 0;
  #newlines = 0;
  #lastLine = 0;

  constructor(options: EndsOptions) {
    this.#options = options;
    this.#head = Buffer.allocUnsafeSlow(options.head);
    // Most outputs are small: the ring buffer starts small and grows up to its full size.
    this.#ring = Buffer.allocUnsafeSlow(Math.min(options.tail, 16 << 10));
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lines so far, including an unterminated last line. */
  get lines(): number {
    return this.#newlines + (this.#endsInsideLine ? 1 : 0);
  }

  /** Newlines so far. */
  get newlines(): number {
    return this.#newlines;
  }

  /** Offset (0-based) at which the last line begins; a final newline does not begin another line. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** The kept first bytes. */
  get head(): Uint8Array {
    return this.#head.subarray(0, Math.min(this.#bytes, this.#head.length));
  }

  /** The kept last bytes, at most `most`, and the offset of the first of them. */
  tail(most: number = Number.POSITIVE_INFINITY): { readonly start: number; readonly bytes: Uint8Array } {
    const size = this.#ring.length;
    const length = Math.min(most, size, this.#bytes);
    const from = (this.#bytes - length) % size;
    const first = this.#ring.subarray(from, from + length);
    const bytes =
      first.length === length ? first : Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
    return { start: this.#bytes - length, bytes };
  }

  /** Copies what it keeps of `chunk`, so that the caller may reuse it. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#noteLastLine(chunk);
    this.#newlines += this.#options.countNewlines(chunk);
    if (this.#bytes < this.#head.length)
      this.#head.set(chunk.subarray(0, this.#head.length - this.#bytes), this.#bytes);
    this.#keepTail(chunk);
    this.#bytes += chunk.length;
  }

  get #endsInsideLine(): boolean {
    return this.#bytes > 0 && this.#lastByte !== NEWLINE;
  }

  get #lastByte(): number | undefined {
    return this.#bytes === 0 ? undefined : this.#ring[(this.#bytes - 1) % this.#ring.length];
  }

  #noteLastLine(chunk: Uint8Array): void {
    if (this.#lastByte === NEWLINE) this.#lastLine = this.#bytes;
    const at = chunk.length < 2 ? -1 : chunk.lastIndexOf(NEWLINE, chunk.length - 2);
    if (at !== -1) this.#lastLine = this.#bytes + at + 1;
  }

  #keepTail(chunk: Uint8Array): void {
    this.#grow(this.#bytes + chunk.length);
    const size = this.#ring.length;
    const kept = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const at = (this.#bytes + chunk.length - kept.length) % size;
    const first = kept.subarray(0, size - at);
    this.#ring.set(first, at);
    this.#ring.set(kept.subarray(first.length), 0);
  }

  #grow(needed: number): void {
    const size = this.#ring.length;
    if (needed <= size || size === this.#options.tail) return;
    // The ring has not wrapped before it has its full size: bytes are at their offsets.
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#options.tail, Math.max(needed, size * 2)));
    larger.set(this.#ring.subarray(0, this.#bytes));
    this.#ring = larger;
  }
}

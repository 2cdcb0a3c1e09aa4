/** Captures the first and last bytes of a streamed output and counts the rest; memory stays bounded. */

export interface EndsOptions {
  /** Bytes remembered of the beginning. */
  readonly head: number;
  /** Bytes remembered of the end. */
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
    // Most outputs are small: the ring grows with them up to its size.
    this.#ring = Buffer.allocUnsafeSlow(Math.min(options.tail, 16 << 10));
  }

  /** Bytes seen. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lines seen, the unfinished last one included. */
  get lines(): number {
    return this.#newlines + (this.#endsInsideLine ? 1 : 0);
  }

  /** Newlines seen. */
  get newlines(): number {
    return this.#newlines;
  }

  /** Offset at which the last line begins; a final newline begins no further line. */
  get lastLine(): number {
    return this.#lastLine;
  }

  /** The first bytes. */
  get head(): Uint8Array {
    return this.#head.subarray(0, Math.min(this.#bytes, this.#head.length));
  }

  /** The last bytes, at most `most` of them, and the offset of the first. */
  tail(most: number = Number.POSITIVE_INFINITY): { readonly start: number; readonly bytes: Uint8Array } {
    const size = this.#ring.length;
    const length = Math.min(most, size, this.#bytes);
    const from = (this.#bytes - length) % size;
    const first = this.#ring.subarray(from, from + length);
    const bytes =
      first.length === length ? first : Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
    return { start: this.#bytes - length, bytes };
  }

  /** Takes a chunk; it may be reused at once. */
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
    // Until it has its full size the ring has never gone round: bytes are at their offsets.
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#options.tail, Math.max(needed, size * 2)));
    larger.set(this.#ring.subarray(0, this.#bytes));
    this.#ring = larger;
  }
}

/**
 * Continues the output of a ripgrep run that ended early with a second run over the same file: checks that the second
 * output begins like the first, and skips that part.
 */

/**
 * Bytes at the end of the first output that are compared. A few addresses are enough to detect a changed file, because
 * they count lines and bytes from its beginning.
 */
const COMPARED = 4 << 10;

export class ResumedOutput {
  #bytes = 0;
  #end: Buffer = Buffer.alloc(0);
  /** Bytes that the second run has given so far. */
  #again = 0;
  #equal = true;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#end =
      chunk.length >= COMPARED
        ? chunk.subarray(-COMPARED)
        : Buffer.concat([this.#end, chunk]).subarray(-COMPARED);
  }

  /** The part of the second run's next chunk that is new; undefined if the outputs differ. */
  newPart(chunk: Buffer): Buffer | undefined {
    const start = this.#bytes - this.#end.length;
    const [from, to] = [Math.max(this.#again, start), Math.min(this.#again + chunk.length, this.#bytes)];
    if (from < to) {
      const again = chunk.subarray(from - this.#again, to - this.#again);
      this.#equal &&= again.equals(this.#end.subarray(from - start, to - start));
    }
    const fresh = chunk.subarray(Math.max(0, Math.min(chunk.length, this.#bytes - this.#again)));
    this.#again += chunk.length;
    return this.#equal ? fresh : undefined;
  }

  /** Whether the second run has repeated the complete output of the first. */
  get isRepeated(): boolean {
    return this.#equal && this.#again >= this.#bytes;
  }
}

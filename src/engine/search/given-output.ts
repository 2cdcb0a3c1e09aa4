/**
 * The output that was passed on before a run ended early: a second run over the same file must begin with it.
 */

/** Bytes at the end that are compared. Addresses count lines and bytes from the beginning: few of them tell two files apart. */
const COMPARED = 4 << 10;

export class GivenOutput {
  #bytes = 0;
  #end: Buffer = Buffer.alloc(0);
  /** Bytes of the second run so far. */
  #again = 0;
  #equal = true;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#end =
      chunk.length >= COMPARED
        ? chunk.subarray(-COMPARED)
        : Buffer.concat([this.#end, chunk]).subarray(-COMPARED);
  }

  /** The new part of a chunk of the second run; undefined if it differs from the output of the first. */
  behind(chunk: Buffer): Buffer | undefined {
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

  /** Whether the second run has given all of it again. */
  get isRepeated(): boolean {
    return this.#equal && this.#again >= this.#bytes;
  }
}

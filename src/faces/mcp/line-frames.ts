/** Splits a stream of bytes into lines in bounded memory: the content of an oversized line is dropped as it comes. */

/** Bytes of one frame at most; an MCP request with its arguments takes a few KiB. */
export const FRAME_BYTES = 4 * 2 ** 20;

const NEWLINE = 0x0a;

export type Frame = { readonly is: 'line'; readonly bytes: Buffer } | { readonly is: 'oversized' };

export class FrameSplitter {
  readonly #most: number;
  #parts: Buffer[] = [];
  /** Bytes of the current line so far, those that were dropped included. */
  #length = 0;

  constructor(most: number = FRAME_BYTES) {
    this.#most = most;
  }

  /** The frames that `chunk` completes. */
  *push(chunk: Buffer): Generator<Frame, void> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      yield this.#take();
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** The last line when it has no newline; undefined after a newline. */
  end(): Frame | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#most) this.#parts.push(bytes);
    else this.#parts = [];
  }

  #take(): Frame {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > this.#most) return { is: 'oversized' };
    return { is: 'line', bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts) };
  }
}

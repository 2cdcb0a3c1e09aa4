/** Splits a stream of bytes into lines in bounded memory: the content of an oversized line is dropped. */

import { GrowingBytes } from '../../text/growing-bytes.ts';

/** Maximum bytes of a line; an MCP request usually has a few KiB. */
export const FRAME_BYTES = 4 * 2 ** 20;

const NEWLINE = 0x0a;

export type Frame = { readonly is: 'line'; readonly bytes: Buffer } | { readonly is: 'oversized' };

export class FrameSplitter {
  readonly #most: number;
  /** The current line so far. One growing buffer, because a Buffer for each piece takes about 300 bytes besides its content. */
  readonly #line: GrowingBytes;
  /** Bytes of the current line so far, including dropped ones. */
  #length = 0;

  constructor(most: number = FRAME_BYTES) {
    this.#most = most;
    this.#line = new GrowingBytes(most);
  }

  /** The frames that `chunk` completes. */
  *push(chunk: Buffer): Generator<Frame, void> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield this.#take(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** The last line if it has no newline; otherwise undefined. */
  end(): Frame | undefined {
    return this.#length === 0 ? undefined : this.#take(Buffer.alloc(0));
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#most) this.#line.add(bytes);
    else this.#line.free();
  }

  /** `rest`: the end of the line. */
  #take(rest: Buffer): Frame {
    const isAll = this.#length === 0;
    const length = this.#length + rest.length;
    if (!isAll) this.#add(rest);
    const bytes = isAll ? rest : this.#line.copy();
    this.#line.free();
    this.#length = 0;
    return length > this.#most ? { is: 'oversized' } : { is: 'line', bytes };
  }
}

/**
 * Owns cutting a stream of bytes into frames of one line each, in bounded memory: a line that never ends must not
 * fill it, nor end the session.
 */

import { IdScanner, type RequestId } from './request-id.ts';

/** Bytes of one frame; a longer one is thrown away as it comes. */
export const FRAME_BYTES = 4 * 2 ** 20;

/** Bytes of an oversized frame that are looked through for its id. */
const SCANNED_BYTES = 64 * 2 ** 20;

const NEWLINE = 0x0a;

export type Frame =
  | { readonly is: 'line'; readonly bytes: Buffer }
  /** Its content is gone; the id is that of the request, where one was seen. */
  | { readonly is: 'oversized'; readonly id: RequestId | undefined };

export class FrameSplitter {
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** Set while an oversized frame goes by. */
  #scanner: IdScanner | undefined;

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

  /** What stands at the end without a newline; undefined when nothing does. */
  end(): Frame | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#most) {
      this.#parts.push(bytes);
      return;
    }
    if (!this.#scanner) {
      this.#scanner = new IdScanner();
      for (const part of this.#parts) this.#scanner.push(part);
      this.#parts = [];
    }
    if (this.#length <= SCANNED_BYTES) this.#scanner.push(bytes);
  }

  #take(): Frame {
    const frame: Frame = this.#scanner
      ? { is: 'oversized', id: this.#scanner.id }
      : {
          is: 'line',
          bytes: this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts),
        };
    this.#parts = [];
    this.#length = 0;
    this.#scanner = undefined;
    return frame;
  }
}

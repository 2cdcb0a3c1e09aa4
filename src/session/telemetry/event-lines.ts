/** Reads the lines of a telemetry file piece by piece, and continues at the same position when the file has grown. */

import type { FileHandle } from 'node:fs/promises';

/** The most bytes of a line; no event is longer. */
export const MOST_LINE: number = 64 << 10;

/** Bytes that are read and parsed without giving control back to the event loop. */
const PIECE = 64 << 10;

const NONE = Buffer.alloc(0);

/** Called with a line (without its newline; undefined if it is too long) and the offset of its first byte. */
export type TakeLine = (line: Buffer | undefined, offset: number) => void;

export class EventLines {
  readonly #handle: FileHandle;
  readonly #piece = Buffer.alloc(PIECE);
  /** The offset of the next byte to read. */
  #at = 0;
  /** The start of a line whose end was not read yet, at most `MOST_LINE` bytes of it; `#restBytes` counts all its bytes. */
  #rest: Buffer = NONE;
  #restBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The number of bytes that have been read. */
  get at(): number {
    return this.#at;
  }

  /** Passes all complete lines up to the current end of the file to `take`. Throws the errors of reading. */
  async readOn(take: TakeLine, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#handle.read(this.#piece, 0, PIECE, this.#at);
      if (bytesRead === 0) return;
      this.#split(this.#piece.subarray(0, bytesRead), take);
      this.#at += bytesRead;
    }
  }

  /** Passes an unfinished last line to `take`, if there is one. Bytes after it count as a new line. */
  takeRest(take: TakeLine): void {
    const [line, bytes] = [this.#line(NONE), this.#restBytes];
    this.#dropRest();
    if (bytes > 0) take(line, this.#at - bytes);
  }

  /** Whether there is an unfinished last line. */
  get hasBegun(): boolean {
    return this.#restBytes > 0;
  }

  /** The unfinished last line; undefined if it is too long. */
  get rest(): Buffer | undefined {
    return this.#line(NONE);
  }

  #split(piece: Buffer, take: TakeLine): void {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      const offset = this.#at + from - this.#restBytes;
      take(this.#line(piece.subarray(from, end)), offset);
      this.#dropRest();
      from = end + 1;
    }
    const begun = piece.subarray(from);
    this.#restBytes += begun.length;
    if (this.#restBytes <= MOST_LINE) this.#rest = Buffer.concat([this.#rest, begun]);
  }

  #line(end: Buffer): Buffer | undefined {
    if (this.#restBytes + end.length > MOST_LINE) return undefined;
    return this.#restBytes === 0 ? end : Buffer.concat([this.#rest, end]);
  }

  #dropRest(): void {
    this.#rest = NONE;
    this.#restBytes = 0;
  }
}

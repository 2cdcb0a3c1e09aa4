/** Reads the lines of a file of telemetry piece by piece, and continues where it stopped when the file has grown. */

import type { FileHandle } from 'node:fs/promises';

/** Bytes of a line: no event has more. */
export const MOST_LINE: number = 64 << 10;

/** Bytes that are read and parsed before anything else may run. */
const PIECE = 64 << 10;

const NONE = Buffer.alloc(0);

/** Hears of a line without its end, and of the byte at which it begins. An overlong line is undefined. */
export type TakeLine = (line: Buffer | undefined, offset: number) => void;

export class EventLines {
  readonly #handle: FileHandle;
  readonly #piece = Buffer.alloc(PIECE);
  /** The next byte to read. */
  #at = 0;
  /** The line that has begun and not ended, as far as an event can be long, and all of its bytes. */
  #rest: Buffer = NONE;
  #restBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Bytes that have been read. */
  get at(): number {
    return this.#at;
  }

  /** Tells of the lines that are whole, up to the end of the file as it is now. Throws what reading throws. */
  async readOn(take: TakeLine, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#handle.read(this.#piece, 0, PIECE, this.#at);
      if (bytesRead === 0) return;
      this.#split(this.#piece.subarray(0, bytesRead), take);
      this.#at += bytesRead;
    }
  }

  /** Tells of the last line, which has no end; nothing if there is none. What follows it is a separate line. */
  takeRest(take: TakeLine): void {
    const [line, bytes] = [this.#line(NONE), this.#restBytes];
    this.#dropRest();
    if (bytes > 0) take(line, this.#at - bytes);
  }

  /** There is a last line, which has no end yet. */
  get hasBegun(): boolean {
    return this.#restBytes > 0;
  }

  /** That line; undefined for an overlong one. */
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

/** A cursor over the lines of a text in memory that yields matching lines and their context lines. */

import { createScanner, type BufferedScanner } from '../../text/scan.ts';
import type { Address } from './match-addresses.ts';

const NEWLINE = 10;

/** Bytes before a match from which on the lines before its context are counted and not visited. */
const FAR = 1 << 20;

let scanner: BufferedScanner | undefined;

export class LineCursor {
  readonly #bytes: Buffer;
  readonly #before: number;
  readonly #after: number;
  /** The current line: its number (1-based) and the offset of its first byte. */
  #no = 1;
  #at = 0;
  /** The numbers of the last yielded line and of the last matching line. */
  #told = 0;
  #matched = Number.NEGATIVE_INFINITY;
  /** Lines that may be the context of the next match. */
  #held: Address[] = [];

  /** `bytes` is UTF-8; `before` and `after` are the numbers of context lines. */
  constructor(bytes: Uint8Array, { before, after }: { readonly before: number; readonly after: number }) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#before = before;
    this.#after = after;
  }

  /** The lines up to the end of a match `[from, to)`, each yielded once. Matches must be given in order. */
  *take(from: number, to: number): Generator<Address, void> {
    yield* this.#goTo(from);
    if (this.#at >= this.#bytes.length) return;
    for (const held of this.#held) if (held.no > this.#told) yield held;
    this.#held = [];
    const last = Math.max(from, to - 1);
    for (let first = true; ; first = false) {
      if (this.#no > this.#told) {
        this.#told = this.#no;
        yield { no: this.#no, offset: this.#at, match: true, ...(first && { at: from }) };
      }
      this.#matched = this.#no;
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      // The next match may be on the same line.
      if (newline === -1 || newline >= last || newline + 1 >= this.#bytes.length) return;
      this.#step(newline);
    }
  }

  /** The context lines after the last match. */
  *rest(): Generator<Address, void> {
    while (this.#no - this.#matched <= this.#after && this.#at < this.#bytes.length) {
      yield* this.#tell();
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      if (newline === -1) return;
      this.#step(newline);
    }
  }

  /** Moves to the line that contains `byte`, and yields context lines of the last match on the way. */
  *#goTo(byte: number): Generator<Address, void> {
    for (let hasJumped = false; ;) {
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      if (newline === -1 || newline >= byte) return;
      yield* this.#tell();
      if (this.#no > this.#told && this.#before > 0) {
        this.#held.push({ no: this.#no, offset: this.#at, match: false });
        if (this.#held.length > this.#before) this.#held.shift();
      }
      this.#step(newline);
      if (hasJumped || byte - this.#at <= FAR || this.#no - this.#matched <= this.#after) continue;
      hasJumped = true;
      this.#jump(this.#contextBefore(byte));
    }
  }

  /** The offset of the first context line of a match at `byte`; the current line, if the context begins before it. */
  #contextBefore(byte: number): number {
    let start = byte;
    for (let lines = 0; lines <= this.#before; lines += 1) {
      // The newline at the end of the line before.
      const from = lines === 0 ? start - 1 : start - 2;
      const newline = from < this.#at ? -1 : this.#bytes.lastIndexOf(NEWLINE, from);
      if (newline < this.#at) return this.#at;
      start = newline + 1;
    }
    return start;
  }

  /** Yields the current line if it is in the context of the last match. */
  *#tell(): Generator<Address, void> {
    if (this.#no <= this.#told || this.#no - this.#matched > this.#after) return;
    this.#told = this.#no;
    yield { no: this.#no, offset: this.#at, match: false };
  }

  #step(newline: number): void {
    this.#no += 1;
    this.#at = newline + 1;
  }

  /** Moves to the line that begins at `start`; the lines between are only counted. */
  #jump(start: number): void {
    if (start === this.#at) return;
    scanner ??= createScanner();
    this.#no += scanner.count(this.#bytes.subarray(this.#at, start));
    this.#at = start;
    this.#held = [];
  }
}

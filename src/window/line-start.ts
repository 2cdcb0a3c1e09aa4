/** Finds the start of the line before a byte by scanning backwards. */

import { readAt } from '../access/bytes.ts';
import type { Identity } from '../identity.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding, Scanner } from '../types/encoding.ts';

interface Stored {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The start of the line that ends at `end` (exclusive, its terminator included), or undefined if the line begins more
 * than `hold` bytes before `end`. `end` is a multiple of the code unit, or the end of the text.
 */
export async function startOfLineBefore(
  end: number,
  hold: number,
  { encoding, source, signal }: Stored,
): Promise<{ start: number | undefined; bytes: Uint8Array }> {
  const { unit, bom, scanner } = encoding;
  // At the end of the text the last code unit may be incomplete.
  const beforeLast = end - ((end - bom) % unit || unit);
  let from = end;
  let bytes: Uint8Array = new Uint8Array(0);
  for (let step = 4096; ; step *= 4) {
    const wanted = Math.max(bom, end - Math.min(step, hold + unit));
    const next = wanted - ((wanted - bom) % unit);
    const more = await readAt(source, next, from - next, signal);
    bytes = Buffer.concat([more, bytes]);
    from = next;
    const start = lastStart(bytes.subarray(0, beforeLast - from), unit, scanner);
    if (start !== undefined) return { start: from + start, bytes: bytes.subarray(start) };
    if (from === bom) return { start: bom, bytes };
    if (end - from >= hold + unit) return { start: undefined, bytes: bytes.subarray(unit) };
  }
}

/** The position after the last newline in `bytes`, or undefined if there is none. */
function lastStart(bytes: Uint8Array, unit: number, scanner: Scanner): number | undefined {
  if (unit === 1) {
    const at = bytes.lastIndexOf(10);
    return at === -1 ? undefined : at + 1;
  }
  const newlines = scanner.count(bytes);
  return newlines === 0 ? undefined : scanner.after(bytes, newlines);
}

/** Bytes of the first block, and of the later ones. */
const FIRST_BLOCK = 16 << 10;
const BLOCK = 64 << 10;

/** A byte source for reading backwards: it reads a block instead of reading for each line. */
export class BackwardReader implements ByteSource {
  readonly #source: ByteSource;
  readonly #encoding: Encoding;
  readonly #signal: AbortSignal | undefined;
  #block: Uint8Array = new Uint8Array(0);
  /** Offset of the block in the text. */
  #from = 0;
  #nextLength = FIRST_BLOCK;

  /** The end (exclusive) of the lines that will be read. */
  readonly #end: number;

  constructor(source: ByteSource, end: number, encoding: Encoding, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#end = end;
    this.#encoding = encoding;
    this.#signal = signal;
  }

  get size(): number | undefined {
    return this.#source.size;
  }

  get identity(): Identity {
    return this.#source.identity;
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    const end = offset + target.length;
    if (offset < this.#from || end > this.#from + this.#block.length) {
      if (target.length > BLOCK) return this.#source.readInto(target, offset, signal);
      // The count of the lines reads up to one unit before the end: then the block includes the last unit too.
      await this.#fill(end + this.#encoding.unit === this.#end ? this.#end : end, BLOCK);
    }
    if (offset < this.#from) return this.#source.readInto(target, offset, signal);
    const part = this.#block.subarray(offset - this.#from, end - this.#from);
    target.set(part);
    return part.length;
  }

  /** As `startOfLineBefore`. */
  async lineBefore(
    end: number,
    hold: number,
  ): Promise<{ start: number | undefined; bytes: Uint8Array; length: number }> {
    let line = this.#inBlock(end, hold);
    if (!line && this.#encoding.unit === 1) {
      await this.#fill(end, this.#nextLength);
      this.#nextLength = BLOCK;
      line = this.#inBlock(end, hold);
    }
    if (line) return line;
    const stored = { source: this, encoding: this.#encoding, signal: this.#signal };
    const { start, bytes } = await startOfLineBefore(end, hold, stored);
    return { start, bytes, length: bytes.length };
  }

  async #fill(end: number, length: number): Promise<void> {
    if (end === this.#from + this.#block.length && length <= this.#block.length) return;
    this.#from = Math.max(0, end - length);
    this.#block = await readAt(this.#source, this.#from, end - this.#from, this.#signal);
  }

  /** The line that ends at `end`, if all of it is in the block. */
  #inBlock(end: number, hold: number): { start: number; bytes: Uint8Array; length: number } | undefined {
    const { unit, bom } = this.#encoding;
    const last = end - this.#from;
    if (unit > 1 || last < 1 || last > this.#block.length) return undefined;
    const newline = last < 2 ? -1 : this.#block.lastIndexOf(10, last - 2);
    if (newline === -1 && this.#from > bom) return undefined;
    const first = newline === -1 ? bom - this.#from : newline + 1;
    if (last - first > hold) return undefined;
    return { start: this.#from + first, bytes: this.#block.subarray(first, last), length: last - first };
  }
}

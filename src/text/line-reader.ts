/** Reads a text line by line from a byte offset. Memory is bounded: of each line at most `hold` bytes are kept. */

import type { Identity } from '../identity.ts';
import type { ByteSource } from '../types/access.ts';
import type { Line, NewlineScanner, TextEncoding } from '../types/excerpt.ts';
import { readAt } from './bytes.ts';
import { decode } from './encoding.ts';
import type { LineIndex, OnScan } from './line-index.ts';
import { plainHead } from './visible.ts';

export interface StoredLine {
  /** Byte offset of its first byte. */
  readonly start: number;
  /** Offset after its terminator; undefined for a line longer than `hold`, whose end was not searched. */
  readonly end: number | undefined;
  /** The whole line with its terminator, or the first `hold` bytes of it. */
  readonly bytes: Uint8Array;
  /** Length of `bytes`. */
  readonly length: number;
  /** The decoded line, if it is known to be ASCII that is shown unchanged. */
  readonly text?: string | undefined;
}

/** After this many lines, and at most once in this many ms, the reader yields to the event loop. */
const LINES_A_TURN = 16;
const TURN_MS = 5;

/** Bytes that are decoded together, and the distance after which that is tried again when it did not yield a line. */
const RUN = 8 << 10;
const RUN_AGAIN = 1 << 10;

const INITIAL_READ_BYTES = 64 << 10;
const LATER_READ = 256 << 10;

/** A line of a run. `bytes` is computed only on access: most callers need only the text. */
class PlainLine implements StoredLine {
  readonly start: number;
  readonly end: number;
  readonly length: number;
  readonly text: string;
  readonly #buffer: Uint8Array;
  readonly #from: number;

  constructor(start: number, length: number, text: string, buffer: Uint8Array, from: number) {
    this.start = start;
    this.end = start + length;
    this.length = length;
    this.text = text;
    this.#buffer = buffer;
    this.#from = from;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#from, this.#from + this.length);
  }
}

export class LineReader {
  readonly #source: ByteSource;
  readonly #encoding: TextEncoding;
  readonly #hold: number;
  readonly #first: number;
  readonly #signal: AbortSignal | undefined;
  #buffer: Uint8Array = new Uint8Array(0);
  /** The position in the buffer at which the next line begins. */
  #from = 0;
  /** The offset of that byte in the text. */
  #at: number;
  /**
   * A run: a part of the buffer that is ASCII and shown unchanged, decoded in one step. Lines are cut out of this string.
   * Decoding and checking for hidden characters line by line takes four times as long.
   */
  #run = '';
  /** The positions in the buffer at which the run begins, and from which on the next run may be tried. */
  #runFrom = 0;
  #nextRun = 0;
  #reads = 0;
  #ended = false;
  #lines = 0;
  #turn = performance.now();

  /**
   * Begins at byte `offset`, which must be the start of a line. Lines of more than `hold` bytes are returned in part.
   * `first`: bytes of the first read.
   */
  constructor(
    source: ByteSource,
    encoding: TextEncoding,
    offset: number,
    hold: number,
    signal?: AbortSignal,
    first = INITIAL_READ_BYTES,
  ) {
    this.#first = first;
    this.#source = source;
    this.#encoding = encoding;
    this.#at = Math.max(offset, encoding.bom);
    this.#hold = hold;
    this.#signal = signal;
  }

  /** The next line if it can be returned synchronously; otherwise undefined: then call `next`. */
  buffered(): StoredLine | undefined {
    if (this.#isTurnOver()) return undefined;
    const plain = this.#takeFromRun();
    if (plain) {
      this.#lines += 1;
      return plain;
    }
    const after = this.#encoding.scanner.after(this.#buffer, 1, this.#from);
    if (after === -1 || after - this.#from > this.#hold) return undefined;
    this.#lines += 1;
    return this.#take(after - this.#from);
  }

  /** The next line, or undefined at the end of the text. */
  async next(): Promise<StoredLine | undefined> {
    let searched = 0;
    if (this.#isTurnOver()) await this.#yieldToEventLoop();
    this.#lines += 1;
    for (;;) {
      const plain = this.#takeFromRun();
      if (plain) return plain;
      const after = this.#encoding.scanner.after(this.#buffer, 1, this.#from + searched) - this.#from;
      if (after > 0 && after <= this.#hold) return this.#take(after);
      const held = this.#buffer.length - this.#from;
      if (held > this.#hold) return this.#partial();
      if (this.#ended) return held > 0 ? this.#take(held) : undefined;
      searched = held - (held % this.#encoding.unit);
      await this.#fill();
    }
  }

  /**
   * Skips the rest of a line that `next` returned in part, and returns the offset of the next line. `find` returns that
   * offset if an index knows it, which saves reading up to there.
   */
  async skipRest(find?: () => Promise<number>): Promise<number> {
    for (;;) {
      const after = this.#encoding.scanner.after(this.#buffer, 1, this.#from);
      if (after !== -1) {
        this.#drop(after - this.#from);
        return this.#at;
      }
      if (find && !this.#ended) {
        this.#at = await find();
        this.#replace(new Uint8Array(0));
        // Possibly only the head of the next line is needed, so small reads start again.
        this.#reads = 0;
        return this.#at;
      }
      const held = this.#buffer.length - this.#from;
      this.#drop(held - (held % this.#encoding.unit));
      if (this.#ended) {
        this.#drop(this.#buffer.length - this.#from);
        return this.#at;
      }
      await this.#fill();
    }
  }

  /** The next line if it is part of the current run, or of a new run that begins with it. */
  #takeFromRun(): StoredLine | undefined {
    let from = this.#from - this.#runFrom;
    let length = this.#run.indexOf('\n', from) + 1 - from;
    if (length <= 0) {
      if (this.#from < this.#nextRun || this.#encoding.name !== 'utf-8') return undefined;
      const { buffer, byteOffset, length: all } = this.#buffer;
      const ahead = Buffer.from(buffer, byteOffset, all).toString('latin1', this.#from, this.#from + RUN);
      this.#run = ahead.slice(0, plainHead(ahead));
      this.#runFrom = this.#from;
      this.#nextRun = this.#from + RUN_AGAIN;
      from = 0;
      length = this.#run.indexOf('\n') + 1;
    }
    if (length === 0 || length > this.#hold) return undefined;
    const text = this.#run.slice(from, from + length);
    const line = new PlainLine(this.#at, length, text, this.#buffer, this.#from);
    this.#from += length;
    this.#at += length;
    return line;
  }

  #take(length: number): StoredLine {
    const start = this.#at;
    const bytes = this.#buffer.subarray(this.#from, this.#from + length);
    this.#drop(length);
    return { start, end: start + length, bytes, length };
  }

  #partial(): StoredLine {
    const bytes = this.#buffer.subarray(this.#from, this.#from + this.#hold);
    return { start: this.#at, end: undefined, bytes, length: bytes.length };
  }

  #drop(length: number): void {
    this.#from += length;
    this.#at += length;
  }

  #isTurnOver(): boolean {
    return this.#lines % LINES_A_TURN === LINES_A_TURN - 1 && performance.now() - this.#turn >= TURN_MS;
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turn = performance.now();
    this.#signal?.throwIfAborted();
  }

  async #fill(): Promise<void> {
    const length = this.#reads === 0 ? this.#first : LATER_READ;
    this.#reads += 1;
    const rest = this.#buffer.subarray(this.#from);
    const more = await readAt(this.#source, this.#at + rest.length, length, this.#signal);
    this.#signal?.throwIfAborted();
    this.#ended = more.length < length;
    this.#replace(rest.length === 0 ? more : Buffer.concat([rest, more]));
  }

  #replace(buffer: Uint8Array): void {
    this.#buffer = buffer;
    this.#from = 0;
    this.#run = '';
    this.#runFrom = 0;
    this.#nextRun = 0;
  }
}

// The input of a window: stored bytes, their encoding, their line index, and whether lines are counted.

export interface TextInput {
  readonly source: ByteSource;
  readonly encoding: TextEncoding;
  readonly index: LineIndex;
  /** Whether lines are counted: then excerpts have totals, and lines of byte windows have numbers. */
  readonly counted: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onScan?: OnScan | undefined;
}

/** Makes a `Line` of a whole stored line; adds its number of invalid sequences to `tally`. */
export function wholeLine(
  stored: StoredLine,
  no: number | undefined,
  encoding: TextEncoding,
  tally: { invalid: number },
): Line {
  const { start, text } = stored;
  if (text === undefined) return toLine(stored.bytes, start, no, encoding, tally);
  const end = start + stored.length;
  return no === undefined
    ? { start, end, text, ascii: true, role: 'asked' }
    : { no, start, end, text, ascii: true, role: 'asked' };
}

/** Makes a `Line` of stored bytes; adds their number of invalid sequences to `tally`. */
export function toLine(
  bytes: Uint8Array,
  start: number,
  no: number | undefined,
  encoding: TextEncoding,
  tally: { invalid: number },
): Line {
  const { text, invalid } = decode(bytes, encoding);
  tally.invalid += invalid;
  const end = start + bytes.length;
  return no === undefined ? { start, end, text, role: 'asked' } : { no, start, end, text, role: 'asked' };
}

// Finds the start of the line before a byte by scanning backwards.

interface Stored {
  readonly source: ByteSource;
  readonly encoding: TextEncoding;
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
function lastStart(bytes: Uint8Array, unit: number, scanner: NewlineScanner): number | undefined {
  if (unit === 1) {
    const at = bytes.lastIndexOf(10);
    return at === -1 ? undefined : at + 1;
  }
  const newlines = scanner.count(bytes);
  return newlines === 0 ? undefined : scanner.after(bytes, newlines);
}

/** Bytes of the first block, and of the later ones. */
const INITIAL_BACKWARD_BLOCK_BYTES = 16 << 10;
const BLOCK = 64 << 10;

/** A byte source for reading backwards: it reads a block instead of reading for each line. */
export class BackwardReader implements ByteSource {
  readonly #source: ByteSource;
  readonly #encoding: TextEncoding;
  readonly #signal: AbortSignal | undefined;
  #block: Uint8Array = new Uint8Array(0);
  /** Offset of the block in the text. */
  #from = 0;
  #nextLength = INITIAL_BACKWARD_BLOCK_BYTES;

  /** The end (exclusive) of the lines that will be read. */
  readonly #end: number;

  constructor(source: ByteSource, end: number, encoding: TextEncoding, signal: AbortSignal | undefined) {
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

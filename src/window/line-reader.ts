/** Reads a text line by line from a byte offset. Memory is bounded: of each line at most `hold` bytes are kept. */

import { readAt } from '../access/bytes.ts';
import { plainHead } from '../text/visible.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding } from '../types/encoding.ts';

/** A line as stored. */
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
  readonly text?: string;
}

/** After this many lines, and at most once in this many ms, the reader yields to the event loop. */
const LINES_A_TURN = 16;
const TURN_MS = 5;

/** Bytes that are decoded together, and the distance after which that is tried again when it did not yield a line. */
const RUN = 8 << 10;
const RUN_AGAIN = 1 << 10;

const FIRST_READ = 64 << 10;
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
  readonly #encoding: Encoding;
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
    encoding: Encoding,
    offset: number,
    hold: number,
    signal?: AbortSignal,
    first = FIRST_READ,
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
      if (!this.#beginRun()) return undefined;
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

  #beginRun(): boolean {
    if (this.#from < this.#nextRun || this.#encoding.name !== 'utf-8') return false;
    const { buffer, byteOffset, length } = this.#buffer;
    const bytes = Buffer.from(buffer, byteOffset, length);
    const text = bytes.toString('latin1', this.#from, this.#from + RUN);
    this.#run = text.slice(0, plainHead(text));
    this.#runFrom = this.#from;
    this.#nextRun = this.#from + RUN_AGAIN;
    return this.#run !== '';
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

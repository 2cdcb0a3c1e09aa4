/**
 * Finds lines in a text of any size with a sparse table of newline counts. The table is built once for each version of
 * the text, and only as far as calls need it.
 */

import { queues } from '../queues/queue-table.ts';
import type { ByteSource } from '../types/access.ts';
import type { NewlineScanner, TextEncoding } from '../types/excerpt.ts';
import { readAt } from './bytes.ts';
import { type BufferedScanner, countNewlines, SCAN_BUFFER, withScanner } from './encoding.ts';

/** Half-open, in stored bytes. */
interface LineBounds {
  readonly start: number;
  readonly end: number;
}

/** Receives the number of bytes scanned so far, for progress reports. */
export type OnScan = (scanned: number) => void;

/** Bytes of one read from a stream or a server. */
const STREAM_PIECE = 256 << 10;

/** A rest of at most this many bytes is read and counted without the large buffers. */
const SMALL_REST = 64 << 10;

/** A scan releases the buffers after this many of them (16 MiB) if another call waits for them. */
const SLICE_BUFFERS = 8;

/** Numbers before the table in the saved form. */
const SAVED_HEAD = 5;

interface Scan {
  readonly source: ByteSource;
  /** Whether the scan may stop. */
  readonly enough: () => boolean;
  readonly signal: AbortSignal | undefined;
  readonly onScan: OnScan | undefined;
}

export class LineIndex {
  readonly #encoding: TextEncoding;
  #table = new NewlineTable();
  /** Newlines are counted up to this byte (exclusive; a multiple of the block, or the end). */
  #scanned = 0;
  #newlines = 0;
  #ended = false;
  /** Whether the last counted unit is not a newline: the text so far ends inside a line. */
  #unterminated = false;
  #steps: Promise<unknown> = Promise.resolve();
  /** Number of calls that wait for the step of another call. */
  #waiting = 0;
  /** A cache of the last oversized line: its pages are usually requested one after the other. */
  #oversized: LineBounds & { readonly line: number } = { line: 0, start: 0, end: 0 };

  constructor(encoding: TextEncoding) {
    this.#encoding = encoding;
  }

  /** Bytes of memory of the table. */
  get held(): number {
    return this.#table.held;
  }

  /** Bytes counted so far. */
  get scanned(): number {
    return this.#scanned;
  }

  /** The counts so far, in the form that `restore` reads. */
  save(): Uint8Array {
    const { block, counts } = this.#table;
    const head = [block, this.#scanned, this.#newlines, Number(this.#ended), Number(this.#unterminated)];
    const saved = new Float64Array(head.length + counts.length);
    saved.set(head);
    saved.set(counts, head.length);
    return new Uint8Array(saved.buffer);
  }

  /**
   * Loads the saved counts of another index for the same bytes (`size` of them) and encoding. Returns false, and loads
   * nothing, if they are invalid or this index has counted as far.
   */
  restore(saved: Uint8Array, size: number): boolean {
    if (saved.length % 8 !== 0) return false;
    const numbers = new Float64Array(Uint8Array.from(saved).buffer);
    const [block = 0, scanned = 0, newlines = 0, ended = 0, unterminated = 0] = numbers;
    if (this.#scanned > 0 && scanned <= this.#scanned) return false;
    const counts = numbers.slice(SAVED_HEAD);
    const table = scanned <= size ? NewlineTable.of(block, counts, scanned) : undefined;
    const isWhole =
      (ended === 0 || scanned === size) && newlines >= (counts.at(-1) as number) && newlines <= scanned;
    if (!table || !isWhole) return false;
    this.#table = table;
    this.#scanned = scanned;
    this.#newlines = newlines;
    this.#ended = ended === 1;
    this.#unterminated = unterminated === 1;
    return true;
  }

  /** Number of lines of the whole text. A final newline does not begin another line. */
  async total(source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    await this.#extend(source, () => Number.POSITIVE_INFINITY, signal, onScan);
    return this.#newlines + (this.#unterminated ? 1 : 0);
  }

  /** The offset of the first byte of line `line` (1-based), or undefined if the text has fewer lines. */
  async startOf(
    line: number,
    source: ByteSource,
    signal?: AbortSignal,
    onScan?: OnScan,
  ): Promise<number | undefined> {
    if (line === 1) return (await this.#isEmpty(source)) ? undefined : this.#encoding.bom;
    const before = line - 1;
    await this.#extend(source, () => this.#bytesTo(before), signal, onScan);
    if (line === this.#oversized.line) return this.#oversized.start;
    const at = await this.#after(before, source, signal);
    const end = source.size ?? (this.#ended ? this.#scanned : undefined);
    return at === end ? undefined : at;
  }

  /** The offsets of line `line` (1-based) with its terminator, or undefined if the text has fewer lines. */
  async boundsOf(
    line: number,
    source: ByteSource,
    signal?: AbortSignal,
    onScan?: OnScan,
  ): Promise<LineBounds | undefined> {
    if (line === this.#oversized.line) return this.#oversized;
    const start = await this.startOf(line, source, signal, onScan);
    if (start === undefined) return undefined;
    const end = await this.endOf(line, source, signal, onScan);
    if (end - start > this.#table.block) this.#oversized = { line, start, end };
    return { start, end };
  }

  /** The number (1-based) of the line that contains byte `offset` (0-based). */
  async lineAt(offset: number, source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    const { line, start: from, end } = this.#oversized;
    if (offset >= from && offset < end) return line;
    await this.#extend(source, () => offset - this.#scanned, signal, onScan);
    // The fast path: every window at the end asks for the last byte.
    if (this.#ended && offset < this.#scanned && offset + this.#encoding.unit >= this.#scanned)
      return this.#newlines + (this.#unterminated ? 1 : 0);
    const at = Math.min(offset, this.#scanned);
    const { start, newlines } = this.#table.placeOf(at);
    const bytes = await readAt(source, start, at - start, signal);
    return newlines + this.#encoding.scanner.count(bytes) + 1;
  }

  /** The offset after line `line` (1-based), which must exist. */
  async endOf(line: number, source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    await this.#extend(source, () => this.#bytesTo(line), signal, onScan);
    return (await this.#after(line, source, signal)) ?? this.#scanned;
  }

  /** The offset after newline `count` (1-based), or undefined if fewer were counted. */
  async #after(count: number, source: ByteSource, signal?: AbortSignal): Promise<number | undefined> {
    if (this.#newlines < count) return undefined;
    const { start, newlines } = this.#table.placeBefore(count);
    const bytes = await readAt(source, start, this.#table.block, signal);
    const within = this.#encoding.scanner.after(bytes, count - newlines);
    return within === -1 ? undefined : start + within;
  }

  async #isEmpty(source: ByteSource): Promise<boolean> {
    if (source.size !== undefined) return source.size <= this.#encoding.bom;
    return (await readAt(source, this.#encoding.bom, 1)).length === 0;
  }

  /** The estimated number of bytes up to newline `count`, from the average length of the lines so far; 0 if it was counted. */
  #bytesTo(count: number): number {
    const missing = count - this.#newlines;
    return missing <= 0 ? 0 : Math.max(1, (missing * this.#scanned) / Math.max(1, this.#newlines));
  }

  /**
   * Counts until `left`, the estimated number of bytes that are still needed, is 0. Concurrent calls alternate, one step
   * each: every step starts where the previous one ended.
   */
  async #extend(
    source: ByteSource,
    left: () => number,
    signal: AbortSignal | undefined,
    onScan: OnScan | undefined,
  ): Promise<void> {
    const enough = (): boolean => left() <= 0;
    const scan = { source, enough, signal, onScan };
    while (!this.#ended && !enough()) {
      this.#waiting += 1;
      const step = this.#steps.then(async () => {
        this.#waiting -= 1;
        if (!this.#ended && !enough()) await this.#step(scan);
      });
      this.#steps = step.catch(() => undefined);
      await step;
    }
  }

  /**
   * Streams and remote files are read in small pieces without the pooled scan buffers: a slow source would block them.
   * A small rest does not need them either.
   */
  #step(scan: Scan): Promise<void> {
    const { source, signal } = scan;
    const left = (source.size ?? Number.POSITIVE_INFINITY) - this.#scanned;
    if (source.streamed || source.remote) return this.#scanPiece(scan, STREAM_PIECE);
    if (left <= SMALL_REST) return this.#scanPiece(scan, Math.max(0, left));
    return withScanner((scanner) => this.#scanOn(scan, scanner), signal);
  }

  async #scanPiece({ source, signal, onScan }: Scan, length: number): Promise<void> {
    const piece = Buffer.allocUnsafe(length);
    const got = length === 0 ? 0 : await source.readInto(piece, this.#scanned, signal);
    signal?.throwIfAborted();
    const { unit, scanner } = this.#encoding;
    this.#count(piece.subarray(0, got), unit === 1 ? countNewlines : scanner.count);
    this.#ended = got < length || this.#scanned === source.size;
    onScan?.(this.#scanned);
  }

  /** Reads one buffer while the other is counted, until the scan may stop or another call waits for the buffers. */
  async #scanOn({ source, enough, signal, onScan }: Scan, buffered: BufferedScanner): Promise<void> {
    const { unit, scanner } = this.#encoding;
    const count = unit === 1 ? (bytes: Uint8Array) => buffered.count(bytes) : scanner.count;
    const { buffers } = buffered;
    let turn = 0;
    const reading = (offset: number): Promise<number> =>
      source.readInto(buffers[turn % 2] as Uint8Array, offset, signal);
    const isWanted = (): boolean => turn >= SLICE_BUFFERS && (this.#waiting > 0 || queues.scans.waiting > 0);
    let next = reading(this.#scanned);
    while (!this.#ended && !enough() && !isWanted()) {
      const got = await next;
      signal?.throwIfAborted();
      const bytes = (buffers[turn % 2] as Uint8Array).subarray(0, got);
      turn += 1;
      const ended = got < SCAN_BUFFER;
      if (!ended) next = reading(this.#scanned + got);
      this.#count(bytes, count);
      this.#ended = ended;
      onScan?.(this.#scanned);
    }
    // The buffers go back to the pool, so a pending read must end first.
    await next.catch(() => undefined);
  }

  #count(bytes: Uint8Array, count: NewlineScanner['count']): void {
    for (let at = 0; at < bytes.length;) {
      const { block } = this.#table;
      const step = Math.min(block - (this.#scanned % block), bytes.length - at);
      this.#newlines += count(bytes.subarray(at, at + step));
      this.#scanned += step;
      at += step;
      if (this.#scanned % block === 0) this.#table.add(this.#newlines);
    }
    const { unit, bom } = this.#encoding;
    if (bytes.length === 0) return;
    const last = bytes.subarray(-(bytes.length % unit || unit));
    this.#unterminated = this.#scanned > bom && count(last) === 0;
  }
}

// Counts of the newlines before each block of a text. Memory is bounded: when the table is full, the block size doubles,
// up to the size of one request to a server; from there on the table grows further before the block size doubles again.

const INITIAL_BLOCK_BYTES = 64 << 10;
const MAX_TABLE_ENTRIES = 1 << 16;
/** From this block size on, the table may have `MAX_LARGE_TABLE_ENTRIES` entries: enough for 8 TiB. */
const LARGE_BLOCK = 4 << 20;
const MAX_LARGE_TABLE_ENTRIES = 1 << 21;
const INITIAL_TABLE_ENTRIES = 64;

const mostOf = (block: number): number => (block < LARGE_BLOCK ? MAX_TABLE_ENTRIES : MAX_LARGE_TABLE_ENTRIES);

/** The first byte of a block, and the number of newlines before it. */
interface BlockStart {
  readonly start: number;
  readonly newlines: number;
}

export class NewlineTable {
  #block = INITIAL_BLOCK_BYTES;
  /** Entry i: newlines in [0, i × block). */
  #before = new Float64Array(INITIAL_TABLE_ENTRIES);
  #entries = 1;

  /** Bytes of a block. */
  get block(): number {
    return this.#block;
  }

  /** Bytes of memory. */
  get held(): number {
    return this.#before.byteLength;
  }

  /** The number of newlines before each block. */
  get counts(): Float64Array {
    return this.#before.subarray(0, this.#entries);
  }

  /** The table with these counts; undefined if they are not valid for a text of which `scanned` bytes were counted. */
  static of(block: number, counts: Float64Array, scanned: number): NewlineTable | undefined {
    const isTable =
      Number.isInteger(Math.log2(block / INITIAL_BLOCK_BYTES)) &&
      block >= INITIAL_BLOCK_BYTES &&
      counts.length === Math.floor(scanned / block) + 1 &&
      counts.length <= mostOf(block) &&
      counts[0] === 0 &&
      counts.every((count, i) => i === 0 || (count >= (counts[i - 1] as number) && count <= i * block));
    if (!isTable) return undefined;
    const table = new NewlineTable();
    table.#block = block;
    table.#entries = counts.length;
    table.#before = new Float64Array(
      Math.max(INITIAL_TABLE_ENTRIES, 2 ** Math.ceil(Math.log2(counts.length))),
    );
    table.#before.set(counts);
    return table;
  }

  /** Adds the next block, with the number of newlines before it. */
  add(newlines: number): void {
    if (this.#entries === mostOf(this.#block)) {
      const half = this.#entries / 2;
      for (let i = 1; i < half; i += 1) this.#before[i] = this.#before[i * 2] as number;
      this.#entries = half;
      this.#block *= 2;
    }
    if (this.#entries === this.#before.length) {
      const larger = new Float64Array(this.#before.length * 2);
      larger.set(this.#before);
      this.#before = larger;
    }
    this.#before[this.#entries] = newlines;
    this.#entries += 1;
  }

  /** The last block that begins at or before byte `at`. */
  placeOf(at: number): BlockStart {
    return this.#place(Math.min(Math.floor(at / this.#block), this.#entries - 1));
  }

  /** The last block that begins before newline `count` (1-based). */
  placeBefore(count: number): BlockStart {
    let low = 0;
    let high = this.#entries - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#before[middle] as number) < count) low = middle;
      else high = middle - 1;
    }
    return this.#place(low);
  }

  #place(entry: number): BlockStart {
    return { start: entry * this.#block, newlines: this.#before[entry] as number };
  }
}

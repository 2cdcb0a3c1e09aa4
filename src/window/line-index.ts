/**
 * Where lines are in a text of any size: by a sparse table of newline counts that is built once for a version, and only as
 * far as a call needs.
 */

import { readAt } from '../access/bytes.ts';
import { queues } from '../queues/queue-table.ts';
import { type BufferedScanner, countNewlines, SCAN_BUFFER, withScanner } from '../text/scan.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding, Scanner } from '../types/encoding.ts';
import { NewlineTable } from './newline-table.ts';

/** Half-open, in stored bytes. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** How far a scan has come, for progress reports. */
export type OnScan = (scanned: number) => void;

/** Bytes of one read from a stream or a server. */
const STREAM_PIECE = 256 << 10;

/** Bytes that are read and counted at once, without the large buffers. */
const SMALL_REST = 64 << 10;

/** Buffers that are counted in a row while another call waits for them: 16 MiB. */
const SLICE_BUFFERS = 8;

/** Numbers in front of the table in what is saved. */
const SAVED_HEAD = 5;

interface Scan {
  readonly source: ByteSource;
  /** Whether what is needed is known. */
  readonly enough: () => boolean;
  readonly signal: AbortSignal | undefined;
  readonly onScan: OnScan | undefined;
}

export class LineIndex {
  readonly #encoding: Encoding;
  #table = new NewlineTable();
  /** Everything before this byte (a multiple of the block, or the end) has been counted. */
  #scanned = 0;
  #newlines = 0;
  #ended = false;
  /** Whether the last unit counted was no newline: the text so far ends inside a line. */
  #unterminated = false;
  #steps: Promise<unknown> = Promise.resolve();
  /** Calls that wait for the step of another. */
  #waiting = 0;
  /** The oversized line that was looked at last: its pages are asked for one after the other. */
  #oversized: Bounds & { readonly line: number } = { line: 0, start: 0, end: 0 };

  /**
   * Asked before each step of a count, with the bytes that are left by an estimate: others may have counted further, and
   * `restore` takes that over.
   */
  askOthers: ((left: number) => Promise<void>) | undefined;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** Bytes of the table. */
  get held(): number {
    return this.#table.held;
  }

  /** Bytes counted so far. */
  get scanned(): number {
    return this.#scanned;
  }

  /** What has been counted, for `restore` of another index. */
  save(): Uint8Array {
    const { block, counts } = this.#table;
    const head = [block, this.#scanned, this.#newlines, Number(this.#ended), Number(this.#unterminated)];
    const saved = new Float64Array(head.length + counts.length);
    saved.set(head);
    saved.set(counts, head.length);
    return new Uint8Array(saved.buffer);
  }

  /**
   * Takes over what another index of the same bytes (`size` of them) and encoding has saved. False, and nothing is taken
   * over, for what cannot be that, and where this one has counted as far.
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

  /** Lines of the whole text (contract: a final newline begins no further line). */
  async total(source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    await this.#extend(source, () => Number.POSITIVE_INFINITY, signal, onScan);
    return this.#newlines + (this.#unterminated ? 1 : 0);
  }

  /** The byte at which line `line` (1-based) begins, or undefined if the text has no such line. */
  async startOf(
    line: number,
    source: ByteSource,
    signal?: AbortSignal,
    onScan?: OnScan,
  ): Promise<number | undefined> {
    const before = line - 1;
    if (before > 0) await this.#extend(source, () => this.#bytesTo(before), signal, onScan);
    if (before === 0) return (await this.#isEmpty(source)) ? undefined : this.#encoding.bom;
    if (line === this.#oversized.line) return this.#oversized.start;
    const at = await this.#after(before, source, signal);
    const end = source.size ?? (this.#ended ? this.#scanned : undefined);
    return at === end ? undefined : at;
  }

  /** The bytes of line `line`, its terminator included, or undefined if the text has no such line. */
  async boundsOf(
    line: number,
    source: ByteSource,
    signal?: AbortSignal,
    onScan?: OnScan,
  ): Promise<Bounds | undefined> {
    if (line === this.#oversized.line) return this.#oversized;
    const start = await this.startOf(line, source, signal, onScan);
    if (start === undefined) return undefined;
    const end = await this.endOf(line, source, signal, onScan);
    if (end - start > this.#table.block) this.#oversized = { line, start, end };
    return { start, end };
  }

  /** The number (1-based) of the line that holds byte `offset`. */
  async lineAt(offset: number, source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    const { line, start: from, end } = this.#oversized;
    if (offset >= from && offset < end) return line;
    await this.#extend(source, () => offset - this.#scanned, signal, onScan);
    // The last byte is asked for by every window at the end.
    if (this.#ended && offset < this.#scanned && offset + this.#encoding.unit >= this.#scanned)
      return this.#newlines + (this.#unterminated ? 1 : 0);
    const at = Math.min(offset, this.#scanned);
    const { start, newlines } = this.#table.placeOf(at);
    const bytes = await readAt(source, start, at - start, signal);
    return newlines + this.#encoding.scanner.count(bytes) + 1;
  }

  /** The byte after line `line`, which the text has. */
  async endOf(line: number, source: ByteSource, signal?: AbortSignal, onScan?: OnScan): Promise<number> {
    await this.#extend(source, () => this.#bytesTo(line), signal, onScan);
    return (await this.#after(line, source, signal)) ?? this.#scanned;
  }

  /** The byte after newline `count` (1-based), or undefined if so many were not counted. */
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

  /** Bytes that are left to newline `count`, by the length of the lines so far; 0 if it was counted. */
  #bytesTo(count: number): number {
    const missing = count - this.#newlines;
    return missing <= 0 ? 0 : Math.max(1, (missing * this.#scanned) / Math.max(1, this.#newlines));
  }

  /**
   * Counts until `left`, which estimates the bytes that are still needed, is 0. Concurrent calls take turns, a step each:
   * every step starts where the one before has ended.
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
        if (source.remote && !this.#ended && !enough()) await this.askOthers?.(left());
        if (!this.#ended && !enough()) await this.#step(scan);
      });
      this.#steps = step.catch(() => undefined);
      await step;
    }
  }

  /**
   * A stream or a server is read in small pieces: bytes may come slowly, and none of the buffers for scanning waits.
   * A small rest needs none either.
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

  /** Reads one buffer while the other is counted, until enough is known or another call waits for the buffers. */
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
    // The buffer goes back to the pool: no read may still write into it.
    await next.catch(() => undefined);
  }

  #count(bytes: Uint8Array, count: Scanner['count']): void {
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

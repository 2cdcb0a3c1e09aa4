/** Selects one page: of all addresses in order, `limit` matches from `offset` on, and their context lines. */

import { OrielError } from '../errors.ts';
import { type BufferedScanner, createScanner } from '../text/encoding.ts';
import { MAX_PAGE_CHARACTERS } from './page-bounds.ts';

/** Characters that a line is assumed to have; long lines are clipped later. */
const USUAL_LINE = 100;

/** An address together with its file. */
export interface PlacedAddress extends MatchAddress {
  readonly path: string;
  /** What counts as one file with it, if that is more than `path`: the table of a row. */
  readonly group?: string | undefined;
}

export interface PageBounds {
  /** The number of matches to skip. */
  readonly offset: number;
  /** The most matches of the page. */
  readonly limit: number;
  /** Context lines before and after each match. */
  readonly before: number;
  readonly after: number;
}

export interface AddressedLine {
  readonly no: number;
  readonly offset: number;
  /** 0-based rank among all matches; absent on context lines. */
  readonly rank?: number | undefined;
  /** The offset in the text where a match begins on this line, if known. */
  readonly at?: number | undefined;
}

export interface AddressedFile {
  readonly path: string;
  readonly lines: AddressedLine[];
}

/** Takes addresses in order. A nearby match that belongs to another page is shown as a context line. */
export class MatchPage {
  readonly files: AddressedFile[] = [];
  /** The number of matches on this page. */
  found = 0;
  /** Whether more matches follow after the page. */
  more = false;

  #seen = 0;
  #room = MAX_PAGE_CHARACTERS;
  /** Lines that may be context of a later match. */
  #before: PlacedAddress[] = [];
  #last: { path: string; no: number } | undefined;
  readonly #bounds: PageBounds;

  constructor(bounds: PageBounds) {
    this.#bounds = bounds;
  }

  /** The number of matches so far, shown or not. */
  get seen(): number {
    return this.#seen;
  }

  /** Skips a file with that many matches if all of them are before the page; returns whether it did. */
  skip(matches: number): boolean {
    if (this.#seen + matches > this.#bounds.offset) return false;
    this.#seen += matches;
    return true;
  }

  /** Returns false if no later address can belong to this page. */
  take(address: PlacedAddress): boolean {
    const { offset, limit, before } = this.#bounds;
    const rank = address.match ? this.#seen++ : -1;
    if (rank >= offset && this.found < limit && this.#room > 0) {
      this.#show(address, rank);
      return true;
    }
    if (rank >= offset) this.more = true;
    const isAfter = this.#last?.path === address.path && address.no - this.#last.no <= this.#bounds.after;
    if (isAfter) this.#push(address);
    else if (before > 0) this.#hold(address);
    return isAfter || !this.more;
  }

  #show(address: PlacedAddress, rank: number): void {
    for (const held of this.#before) {
      if (held.path === address.path && address.no - held.no <= this.#bounds.before) this.#push(held);
    }
    this.#before = [];
    this.#push(address, rank);
    this.#last = address;
    this.found += 1;
  }

  #hold(address: PlacedAddress): void {
    this.#before.push(address);
    if (this.#before.length > this.#bounds.before) this.#before.shift();
  }

  #push({ path, no, offset, at }: PlacedAddress, rank?: number): void {
    let file = this.files.at(-1);
    if (file?.path !== path) {
      file = { path, lines: [] };
      this.files.push(file);
    }
    this.#room -= path.length + USUAL_LINE;
    file.lines.push({ no, offset, rank, at });
  }
}

// Parses line numbers and offsets from ripgrep's output, without the text of lines. `--max-columns=1` omits every text but
// the shortest, so a line of 50 MB costs as much as any other.

export const ADDRESS_FLAGS = [
  '--line-number',
  '--byte-offset',
  '--no-column',
  '--no-context-separator',
  '--max-columns=1',
];

export interface MatchAddress {
  /** The line number, 1-based. */
  readonly no: number;
  /** The offset of the line (0-based), in bytes of the text as UTF-8 without byte order mark. */
  readonly offset: number;
  /** False for a context line. */
  readonly match: boolean;
  /** The offset in the text where a match begins on this line, if known. */
  readonly at?: number | undefined;
}

/** The most bytes of a record; an address with ripgrep's placeholder for the text is shorter. */
const MAX_ADDRESS_RECORD_BYTES = 256;

/** Parses records of the form `no:offset:rest LF`, with `-` instead of `:` on context lines. */
export async function* addresses(chunks: AsyncIterable<Buffer>): AsyncGenerator<MatchAddress[], void> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk.toString('latin1');
    const batch: MatchAddress[] = [];
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      batch.push(parse(text.slice(at, Math.min(end, at + MAX_ADDRESS_RECORD_BYTES))));
      at = end + 1;
    }
    text = text.slice(at);
    if (text.length > MAX_ADDRESS_RECORD_BYTES) throw unreadable();
    if (batch.length > 0) yield batch;
  }
}

function parse(record: string): MatchAddress {
  const parts = /^(\d+)([:-])(\d+)\2/.exec(record);
  if (!parts) throw unreadable();
  return { no: Number(parts[1]), offset: Number(parts[3]), match: parts[2] === ':' };
}

function unreadable(): OrielError {
  return new OrielError('INTERNAL', 'The output of ripgrep could not be understood.');
}

// A cursor over the lines of a text in memory that yields matching lines and their context lines.

const NEWLINE = 10;

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
  #held: MatchAddress[] = [];

  /** `bytes` is UTF-8; `before` and `after` are the numbers of context lines. */
  constructor(bytes: Uint8Array, { before, after }: { readonly before: number; readonly after: number }) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#before = before;
    this.#after = after;
  }

  /** The lines up to the end of a match `[from, to)`, each yielded once. Matches must be given in order. */
  *take(from: number, to: number): Generator<MatchAddress, void> {
    yield* this.#goTo(from);
    if (this.#at >= this.#bytes.length) return;
    for (const held of this.#held) if (held.no > this.#told) yield held;
    this.#held = [];
    const last = Math.max(from, to - 1);
    for (let first = true; ; first = false) {
      if (this.#no > this.#told) {
        this.#told = this.#no;
        yield { no: this.#no, offset: this.#at, match: true, at: first ? from : undefined };
      }
      this.#matched = this.#no;
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      // The next match may be on the same line.
      if (newline === -1 || newline >= last || newline + 1 >= this.#bytes.length) return;
      this.#step(newline);
    }
  }

  /** The context lines after the last match. */
  *rest(): Generator<MatchAddress, void> {
    while (this.#no - this.#matched <= this.#after && this.#at < this.#bytes.length) {
      yield* this.#tell();
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      if (newline === -1) return;
      this.#step(newline);
    }
  }

  /** Moves to the line that contains `byte`: yields context lines of the last match on the way, and holds those of the next. */
  *#goTo(byte: number): Generator<MatchAddress, void> {
    for (let hasJumped = false; ;) {
      if (!hasJumped && this.#no - this.#matched > this.#after) {
        hasJumped = true;
        this.#jump(this.#contextBefore(byte));
      }
      const newline = this.#bytes.indexOf(NEWLINE, this.#at);
      if (newline === -1 || newline >= byte) return;
      yield* this.#tell();
      if (this.#no > this.#told && this.#before > 0) {
        this.#held.push({ no: this.#no, offset: this.#at, match: false });
        if (this.#held.length > this.#before) this.#held.shift();
      }
      this.#step(newline);
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
  *#tell(): Generator<MatchAddress, void> {
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

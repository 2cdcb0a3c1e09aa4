/**
 * Finds where the records of a data file begin and end, in bounded memory: lines, rows of separated values, items of a JSON
 * array. Reading can begin at the first byte of any record.
 */

import { JsonError, type JsonPath, JsonScanner, relationOf } from './json-scan.ts';

export interface DataFile {
  /** In bytes. */
  readonly size: number;
  /** Fills `target` from `offset` and returns the number of bytes read. Throws at the deadline. */
  read(target: Uint8Array, offset: number): number;
  /** Each read may be a request to a server. */
  readonly remote?: boolean | undefined;
}

/** The bytes of one record, valid until the next one is read. */
export interface RecordBytes {
  readonly at: number;
  readonly bytes: Buffer;
  readonly isUnclosed?: boolean | undefined;
}

export interface JsonDamage {
  readonly offset: number;
  readonly why: string;
}

/** The most bytes of a record; a larger one is left out and counted. */
const MAX_RECORD_BYTES = 4 << 20;
export const CHUNK_BYTES = 256 << 10;
const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;

const MAX_MEMBERS = 1000;

/** What ends the lines of a text with this beginning: in old files of a Mac a carriage return alone, outside of quotes. */
export const lineEndOf = (head: string): number =>
  /\n|^[^\r]*$/.test(head.replace(/"[^"]*(?:"|$)/g, '')) ? NEWLINE : RETURN;

/** Lines of a file, or rows of separated values, whose quotes may hold line ends. */
export class LineRecords {
  readonly #file: DataFile;
  readonly #separator: number | undefined;
  readonly #lineEnd: number;
  /** Its beginning is what is held. */
  #room: Buffer = Buffer.alloc(0);
  #held = this.#room;
  /** The offset of the first held byte, and the index of the next record in `#held`. */
  #base: number;
  #at = 0;
  /** The index of the next quote that is known; Infinity if none is held. */
  #quote = -1;

  constructor(file: DataFile, start: number, lineEnd: number, separator?: string) {
    this.#file = file;
    this.#base = start;
    this.#lineEnd = lineEnd;
    this.#separator = separator === undefined ? undefined : Buffer.from(separator)[0];
  }

  /** `oversized` is called with the bytes of a record that is left out. */
  next(oversized: (at: number, bytes: number) => void): RecordBytes | undefined {
    for (;;) {
      const end = this.#end();
      if (typeof end === 'number') {
        const record = this.#take(end);
        if (record) return record;
      } else if (this.#held.length - this.#at <= MAX_RECORD_BYTES && this.#fill()) continue;
      else {
        // A quote without an end is an ordinary character.
        const line = this.#held.indexOf(this.#lineEnd, this.#at);
        if (line === -1 && this.#held.length - this.#at > MAX_RECORD_BYTES) {
          const at = this.#base + this.#at;
          oversized(at, this.#skipLine() - at);
          continue;
        }
        if (this.#at >= this.#held.length) return undefined;
        const record = this.#take(line === -1 ? this.#held.length : line);
        if (record) return { ...record, isUnclosed: end === 'open' };
      }
    }
  }

  /** The offset behind the last record. */
  get position(): number {
    return this.#base + this.#at;
  }

  /** Moves to the first record behind the end of this line. */
  align(): void {
    this.#skipLine();
  }

  #take(end: number): RecordBytes | undefined {
    const [held, from] = [this.#held, this.#at];
    // The last line may have no end.
    this.#at = Math.min(end + 1, held.length);
    const to = held[end - 1] === RETURN && end > from ? end - 1 : end;
    return to > from ? { at: this.#base + from, bytes: held.subarray(from, to) } : undefined;
  }

  /** The index of the line end behind the record; `open` within quotes, `more` if it is not held yet. */
  #end(): number | 'open' | 'more' {
    const held = this.#held;
    let newline = held.indexOf(this.#lineEnd, this.#at);
    if (this.#separator === undefined) return newline === -1 ? 'more' : newline;
    if (this.#quote < this.#at) this.#quote = indexFrom(held, QUOTE, this.#at);
    if (newline !== -1 && this.#quote > newline) return newline;
    let separator = -1;
    for (let at = this.#at; ;) {
      if (held[at] === QUOTE) {
        let close = held.indexOf(QUOTE, at + 1);
        while (close !== -1 && held[close + 1] === QUOTE) close = held.indexOf(QUOTE, close + 2);
        if (close === -1) return 'open';
        at = close + 1;
        if (at === held.length && this.#base + at < this.#file.size) return 'more';
      }
      if (newline < at) newline = indexFrom(held, this.#lineEnd, at);
      if (separator < at) separator = indexFrom(held, this.#separator, at);
      if (separator >= newline) return newline === Infinity ? 'more' : newline;
      at = separator + 1;
    }
  }

  /** Reads more bytes behind the held ones from `#at` on, which move to the front; false at the end of the file. */
  #fill(): boolean {
    const kept = this.#held.length - this.#at;
    const from = this.#base + this.#held.length;
    // What is not used takes no memory.
    const room = Math.min(MAX_RECORD_BYTES + CHUNK_BYTES, Math.max(0, this.#file.size - from));
    if (this.#room.length === 0) this.#room = Buffer.allocUnsafe(room);
    this.#held.copyWithin(0, this.#at);
    const part = this.#room.subarray(kept, kept + CHUNK_BYTES);
    const got = part.length > 0 ? this.#file.read(part, from) : 0;
    this.#base += this.#at;
    this.#at = 0;
    this.#quote = -1;
    this.#held = this.#room.subarray(0, kept + got);
    return got > 0;
  }

  /** Skips the rest of a line without holding it, and returns the offset of its end. */
  #skipLine(): number {
    for (;;) {
      const line = this.#held.indexOf(this.#lineEnd, this.#at);
      this.#at = line === -1 ? this.#held.length : line + 1;
      if (line !== -1 || !this.#fill()) return this.#base + this.#at;
    }
  }
}

function indexFrom(bytes: Buffer, byte: number, at: number): number {
  const found = bytes.indexOf(byte, at);
  return found === -1 ? Infinity : found;
}

/** Pushes the first bytes of a JSON text to the scanner. `at`: how many were scanned. */
export function scanFile(
  scanner: JsonScanner,
  file: DataFile,
  most: number,
): { readonly at: number; readonly damage?: JsonError } {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = 0;
  try {
    for (let got = 1; got > 0 && at < Math.min(file.size, most); at += got) {
      got = file.read(chunk, at);
      scanner.push(chunk.subarray(0, got));
    }
    if (at >= file.size) scanner.end();
    return { at };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { at, damage: error };
  }
}

/** The items of the array at `path` of a JSON text. */
export class ItemRecords {
  /** Undefined if nothing stands at the path. */
  found: 'array' | 'object' | 'scalar' | undefined;
  damage: JsonDamage | undefined;
  /** The members of an object that stands there, and where their values begin. */
  readonly members: { readonly name: string; readonly start: number }[] = [];
  readonly #file: DataFile;
  readonly #scanner: JsonScanner;
  #spans: { readonly start: number; readonly end: number }[] = [];
  #next = 0;
  #offset: number;
  readonly #isInside: boolean;
  #ended = false;

  /** `start`: an offset behind the bracket of the array, at which an item begins; 0 for the beginning of the file. */
  constructor(file: DataFile, path: JsonPath, start: number) {
    this.#file = file;
    this.#offset = start;
    this.#isInside = start > 0;
    const wanted = start === 0 ? path : [];
    this.#scanner = new JsonScanner(
      {
        want: (at) => (relationOf(at, wanted) === 'elsewhere' ? 'skip' : 'enter'),
        entered: (at, kind) => {
          if (relationOf(at, wanted) === 'at') this.found = kind;
        },
        value: (at, _, span) => {
          const isInside = at.length === wanted.length + 1 && relationOf(at.slice(0, -1), wanted) === 'at';
          if (isInside && this.found === 'array') this.#spans.push(span);
          else if (isInside && this.members.length < MAX_MEMBERS)
            this.members.push({ name: String(at.at(-1)), start: span.start });
          else if (relationOf(at, wanted) === 'at') this.found = 'scalar';
        },
        left: (at) => {
          if (relationOf(at, wanted) === 'at') this.#ended = true;
        },
      },
      Math.max(0, start - 1),
    );
    // The bracket of the array, which stands somewhere before the item.
    if (start > 0) this.#scanner.push(Buffer.from('['));
  }

  next(oversized: (at: number, bytes: number) => void): RecordBytes | undefined {
    for (;;) {
      const span = this.#spans[this.#next];
      this.#next += 1;
      if (!span) {
        [this.#spans, this.#next] = [[], 0];
        if (this.#ended || this.damage || !this.#scan()) return undefined;
        continue;
      }
      const bytes = span.end - span.start;
      if (bytes > MAX_RECORD_BYTES) {
        oversized(span.start, bytes);
        continue;
      }
      const held = Buffer.allocUnsafe(bytes);
      return { at: span.start, bytes: held.subarray(0, this.#file.read(held, span.start)) };
    }
  }

  #scan(): boolean {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, this.#file.size - this.#offset)));
    const got = this.#file.read(chunk, this.#offset);
    this.#offset += got;
    try {
      if (got > 0) this.#scanner.push(chunk.subarray(0, got));
      else this.#scanner.end();
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      // Of a text that is read from an item on, what stands around the array is not known.
      if (!this.#ended || !this.#isInside) this.damage = { offset: error.offset, why: error.message };
    }
    return got > 0;
  }
}

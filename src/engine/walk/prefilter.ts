/**
 * A prefilter that skips small files that cannot match: the files of a directory are read into one buffer, which is searched
 * for the literal that every match contains. The bytes are used for nothing else; files that are not skipped are read
 * again with all checks.
 */

import { peekHeld, refusalOf } from '../../access/held-directory.ts';
import { detectEncoding, HEAD_BYTES } from '../../text/encoding.ts';
import { isContainer } from './container-names.ts';

const BUFFER = 1 << 20;

/** The least free bytes in the buffer before a file is read. A file that fills the buffer is not skipped. */
const ROOM = 128 << 10;

/**
 * After `TRIAL` files: if more than one in `WORTH` files remain, the prefilter costs more than it saves and is no longer used.
 */
const TRIAL = 64;
const WORTH = 4;

/** A read that ends at a multiple of the page size may have failed at an unreadable page before the end of the file. */
const PAGE = 4096;

/** A first byte from this value on, or a NUL, may be the start of a byte order mark. */
const MARKED = 0xef;

export class Prefilter {
  readonly #needle: Buffer;
  readonly #bytes = Buffer.allocUnsafeSlow(BUFFER);
  #looked = 0;
  #left = 0;

  constructor(needle: Buffer) {
    this.#needle = needle;
  }

  /** Whether it is still worth using: it has skipped enough files so far. */
  get isWorthwhile(): boolean {
    return this.#looked < TRIAL || this.#left * WORTH < this.#looked;
  }

  /** The files of `names` (ASCII) in the directory `self` that may contain a match, in order. */
  filter(self: string, names: readonly string[]): string[] {
    const left: string[] = [];
    for (let at = 0; at < names.length;) at = this.#filterSome(self, names, at, left);
    this.#looked += names.length;
    this.#left += left.length;
    return left;
  }

  /** Checks as many files from index `at` on as fit into the buffer. Returns the index of the next file. */
  #filterSome(self: string, names: readonly string[], at: number, left: string[]): number {
    const bytes = this.#bytes;
    const ends: number[] = [];
    const doubtful = new Set<number>();
    let used = 0;
    for (let i = at; i < names.length && used + ROOM <= BUFFER; i += 1) {
      const got = read(self, names[i] as string, bytes, used);
      const first = bytes[used] as number;
      const isWhole = got % PAGE !== 0 && used + got < BUFFER;
      const head = bytes.subarray(used, used + Math.min(got, HEAD_BYTES));
      // Containers are never skipped here, because they must be counted whatever they contain.
      if (isWhole && first < MARKED && first !== 0 && !isContainer('', head, got)) used += got;
      else doubtful.add(i - at);
      ends.push(used);
    }
    // A hit may extend into the next file, so the search continues at the start of that file.
    for (let found = this.#find(this.#needle, 0, used); found !== -1;) {
      const file = ends.findIndex((end) => found < end);
      doubtful.add(file);
      found = this.#find(this.#needle, ends[file] as number, used);
    }
    // In UTF-16 the needle has other bytes. Such files contain NULs.
    for (let found = this.#find(0, 0, used); found !== -1;) {
      const file = ends.findIndex((end) => found < end);
      const start = ends[file - 1] ?? 0;
      const end = ends[file] as number;
      if (detectEncoding(bytes.subarray(start, Math.min(end, start + HEAD_BYTES))).unit > 1)
        doubtful.add(file);
      found = this.#find(0, end, used);
    }
    for (let i = 0; doubtful.size > 0 && i < ends.length; i += 1) {
      if (doubtful.has(i)) left.push(names[at + i] as string);
    }
    return at + ends.length;
  }

  /** The offset of the next `what` at or after `from`; -1 if there is none before `used`. */
  #find(what: Buffer | number, from: number, used: number): number {
    if (from >= used) return -1;
    const found = this.#bytes.subarray(from, used).indexOf(what);
    return found === -1 ? -1 : from + found;
  }
}

/** The number of bytes read; 0 if the file could not be opened or read. */
function read(self: string, name: string, bytes: Buffer, at: number): number {
  try {
    return peekHeld(self, name, bytes, at);
  } catch (error) {
    refusalOf(error);
    return 0;
  }
}

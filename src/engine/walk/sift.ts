/**
 * Skips small files that cannot match: those of one directory are read one after the other and searched at
 * once for what every match contains. Bytes read here are not used for anything else. All other files are
 * read again with all checks.
 */

import { peekHeld, refusalOf } from '../../access/held-directory.ts';
import { detectEncoding, HEAD_BYTES } from '../../text/encoding.ts';
import { isContainer } from './container-names.ts';

const BUFFER = 1 << 20;

/** Free bytes in the buffer before a file is read. A file that fills them is not skipped. */
const ROOM = 128 << 10;

/**
 * If more than a quarter of the files remain, sifting costs more than it saves; this is decided after this
 * many files.
 */
const TRIAL = 64;
const WORTH = 4;

/** Up to a whole number of pages a file may have been read to a page that could not be had, and not to its end. */
const PAGE = 4096;

/** From here on a first byte may begin a byte order mark; so may a NUL. */
const MARKED = 0xef;

export class Sieve {
  readonly #needle: Buffer;
  readonly #bytes = Buffer.allocUnsafeSlow(BUFFER);
  #looked = 0;
  #left = 0;

  constructor(needle: Buffer) {
    this.#needle = needle;
  }

  /** Whether it has left few files so far. */
  get pays(): boolean {
    return this.#looked < TRIAL || this.#left * WORTH < this.#looked;
  }

  /** Those of the files `names` (ASCII) in the directory `self` that may hold a match, in order. */
  sift(self: string, names: readonly string[]): string[] {
    const left: string[] = [];
    for (let at = 0; at < names.length;) at = this.#siftSome(self, names, at, left);
    this.#looked += names.length;
    this.#left += left.length;
    return left;
  }

  /** As many as fit, from `at` on. Returns where to continue. */
  #siftSome(self: string, names: readonly string[], at: number, left: string[]): number {
    const bytes = this.#bytes;
    const ends: number[] = [];
    const doubtful = new Set<number>();
    let used = 0;
    for (let i = at; i < names.length && used + ROOM <= BUFFER; i += 1) {
      const got = read(self, names[i] as string, bytes, used);
      const first = bytes[used] as number;
      const isWhole = got % PAGE !== 0 && used + got < BUFFER;
      const head = bytes.subarray(used, used + Math.min(got, HEAD_BYTES));
      // Files that are skipped because of their type must be counted, whatever they contain.
      if (isWhole && first < MARKED && first !== 0 && !isContainer('', head, got)) used += got;
      else doubtful.add(i - at);
      ends.push(used);
    }
    // A find may begin in one file and end in another: the second is looked through once more.
    for (let found = this.#find(this.#needle, 0, used); found !== -1;) {
      const file = ends.findIndex((end) => found < end);
      doubtful.add(file);
      found = this.#find(this.#needle, ends[file] as number, used);
    }
    // UTF-16 holds the needle in other bytes, and NULs among them.
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

  /** The next place of `what` from a byte on. */
  #find(what: Buffer | number, from: number, used: number): number {
    if (from >= used) return -1;
    const found = this.#bytes.subarray(from, used).indexOf(what);
    return found === -1 ? -1 : from + found;
  }
}

/** Bytes read; 0, too, where it was refused. */
function read(self: string, name: string, bytes: Buffer, at: number): number {
  try {
    return peekHeld(self, name, bytes, at);
  } catch (error) {
    refusalOf(error);
    return 0;
  }
}

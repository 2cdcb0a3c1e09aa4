/** Selects one page: of all addresses in order, `limit` matches from `offset` on, and their context lines. */

import { MOST_CHARACTERS } from '../walk/page-bounds.ts';
import type { Address } from './match-addresses.ts';

/** Characters that a line is assumed to have; long lines are clipped later. */
const USUAL_LINE = 100;

/** An address together with its file. */
export interface PlacedAddress extends Address {
  readonly path: string;
  /** What counts as one file with it, if that is more than `path`: the table of a row. */
  readonly group?: string;
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
  readonly rank?: number;
  /** The offset in the text where a match begins on this line, if known. */
  readonly at?: number;
}

export interface AddressedFile {
  readonly path: string;
  readonly lines: AddressedLine[];
}

/** Takes addresses in order. A nearby match that belongs to another page is shown as a context line. */
export class Page {
  readonly files: AddressedFile[] = [];
  /** The number of matches on this page. */
  found = 0;
  /** Whether more matches follow after the page. */
  more = false;

  #seen = 0;
  #room = MOST_CHARACTERS;
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
    file.lines.push({ no, offset, ...(rank !== undefined && { rank }), ...(at !== undefined && { at }) });
  }
}

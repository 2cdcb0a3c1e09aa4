/** Chooses what one answer shows: of all addresses in order, `limit` matches from `offset` on, and their context. */

import { MOST_CHARACTERS } from '../walk/page-bounds.ts';
import type { Address } from './match-addresses.ts';

/** Characters of most lines; those of a long one are clipped. */
const USUAL_LINE = 100;

/** A line of one of the files. */
export interface PlacedAddress extends Address {
  readonly path: string;
  /** What it is counted with, where that is more than `path`: the table of a row. */
  readonly group?: string;
}

export interface PageBounds {
  /** Matches left out first. */
  readonly offset: number;
  /** The most matches shown. */
  readonly limit: number;
  /** Lines shown before and after each. */
  readonly before: number;
  readonly after: number;
}

export interface AddressedLine {
  readonly no: number;
  readonly offset: number;
  /** 0-based rank among all matches; absent on context lines. */
  readonly rank?: number;
  /** Where in the text a match begins on it, where that is known. */
  readonly at?: number;
}

export interface AddressedFile {
  readonly path: string;
  readonly lines: AddressedLine[];
}

/** Takes addresses in order. A match of another page that is near is shown as context. */
export class Page {
  readonly files: AddressedFile[] = [];
  /** Matches on this page. */
  found = 0;
  /** A match follows beyond the page. */
  more = false;

  #seen = 0;
  #room = MOST_CHARACTERS;
  /** Lines that may be the context of a match still to come. */
  #before: PlacedAddress[] = [];
  #last: { path: string; no: number } | undefined;
  readonly #bounds: PageBounds;

  constructor(bounds: PageBounds) {
    this.#bounds = bounds;
  }

  /** Matches met so far, shown or not. */
  get seen(): number {
    return this.#seen;
  }

  /** Leaves out a file with so many matches, if all of them are before the page. */
  skip(matches: number): boolean {
    if (this.#seen + matches > this.#bounds.offset) return false;
    this.#seen += matches;
    return true;
  }

  /** Returns false when nothing that follows can belong to this page. */
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

/** Owns choosing what one answer shows: of all addresses in order, `limit` matches from `offset` on, and their context. */

import type { Address } from './addresses.ts';

export interface PageBounds {
  /** Matches left out first. */
  readonly offset: number;
  /** The most matches shown. */
  readonly limit: number;
  /** Lines shown around each. */
  readonly context: number;
}

export interface AddressedLine {
  readonly no: number;
  readonly offset: number;
  /** 0-based rank among all matches; absent on context lines. */
  readonly rank?: number;
}

export interface AddressedFile {
  readonly path: string;
  readonly lines: AddressedLine[];
}

/** Takes addresses in order. A match of another page that stands near is shown as context. */
export class Page {
  readonly files: AddressedFile[] = [];
  /** Matches on this page. */
  found = 0;
  /** A match follows beyond the page. */
  more = false;

  #seen = 0;
  /** Lines that may be the context of a match still to come. */
  #before: Address[] = [];
  #last: { path: string; no: number } | undefined;
  readonly #bounds: PageBounds;

  constructor(bounds: PageBounds) {
    this.#bounds = bounds;
  }

  /** Matches met so far, shown or not. */
  get seen(): number {
    return this.#seen;
  }

  /** Returns false when nothing that follows can belong to this page. */
  take(address: Address): boolean {
    const { offset, limit, context } = this.#bounds;
    const rank = address.match ? this.#seen++ : -1;
    if (rank >= offset && this.found < limit) {
      this.#show(address, rank);
      return true;
    }
    if (rank >= offset) this.more = true;
    const after = this.#last?.path === address.path && address.no - this.#last.no <= context;
    if (after) this.#push(address);
    else if (context > 0) this.#hold(address);
    return after || !this.more;
  }

  #show(address: Address, rank: number): void {
    for (const held of this.#before) {
      if (held.path === address.path && address.no - held.no <= this.#bounds.context) this.#push(held);
    }
    this.#before = [];
    this.#push(address, rank);
    this.#last = address;
    this.found += 1;
  }

  #hold(address: Address): void {
    this.#before.push(address);
    if (this.#before.length > this.#bounds.context) this.#before.shift();
  }

  #push({ path, no, offset }: Address, rank?: number): void {
    let file = this.files.at(-1);
    if (file?.path !== path) {
      file = { path, lines: [] };
      this.files.push(file);
    }
    file.lines.push({ no, offset, ...(rank !== undefined && { rank }) });
  }
}

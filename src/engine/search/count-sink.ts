/** The sink of `count`: collects files with a match, and their numbers of matching lines, until the page is full. */

import type { Call } from '../../types/call.ts';
import type { CountRequest } from '../../types/request.ts';
import type { ListResult } from '../../types/result.ts';
import { entriesOf, MOST_RESULTS } from '../walk/page-bounds.ts';
import { walkFailed } from '../walk/walk-failure.ts';
import { Search } from './search-run.ts';
import type { Naming, Sink } from './sink.ts';
import type { SearchInput } from './search-input.ts';

export class CountSink implements Sink {
  readonly search: Search;
  readonly #request: CountRequest;
  readonly #files: { path: string; rank: number; matches: number }[] = [];
  readonly #end: number;
  /** The number of files with a match so far, shown or not. */
  #seen = 0;
  /** The shown path of the last of them. */
  #last: string | undefined;

  constructor(request: CountRequest, call: Call) {
    this.#request = request;
    this.#end = request.offset + Math.min(request.limit, MOST_RESULTS);
    this.search = new Search(request, call, { before: 0, after: 0, firstOnly: !request.counts });
  }

  get shown(): number {
    return this.#files.length;
  }

  /** All files with their numbers of matches; undefined if there are more than fit the page. */
  get all(): ReadonlyMap<string, number> | undefined {
    if (this.#seen > this.#end) return undefined;
    return new Map(this.#files.map(({ path, matches }) => [path, matches]));
  }

  async take(input: SearchInput, names: Naming): Promise<boolean> {
    return this.search.goesOn(input, await this.#count(input, names));
  }

  knows(path: string, matches: number): 'counted' | 'enough' {
    if (!this.#begin(path)) return 'enough';
    const file = this.#files.at(-1);
    if (file && file.path === path) file.matches = matches;
    return 'counted';
  }

  /** Throws `LIMIT` if the walk failed before it found anything. */
  refuseIfBroken(): void {
    if (this.search.gaps.broken && this.#seen === 0) throw walkFailed(this.search.gaps);
  }

  result(): ListResult {
    this.refuseIfBroken();
    const { gaps } = this.search;
    const { counts } = this.#request;
    const entries = entriesOf(this.#files, ({ matches, ...file }) => ({
      ...file,
      ...(counts && { matches }),
    }));
    const end = this.#request.offset + entries.length;
    return {
      is: 'entries',
      entries,
      ...(this.#seen > end && entries.length > 0 && { next: end }),
      ...(entries.length === 0 && this.#seen > 0 && { beyond: this.#seen }),
      gaps: gaps.facts,
    };
  }

  /** Returns the position in the input at which the page was full; undefined if it was not. */
  async #count(input: SearchInput, names: Naming): Promise<number | undefined> {
    let known: string | undefined;
    for await (const batch of input.addresses()) {
      for (const address of batch) {
        const { path, group = path } = address;
        if (group !== known && !this.#begin(names.shown(group))) return input.placeOf(address);
        known = group;
        const file = this.#files.at(-1);
        if (file && file.path === this.#last) file.matches += 1;
      }
    }
    return undefined;
  }

  /** Notes a match in the file at `path`, which may still be the same file. Returns false if the page is full. */
  #begin(path: string): boolean {
    if (path === this.#last) return true;
    this.#last = path;
    const rank = this.#seen;
    this.#seen += 1;
    if (rank >= this.#end) return false;
    if (rank >= this.#request.offset) this.#files.push({ path, rank, matches: 0 });
    return true;
  }
}

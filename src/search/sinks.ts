/** The interface that collects the results of a search: a page of matches, or counts per file. */

import { createTurns } from '../queues/turns.ts';
import { isHashline } from '../render/display.ts';
import { urlOfShown } from '../target/nameable-path.ts';
import type { Call } from '../types/call.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import type { ListResult, MatchedFile, SearchResult } from '../types/result.ts';
import type { MatchAnchors } from './anchors.ts';
import type { EnclosingSymbols } from './enclosing-symbols.ts';
import { MatchPage } from './match-page.ts';
import { entriesOf, MAX_PAGE_MATCHES, MAX_PAGE_RESULTS, walkFailed } from './page-bounds.ts';
import { QuotedFiles } from './quote.ts';
import type { QuotableText, SearchInput } from './search-input.ts';
import { SearchRun } from './search-run.ts';

/** How the paths of an input are shown. */
export interface PathNaming {
  /** The shown form of a path. */
  shown(path: string): string;
  /** The absolute real path; absent if the searched text is not an editable file. */
  real?(path: string): string;
}

export interface SearchSink {
  readonly search: SearchRun;
  /** The number of files in the answer so far; they must stay open until it is complete. */
  readonly shown: number;
  /** Resolves to false if the page is full. */
  take(input: SearchInput, names: PathNaming): Promise<boolean>;
  /**
   * Told when the number of matches of the next file is already known (`path` in its shown form). Returns `counted` if the
   * number is sufficient, `wanted` if its lines are needed, and `enough` if the page is full.
   */
  knows(path: string, matches: number): 'counted' | 'wanted' | 'enough';
}

// The sink of `search`: collects matching lines until the page is full.

/** Files whose lines are collected before other work gets its turn: a few milliseconds. */
const AT_ONCE = 128;

const nextTurn = createTurns();

export class MatchSink implements SearchSink {
  readonly search: SearchRun;
  readonly #request: SearchRequest;
  readonly #page: MatchPage;
  readonly #quotes: QuotedFiles;
  readonly #call: Call;
  #symbols: EnclosingSymbols | undefined;
  #anchors: MatchAnchors | undefined;

  constructor(request: SearchRequest, call: Call) {
    const { offset, limit, before, after, clip } = request;
    this.#request = request;
    this.#call = call;
    this.search = new SearchRun(request, call, { before, after });
    this.#page = new MatchPage({
      offset,
      limit: Math.min(limit, MAX_PAGE_MATCHES),
      before,
      after,
    });
    this.#quotes = new QuotedFiles(this.search, clip, call);
  }

  get shown(): number {
    return this.#page.files.length;
  }

  async take(input: SearchInput, names: PathNaming): Promise<boolean> {
    const known = this.#page.files.length;
    const end = await this.#addressesOf(input);
    for (const [i, addressed] of this.#page.files.slice(known).entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
      const quotable = input.quotable(addressed);
      const quoted = await this.#quotes.add(names.shown(addressed.path), quotable);
      if (quoted && this.#request.leads) await this.#prepare(quoted, quotable, names.real?.(addressed.path));
    }
    return this.search.goesOn(input, end);
  }

  knows(_path: string, matches: number): 'counted' | 'wanted' {
    return this.#page.skip(matches) ? 'counted' : 'wanted';
  }

  /** The answer; call it when the search has ended. */
  async result(): Promise<SearchResult> {
    const { found, more, seen } = this.#page;
    const { gaps } = this.search;
    if (gaps.broken && seen === 0) throw walkFailed(this.search.gaps);
    return {
      kind: 'matches',
      files: (await this.#leading(this.#quotes.files)).map((file) => {
        const use = urlOfShown(file.path, this.#call);
        return use === undefined ? file : { ...file, use };
      }),
      found,
      next: more ? this.#request.offset + found : undefined,
      beyond: found === 0 && seen > 0 ? seen : undefined,
      gaps: gaps.facts,
    };
  }

  /** Reads the data for symbols and anchors now, because the searched files are open only during the search. */
  async #prepare(file: MatchedFile, searched: QuotableText, path: string | undefined): Promise<void> {
    const { EnclosingSymbols } = await import('./enclosing-symbols.ts');
    this.#symbols ??= new EnclosingSymbols(this.#call);
    await this.#symbols.add(file, searched, path);
    if (path === undefined || !isHashline(this.#call.settings.display)) return;
    const { MatchAnchors: Anchors } = await import('./anchors.ts');
    this.#anchors ??= new Anchors(this.#call);
    await this.#anchors.add(file, path, searched);
  }

  async #leading(files: readonly MatchedFile[]): Promise<readonly MatchedFile[]> {
    const shown = (await this.#symbols?.addTo(files)) ?? files;
    const anchors = this.#anchors;
    if (!anchors) return shown;
    const anchored: MatchedFile[] = [];
    for (const [i, file] of files.entries())
      anchored.push(await anchors.addTo(file, shown[i] as MatchedFile));
    return anchored;
  }

  /** Takes addresses until the page is full; returns the position in the input at which it was, undefined if it was not. */
  async #addressesOf(input: SearchInput): Promise<number | undefined> {
    for await (const batch of input.addresses()) {
      for (const address of batch) if (!this.#page.take(address)) return input.placeOf?.(address) ?? 0;
    }
    return undefined;
  }
}

// The sink of `count`: collects files with a match, and their numbers of matching lines, until the page is full.

export class CountSink implements SearchSink {
  readonly search: SearchRun;
  readonly #request: CountRequest;
  readonly #call: Call;
  readonly #files: { path: string; rank: number; matches: number }[] = [];
  readonly #end: number;
  /** The number of files with a match so far, shown or not. */
  #seen = 0;
  /** The shown path of the last of them. */
  #last: string | undefined;

  constructor(request: CountRequest, call: Call) {
    this.#request = request;
    this.#call = call;
    this.#end = request.offset + Math.min(request.limit, MAX_PAGE_RESULTS);
    this.search = new SearchRun(request, call, { before: 0, after: 0, firstOnly: !request.counts });
  }

  get shown(): number {
    return this.#files.length;
  }

  /** All files with their numbers of matches; undefined if there are more than fit the page. */
  get all(): ReadonlyMap<string, number> | undefined {
    if (this.#seen > this.#end) return undefined;
    return new Map(this.#files.map(({ path, matches }) => [path, matches]));
  }

  async take(input: SearchInput, names: PathNaming): Promise<boolean> {
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
      use: urlOfShown(file.path, this.#call),
      matches: counts ? matches : undefined,
    }));
    const end = this.#request.offset + entries.length;
    return {
      kind: 'entries',
      entries,
      next: this.#seen > end && entries.length > 0 ? end : undefined,
      beyond: entries.length === 0 && this.#seen > 0 ? this.#seen : undefined,
      gaps: gaps.facts,
    };
  }

  /** Returns the position in the input at which the page was full; undefined if it was not. */
  async #count(input: SearchInput, names: PathNaming): Promise<number | undefined> {
    let known: string | undefined;
    for await (const batch of input.addresses()) {
      for (const address of batch) {
        const { path, group = path } = address;
        if (group !== known && !this.#begin(names.shown(group))) return input.placeOf?.(address) ?? 0;
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

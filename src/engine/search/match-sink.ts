/** The sink of `search`: collects matching lines until the page is full. */

import { createTurns } from '../../queues/turns.ts';
import type { Call } from '../../types/call.ts';
import type { SearchRequest } from '../../types/request.ts';
import type { MatchedFile, SearchResult } from '../../types/result.ts';
import { MOST_MATCHES } from '../walk/page-bounds.ts';
import { walkFailed } from '../walk/walk-failure.ts';
import type { Anchors } from './anchors.ts';
import type { EnclosingSymbols } from './enclosing-symbols.ts';
import { Page } from './match-page.ts';
import { Quotes } from './quote.ts';
import { Search } from './search-run.ts';
import type { Naming, Sink } from './sink.ts';
import type { Quotable, SearchInput } from './search-input.ts';

/** Files whose lines are collected before other work gets its turn: a few milliseconds. */
const AT_ONCE = 128;

const nextTurn = createTurns();

export class MatchSink implements Sink {
  readonly search: Search;
  readonly #request: SearchRequest;
  readonly #page: Page;
  readonly #quotes: Quotes;
  readonly #call: Call;
  #symbols: EnclosingSymbols | undefined;
  #anchors: Anchors | undefined;

  constructor(request: SearchRequest, call: Call) {
    const { offset, limit, before, after, clip } = request;
    this.#request = request;
    this.#call = call;
    this.search = new Search(request, call, { before, after });
    this.#page = new Page({
      offset,
      limit: Math.min(limit, MOST_MATCHES),
      before,
      after,
    });
    this.#quotes = new Quotes(this.search, clip, call);
  }

  get shown(): number {
    return this.#page.files.length;
  }

  async take(input: SearchInput, names: Naming): Promise<boolean> {
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
      is: 'matches',
      files: await this.#leading(this.#quotes.files),
      found,
      ...(more && { next: this.#request.offset + found }),
      ...(found === 0 && seen > 0 && { beyond: seen }),
      gaps: gaps.facts,
    };
  }

  /** Reads the data for symbols and anchors now, because the searched files are open only during the search. */
  async #prepare(file: MatchedFile, searched: Quotable, path: string | undefined): Promise<void> {
    const { EnclosingSymbols } = await import('./enclosing-symbols.ts');
    this.#symbols ??= new EnclosingSymbols(this.#call);
    await this.#symbols.add(file, searched, path);
    if (path === undefined || this.#call.settings.display !== 'hashline') return;
    const { Anchors } = await import('./anchors.ts');
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
      for (const address of batch) if (!this.#page.take(address)) return input.placeOf(address);
    }
    return undefined;
  }
}

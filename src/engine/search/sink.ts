/** The interface that collects the results of a search: a page of matches, or counts per file. */

import type { Search } from './search-run.ts';
import type { SearchInput } from './search-input.ts';

/** How the paths of an input are shown. */
export interface Naming {
  /** The shown form of a path. */
  shown(path: string): string;
  /** The absolute real path; absent if the searched text is not an editable file. */
  real?(path: string): string;
}

export interface Sink {
  readonly search: Search;
  /** The number of files in the answer so far; they must stay open until it is complete. */
  readonly shown: number;
  /** Resolves to false if the page is full. */
  take(input: SearchInput, names: Naming): Promise<boolean>;
  /**
   * Told when the number of matches of the next file is already known (`path` in its shown form). Returns `counted` if the
   * number is sufficient, `wanted` if its lines are needed, and `enough` if the page is full.
   */
  knows(path: string, matches: number): 'counted' | 'wanted' | 'enough';
}

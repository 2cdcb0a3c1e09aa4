/** Collects the results of a search: a page of matches, or counts by file. */

import type { Search } from './search-run.ts';
import type { Stretch } from './stretch.ts';

/** How the paths of a stretch are shown. */
export interface Naming {
  /** As it is shown. */
  shown(path: string): string;
  /** Absolute and real; absent if what was searched is no file that could be edited. */
  real?(path: string): string;
}

export interface Sink {
  readonly search: Search;
  /** Number of files in the answer so far; they are needed until it is complete. */
  readonly shown: number;
  /** Resolves to false when the page is full. */
  take(stretch: Stretch, names: Naming): Promise<boolean>;
  /**
   * The next file has this many matches. Returns `counted` if the number is sufficient, `wanted` if its lines
   * are needed, and `enough` if the page is full. `path` as it is shown.
   */
  knows(path: string, matches: number): 'counted' | 'wanted' | 'enough';
}

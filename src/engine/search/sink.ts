/** Where a search puts what it finds: a page of matches, or a count by files. */

import type { Search } from './search-run.ts';
import type { Stretch } from './stretch.ts';

/** How the paths of a stretch are called elsewhere. */
export interface Naming {
  /** As it is shown. */
  shown(path: string): string;
  /** Absolute and real; absent if what was searched is no file that could be edited. */
  real?(path: string): string;
}

export interface Sink {
  readonly search: Search;
  /** Files of which something is shown so far: they are needed until the answer is made. */
  readonly shown: number;
  /** Resolves to false when nothing that follows counts any more. */
  take(stretch: Stretch, names: Naming): Promise<boolean>;
  /**
   * A file with so many matches is next: it is `counted` by that, or its lines are `wanted`; or there is `enough`.
   * `path` as it is shown.
   */
  knows(path: string, matches: number): 'counted' | 'wanted' | 'enough';
}

/** Remembers whether a server that announces ranges really supports them, per version of a file. */

import type { Kind } from '../../types/store.ts';

export interface RangeAnswers {
  /** `ranges` never changes back: a full reply after a range is an error, and the next request may succeed. */
  known: 'ranges' | 'all' | undefined;
}

/** The key is the URL after redirects with the validators of the response. */
export const rangeAnswers: Kind<RangeAnswers, { readonly etag?: string; readonly lastModified?: string }> = {
  name: 'web-range-answers',
  weigh: () => ({ memory: 256 }),
};

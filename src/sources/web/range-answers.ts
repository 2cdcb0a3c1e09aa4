/** Whether a server that announces ranges has them: what it has answered for one version of a file. */

import type { Kind } from '../../types/store.ts';

export interface RangeAnswers {
  /** `ranges` is never taken back: a full reply after a range is an error, and the next request may succeed. */
  known: 'ranges' | 'all' | undefined;
}

/** Of the URL after redirects, and the validators of the page that was found to be large. */
export const rangeAnswers: Kind<RangeAnswers, { readonly etag?: string; readonly lastModified?: string }> = {
  name: 'web-range-answers',
  weigh: () => ({ memory: 256 }),
};

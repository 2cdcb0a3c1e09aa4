/** The end of a byte window with a length: following its notices ends there, as for a range of lines. */

import { baseLimits } from '../limits.ts';
import type { Excerpt, Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/**
 * The excerpt of `window`; its `next` requests what is left of the length. Without `next` if nothing is left, except inside an
 * oversized line, of which every cut is announced. A window without a length, or of the default length, which notices
 * contain, is a page: its `next` leads on to the end of the text.
 */
export function upToAsked(excerpt: Excerpt, window: Window | undefined, limits: Limits): Excerpt {
  const { next } = excerpt;
  if (window?.by !== 'bytes' || next?.by !== 'bytes' || isPage(window.length, limits)) return excerpt;
  const left = window.start + (window.length ?? 0) - next.start;
  if (left > 0) {
    const cutBy = excerpt.cutBy === 'window' ? 'windowMax' : excerpt.cutBy;
    return { ...excerpt, ...(cutBy && { cutBy }), next: { ...next, length: left } };
  }
  if (excerpt.oversized) return excerpt;
  const { next: _, cutBy: __, ...whole } = excerpt;
  return whole;
}

function isPage(length: number | undefined, { window }: Limits): boolean {
  return length === undefined || length === window || length === baseLimits.window;
}

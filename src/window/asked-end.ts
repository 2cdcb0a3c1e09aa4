/** The end of a byte window with a length: following its notices ends there, as for a range of lines. */

import { baseLimits } from '../limits.ts';
import type { Excerpt, Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/**
 * The excerpt of `window`; its `next` requests what is left of the length. Without `next` if nothing is left, except inside an
 * oversized line, of which every cut names the rest. A window without a length, of the default length, which notices
 * contain, or of the largest one is a page: its `next` leads on to the end of the text.
 */
export function upToAsked(excerpt: Excerpt, window: Window | undefined, limits: Limits): Excerpt {
  const { next } = excerpt;
  if (window?.by !== 'bytes' || next?.by !== 'bytes' || isPage(window.length, limits)) return excerpt;
  const { length = 0 } = window;
  if (excerpt.oversized && length <= limits.windowMax) return excerpt;
  const left = window.start + length - next.start;
  if (left > 0) {
    const cutBy = excerpt.cutBy === 'window' ? 'windowMax' : excerpt.cutBy;
    return { ...excerpt, ...(cutBy && { cutBy }), next: { ...next, length: left } };
  }
  const { next: _, ...whole } = excerpt;
  return { ...whole, cutBy: 'window' };
}

function isPage(length: number | undefined, { window, windowMax }: Limits): boolean {
  return length === undefined || [window, baseLimits.window, windowMax].includes(length);
}

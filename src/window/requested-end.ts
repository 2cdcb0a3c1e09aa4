/** The end of a byte window that is larger than an answer. */

import type { Excerpt, Window } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

/**
 * The excerpt of `window`. If the requested length exceeds the largest window, `next` requests what is left of it, so that
 * following the notices ends near the requested end, as for a range of lines.
 */
export function upToRequested(excerpt: Excerpt, window: Window | undefined, { windowMax }: Limits): Excerpt {
  const { next } = excerpt;
  if (window?.by !== 'bytes' || next?.by !== 'bytes') return excerpt;
  const { start, length = 0 } = window;
  const left = start + length - next.start;
  return length <= windowMax || left <= 0 ? excerpt : { ...excerpt, next: { ...next, length: left } };
}

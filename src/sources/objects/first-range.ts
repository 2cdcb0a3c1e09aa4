/** Chooses the bytes of an object that are requested first: those that the window probably needs. */

import type { Limits } from '../../types/limits.ts';
import type { Selection } from '../../types/selection.ts';
import { objectLimits } from './object-limits.ts';
import type { Wanted } from './part.ts';

const BEGINNING: Wanted = { start: 0, end: objectLimits.first };

/** `selection` is undefined for something else than a generic selector, such as a member of an archive or a table. */
export function firstRange(selection: Selection | undefined, { window: usual, windowMax }: Limits): Wanted {
  const window = selection?.window;
  if (window === undefined || selection?.mode === 'outline') return BEGINNING;
  switch (window.by) {
    case 'bytes': {
      const length = Math.min(window.length ?? usual, windowMax);
      return around(window.start - objectLimits.around, window.start + length + objectLimits.around);
    }
    case 'tail': {
      const { before } = window;
      if (before === undefined) return { last: objectLimits.first };
      return around(before - objectLimits.first, before + 1);
    }
    case 'lines': {
      const { inside, ranges } = window;
      if (inside !== undefined) return around(inside - objectLimits.around, inside + objectLimits.first);
      return ranges[0]?.from === 1 ? BEGINNING : { start: 0, end: objectLimits.head };
    }
    default:
      return BEGINNING;
  }
}

/** The highest offset. No object is larger, and numbers up to here are exact. */
const FARTHEST = 2 ** 50;

/** Extends a range near the beginning to the first byte, because the first bytes are needed to detect the type. */
function around(start: number, end: number): Wanted {
  const from = Math.min(Math.max(0, start), FARTHEST);
  const to = Math.min(Math.max(end, objectLimits.head), FARTHEST + objectLimits.head);
  return { start: from <= objectLimits.head ? 0 : from, end: to };
}

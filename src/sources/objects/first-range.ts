/** Which bytes of an object are asked for first: those that the window probably needs. */

import type { Limits } from '../../types/limits.ts';
import type { Selection } from '../../types/selection.ts';
import { objectLimits } from './object-limits.ts';
import type { Wanted } from './part.ts';

const BEGINNING: Wanted = { start: 0, end: objectLimits.first };

/** `undefined` stands for what is no selector: a member of an archive, a table. */
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

/** No object is as large as this, and numbers up to here are exact. */
const FARTHEST = 2 ** 50;

/** What is near the beginning is read from there: then the kind of thing is known too. */
function around(start: number, end: number): Wanted {
  const from = Math.min(Math.max(0, start), FARTHEST);
  const to = Math.min(Math.max(end, objectLimits.head), FARTHEST + objectLimits.head);
  return { start: from <= objectLimits.head ? 0 : from, end: to };
}

/** Owns what may be asked for: how many, and from which one on. */

import { OrielError } from '../../errors.ts';

/** More than these fit into no answer: what is asked beyond them is cut there, and the answer leads on. */
export const MOST_MATCHES = 10_000;
export const MOST_RESULTS = 20_000;

/** Lines before and after a match. */
export const MOST_CONTEXT = 200;

/** Sorting keeps all that lies before the answer: this bounds its memory. */
const MOST_OFFSET = 1_000_000;

/** Throws `BAD_INPUT` for a limit below 1, an offset below 0 or too large, and numbers that are not whole. */
export function checkRange(request: { limit: number; offset: number; context?: number }): void {
  need('limit', request.limit, 1);
  need('offset', request.offset, 0, MOST_OFFSET);
  need('context', request.context ?? 0, 0, MOST_CONTEXT);
}

function need(name: string, value: number, least: number, most: number = Number.MAX_SAFE_INTEGER): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const upTo = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : '';
  throw new OrielError(
    'BAD_INPUT',
    `${name} must be a whole number of at least ${least}${upTo}, not ${value}. Use ${name}=${least === 0 ? 0 : 100}.`,
  );
}

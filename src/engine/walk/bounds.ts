/** Owns what may be asked for: how many, and from which one on. */

import { OrielError } from '../../errors.ts';

/** Sorting keeps all that lies before the answer: this bounds its memory. */
const MOST_OFFSET = 1_000_000;

/** Throws `BAD_INPUT` for a limit below 1, an offset below 0 or too large, and numbers that are not whole. */
export function checkRange(request: { limit: number; offset: number; context?: number }): void {
  need('limit', request.limit, 1);
  need('offset', request.offset, 0);
  need('context', request.context ?? 0, 0);
  if (request.offset <= MOST_OFFSET) return;
  throw new OrielError('BAD_INPUT', `offset can be at most ${MOST_OFFSET}. Narrow the pattern or the path.`);
}

function need(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new OrielError(
    'BAD_INPUT',
    `${name} must be a whole number of at least ${least}, not ${value}. Use ${name}=${least === 0 ? 0 : 100}.`,
  );
}

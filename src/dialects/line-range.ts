/** Owns the window that `offset` and `limit` mean in the dialects that count lines. */

import type { Window } from '../types/excerpt.ts';

/** `limit` lines from line `offset` (1-based); to the end without a limit. */
export function lineRange(offset = 1, limit?: number): Window {
  const to = limit === undefined ? undefined : Math.min(offset + limit - 1, Number.MAX_SAFE_INTEGER);
  return { by: 'lines', ranges: [{ from: offset, ...(to !== undefined && { to }) }], context: false };
}

/** Parses the selector of cells: `cells:3`, `cells:3-5`, `cells:3-`, 0-based like the markers; `cell:3` means the same. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Window } from '../../types/excerpt.ts';
import type { NotebookCells, RenderedNotebook } from './cells.ts';

/** A range of cells, 0-based and inclusive; without `to` up to the last cell. */
export interface CellRange {
  readonly from: number;
  readonly to?: number | undefined;
}

/** Removes a range of cells from the front of `rest`. */
export function takeCells(rest: string): { cells?: CellRange | undefined; rest: string } {
  const match = /^cells?:(\d{1,15})(?:(-|\.\.)(\d{1,15})?)?(?::|$)/.exec(rest);
  if (!match) return { rest };
  const [whole, from, joint, to] = match;
  const first = Number(from);
  const last = joint === undefined ? first : to === undefined ? undefined : Number(to);
  return {
    cells: { from: first, to: last },
    rest: rest.slice(whole.length),
  };
}

/** The range of lines of the cells, in the line numbers of the whole notebook. Throws `OUT_OF_RANGE`. */
export function cellLines(
  { from, to = Number.POSITIVE_INFINITY }: CellRange,
  { count, bad }: NotebookCells,
  { lines }: RenderedNotebook,
  typed: string,
): Window {
  if (from >= count || from > to) throw outOfRange(from, to, count, typed);
  const shown = [...lines].filter(([index]) => index >= from && index <= to).map(([, span]) => span);
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) {
    const why = bad.find(({ index }) => index === from)?.why ?? 'it could not be read';
    throw new OrielError('CORRUPT', `Cell ${from} of ${quote(typed)} is damaged: ${why}.`, {
      next: `${typed}:raw`,
    });
  }
  return { kind: 'lines', ranges: [{ from: first.from, to: last.to }], context: false };
}

function outOfRange(from: number, to: number, count: number, typed: string): OrielError {
  const name = quote(typed);
  if (count === 0) {
    return new OrielError('OUT_OF_RANGE', `Cell ${from} does not exist: ${name} has no cells.`, {
      next: `${typed}:raw`,
    });
  }
  if (from > to) {
    return new OrielError('BAD_SELECTOR', `The cells ${from}-${to} end before they start.`, {
      next: `${typed}:cells:${to}-${from}`,
    });
  }
  const has = count === 1 ? 'one cell, 0' : `${count} cells, 0 to ${count - 1}`;
  return new OrielError('OUT_OF_RANGE', `Cell ${from} does not exist: ${name} has ${has}.`, {
    next: `${typed}:cells:${count - 1}`,
  });
}

/** The names of a sheet's columns: its first row where that is a header, else their letters. */

import type { CellObject } from 'xlsx';
import { columnName, columnsOf, type Grid } from './grid.ts';

export interface Header {
  /** The row that holds the names; absent where there is none. */
  readonly row?: number;
  readonly columns: readonly { readonly at: number; readonly name: string }[];
}

/** Characters of a column's name. */
const MOST_NAME = 100;

export function headerOf(grid: Grid): Header {
  const columns = columnsOf(grid.rows);
  const first = firstRow(grid);
  const cells = grid.rows.get(first);
  if (!cells || !isHeader(cells, columns, grid.rows.size)) {
    return { columns: columns.map((at) => ({ at, name: columnName(at) })) };
  }
  const taken = new Set<string>();
  const named = columns.map((at) => {
    const typed = String(cells.get(at)?.v ?? '')
      .trim()
      .replace(/\s+/g, ' ')
      .slice(0, MOST_NAME);
    let name = typed === '' ? columnName(at) : typed;
    if (taken.has(name.toLowerCase())) name = `${name} ${columnName(at)}`;
    taken.add(name.toLowerCase());
    return { at, name };
  });
  return { row: first, columns: named };
}

/** One by one: a sheet may have more rows than a call takes arguments. */
function firstRow({ rows }: Grid): number {
  let first = Number.POSITIVE_INFINITY;
  for (const row of rows.keys()) first = Math.min(first, row);
  return first;
}

export function hasHeader(grid: Grid): boolean {
  return headerOf(grid).row !== undefined;
}

/** Text in every cell of the first row, for more than half of the columns, above something else. */
function isHeader(cells: ReadonlyMap<number, CellObject>, columns: readonly number[], rows: number): boolean {
  return rows > 1 && cells.size * 2 > columns.length && [...cells.values()].every(({ t }) => t === 's');
}

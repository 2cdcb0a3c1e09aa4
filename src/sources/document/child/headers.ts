/** The names of a sheet's columns: from its first row if that is a header, otherwise their letters. */

import type { CellObject } from '@e965/xlsx';
import { columnName, columnsOf, EVERYTHING, FIRST_ROWS, type Grid } from './grid.ts';

export interface Header {
  /** The row (0-based) with the names; absent if there is no header. */
  readonly row?: number;
  readonly columns: readonly { readonly at: number; readonly name: string }[];
}

/** The most characters of a column's name. */
const MOST_NAME = 100;

export function headerOf(grid: Grid): Header {
  const columns = columnsOf(grid.rows);
  const first = firstRow(grid);
  const cells = grid.rows.get(first);
  if (!cells || !isHeader(cells, firstColumns(grid), grid.rows.size)) {
    return { columns: columns.map((at) => ({ at, name: columnName(at) })) };
  }
  const taken = new Set<string>();
  const named = columns.map((at) => {
    const typed = String(cells.get(at)?.v ?? '')
      .replace(/[\s\0]+/g, ' ')
      .trim()
      .slice(0, MOST_NAME)
      .toWellFormed();
    let name = typed === '' ? columnName(at) : typed;
    while (taken.has(name.toLowerCase())) name = `${name} ${columnName(at)}`;
    taken.add(name.toLowerCase());
    return { at, name };
  });
  return { row: first, columns: named };
}

/** Columns of the rows that are always read, so that the decision does not depend on how much of the sheet was read. */
function firstColumns({ rows }: Grid): readonly number[] {
  const columns = columnsOf(rows, { ...EVERYTHING, bottom: FIRST_ROWS - 1 });
  return columns.length > 0 ? columns : columnsOf(rows);
}

/** The first row. Not `Math.min(...)`: a sheet may have more rows than a call can have arguments. */
function firstRow({ rows }: Grid): number {
  let first = Number.POSITIVE_INFINITY;
  for (const row of rows.keys()) first = Math.min(first, row);
  return first;
}

export function hasHeader(grid: Grid): boolean {
  return headerOf(grid).row !== undefined;
}

/** A header has text in all its cells, covers more than half of the columns, and is followed by other rows. */
function isHeader(cells: ReadonlyMap<number, CellObject>, columns: readonly number[], rows: number): boolean {
  return rows > 1 && cells.size * 2 > columns.length && [...cells.values()].every(({ t }) => t === 's');
}

/** Rows of a table whose file may be damaged: what can be read in front of the damage and behind it. */

import type { LostRows, SqliteCell, SqliteRows } from '../protocol.ts';
import { identifier } from '../stored-text.ts';
import type { CatalogTable } from './catalog.ts';
import type { SqliteConnection } from './connection.ts';
import { type RowCollection, selectRows } from './rows.ts';
import { SqlFailure } from './statement.ts';

interface RowRange extends Pick<RowCollection, 'limit' | 'room' | 'whole'> {
  readonly columns: readonly string[];
  /** The name of the rowid, if the rows are in its order; else rows behind damage are not looked for. */
  readonly rowid: string | undefined;
  readonly after: string | undefined;
  readonly offset: number;
}

export interface RowsAround {
  readonly rows: SqliteRows;
  readonly rowids?: readonly string[] | undefined;
  readonly lost?: readonly LostRows[] | undefined;
}

const MAX_LOST = 20;

/** The rows of a range. `tail` is the SQL from `from` on, for the rows after a rowid. */
export function selectAround(
  connection: SqliteConnection,
  table: CatalogTable,
  { rowid, offset, limit, room, whole, ...range }: RowRange,
  tail: (after: string | undefined) => string,
): RowsAround {
  const columns = rowid === undefined ? range.columns : [...range.columns, rowid];
  const select = (end: string, most: number): SqliteRows =>
    selectRows(connection, columns, end, [], { skip: 0, limit: most, room, whole });
  const firstFrom = (from: bigint): string | undefined => {
    const { rows } = select(`from ${filtered(table, [`${rowid} >= ${from}`])} order by ${rowid} limit 1`, 1);
    return rows[0] && String(rows[0].at(-1));
  };
  const lost: LostRows[] = [];
  for (let { after } = range; ;) {
    try {
      if (connection.data) connection.data.start = Math.max(0, Number(after ?? 0));
      const selected = select(tail(after), limit);
      if (rowid === undefined) return { rows: selected };
      const { rows, rowids } = withoutRowids(selected);
      if (selected.damaged === undefined) return { rows, rowids, lost: lost.length > 0 ? lost : undefined };
      const last = rowids.at(-1);
      const before = behindDamage(last, firstFrom);
      return {
        rows: { ...rows, more: before !== undefined },
        rowids,
        lost: [...lost, { after: last, before }],
      };
    } catch (error) {
      // Which row would be the first is not known if rows were to be skipped.
      const isKnown = rowid !== undefined && (after !== undefined || offset === 0) && lost.length < MAX_LOST;
      const before = isKnown && isDamage(error) ? behindDamage(after, firstFrom) : undefined;
      if (before === undefined) throw error;
      lost.push({ after, before });
      after = String(BigInt(before) - 1n);
    } finally {
      if (connection.data) connection.data.start = 0;
    }
  }
}

export function isDamage(error: unknown): boolean {
  return error instanceof SqlFailure && error.isDamage;
}

const LAST_ROWID = 2n ** 63n - 1n;

/**
 * The rowid of the first readable row after `after` and the damage behind it; undefined if there is none. `firstFrom` gives
 * the first rowid that is at least its argument; it throws where that row is damaged. A few dozen searches from the root.
 */
function behindDamage(
  after: string | undefined,
  firstFrom: (from: bigint) => string | undefined,
): string | undefined {
  const probe = (from: bigint): { readonly row: string | undefined } | undefined => {
    try {
      return { row: firstFrom(from) };
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  };
  let low = after === undefined ? -LAST_ROWID : BigInt(after);
  let step = 1n;
  let found: ReturnType<typeof probe>;
  let high = low;
  for (; found === undefined && high < LAST_ROWID; step *= 2n) {
    low = high;
    high = low + step > LAST_ROWID ? LAST_ROWID : low + step;
    found = probe(high);
  }
  if (!found) return undefined;
  while (high - low > 1n) {
    const middle = low + (high - low) / 2n;
    const at = probe(middle);
    if (at) [high, found] = [middle, at];
    else low = middle;
  }
  return found.row;
}

/** Not `>`, which looks at the page of the row itself: that may be damaged. */
export function behindRow(rowid: string | undefined, after: string): string {
  return `${rowid} >= ${BigInt(after) + 1n}`;
}

export function filtered({ name }: CatalogTable, conditions: readonly string[]): string {
  return [identifier(name), ...(conditions.length === 0 ? [] : ['where', conditions.join(' and ')])].join(
    ' ',
  );
}

/** Separates the last column (the rowid) from the others. */
export function withoutRowids({ columns, rows, more }: SqliteRows): { rows: SqliteRows; rowids: string[] } {
  return {
    rows: { columns: columns.slice(0, -1), rows: rows.map((row) => row.slice(0, -1)), more },
    rowids: rows.map((row) => String(row.at(-1) as SqliteCell)),
  };
}

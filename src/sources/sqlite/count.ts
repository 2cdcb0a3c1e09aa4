/**
 * Owns counting rows without freezing: a bounded amount of work, the same on every machine, and "at least" where
 * that was not enough.
 */

import type { Connection, Work } from './connection.ts';
import type { Count } from './protocol.ts';

/** For the total of a page: some 100 ms at most. */
export const PAGE_WORK: Work = { steps: 4_000_000, bytes: 128 * 1024 * 1024 };

/** For each table of a listing. */
export const LIST_WORK: Work = { steps: 500_000, bytes: 16 * 1024 * 1024 };

/**
 * Rows of `from`, an expression that follows the word `from`. The whole count first, which is quick for a plain
 * table; where that is too much work, the first thousands, ten times more each time, as far as the work allows.
 */
export function countRows(connection: Connection, from: string, work: Work): Count | undefined {
  const all = connection.within(work, () => single(connection, `select count(*) from ${from}`));
  if (all !== undefined) return { rows: all, exact: true };
  let known: number | undefined;
  for (let most = 1000; ; most *= 10) {
    const rows = connection.within(work, () =>
      single(connection, `select count(*) from (select 1 from ${from} limit ${most})`),
    );
    if (rows === undefined) break;
    if (rows < most) return { rows, exact: true };
    known = rows;
  }
  return known === undefined ? undefined : { rows: known, exact: false };
}

function single(connection: Connection, sql: string): number {
  const statement = connection.prepare(sql);
  try {
    statement.step();
    return Number(statement.cell(0, 0));
  } finally {
    statement.finalize();
  }
}

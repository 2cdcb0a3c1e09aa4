/**
 * Counts rows with a limit on work that does not depend on the machine. If that is not enough, the result is "at least".
 */

import type { Count } from '../sqlite-protocol.ts';
import type { Connection } from './connection.ts';
import type { Work } from './statement-limits.ts';

/** The limit for the total of a page; some milliseconds. */
export const PAGE_WORK: Work = { steps: 400_000, bytes: 32 * 1024 * 1024 };

/** The limits for each table of a listing, and for all of them. */
const TABLE_WORK: Work = { steps: 400_000, bytes: 16 * 1024 * 1024 };
const LIST_WORK: Work = { steps: 5_000_000, bytes: 256 * 1024 * 1024 };

/** The most bytes of a remote database that are read to count one table, and all tables. */
const REMOTE_BYTES = 512 * 1024;
const REMOTE_LIST_BYTES = 2 * 1024 * 1024;

/** The factor between attempts: the next one is made only if the last took less than a tenth of the work. */
const STEP = 10;

/**
 * Counts the rows of `from`, an expression after the keyword `from`. If the database is small enough, all rows are counted.
 * Otherwise the first thousand, then ten times more with each attempt within the limit. Undefined if not even the first
 * thousand could be counted.
 */
export function countRows(connection: Connection, from: string, most: Work): Count | undefined {
  const work = connection.remote ? { ...most, bytes: Math.min(most.bytes, REMOTE_BYTES) } : most;
  if (connection.size <= work.bytes) {
    const all = connection.within(work, () => single(connection, `select count(*) from ${from}`));
    if (all) return { rows: all.value, exact: true };
  }
  let known: number | undefined;
  for (let rows = 1000, share = 0; share < 1 / STEP; rows *= STEP) {
    const counted = connection.within(work, () =>
      single(connection, `select count(*) from (select 1 from ${from} limit ${rows})`),
    );
    if (!counted) break;
    if (counted.value < rows) return { rows: counted.value, exact: true };
    known = counted.value;
    share = counted.share;
  }
  return known === undefined ? undefined : { rows: known, exact: false };
}

/** Counts tables one after the other until the limit for all of them is reached. */
export class ListCounter {
  readonly #connection: Connection;
  #left: Work;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#left = connection.remote ? { ...LIST_WORK, bytes: REMOTE_LIST_BYTES } : LIST_WORK;
  }

  count(from: string): Count | undefined {
    const { steps, bytes } = this.#left;
    if (steps <= 0 || bytes <= 0) return undefined;
    const before = this.#connection.worked;
    const count = countRows(this.#connection, from, TABLE_WORK);
    const after = this.#connection.worked;
    this.#left = { steps: steps - (after.steps - before.steps), bytes: bytes - (after.bytes - before.bytes) };
    return count;
  }
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

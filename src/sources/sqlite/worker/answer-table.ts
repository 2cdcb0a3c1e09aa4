/** Answers about one table: its schema with sample rows, or a page of its rows with their total. */

import { identifier } from '../names.ts';
import type { Ask, Count, Reply, Rows, Table } from '../protocol.ts';
import { type Catalogued, readTable, statementsOf } from './catalog.ts';
import type { Connection } from './connection.ts';
import { countRows, PAGE_WORK } from './count.ts';
import { noSuchTable, unreadable } from './not-found.ts';
import { orderBy } from './order.ts';
import { selectRows } from './select.ts';
import { lookAt } from './unreadable.ts';

type Schema = Omit<Extract<Reply, { is: 'schema' }>, 'reading'>;

/** The CREATE statements of the table and its first `sample` rows, or why those cannot be read. */
export function schemaReply(connection: Connection, table: Catalogued, sample: number, room: number): Schema {
  const statements = statementsOf(connection, table.name);
  const described = { is: 'schema', table: summaryOf(table), statements } as const;
  const tail = `from ${identifier(table.name)} ${orderBy(table)} limit ${sample + 1}`;
  const rows =
    table.unreadable ??
    lookAt(connection, table.type, () =>
      selectRows(connection, table.columns, tail, [], { skip: 0, limit: sample, room }),
    );
  if ('code' in rows) return { ...described, sample: NO_ROWS, unreadable: rows };
  const from = identifier(table.name);
  const count = rows.more ? countRows(connection, from, PAGE_WORK) : { rows: rows.rows.length, exact: true };
  return { ...described, sample: rows, ...(count ? { count } : {}) };
}

const NO_ROWS: Rows = { columns: [], rows: [], more: false };

export function pageReply(connection: Connection, ask: Extract<Ask, { do: 'query' }>, room: number): Reply {
  const { offset, limit } = ask;
  const table = readTable(connection, ask.table);
  if (!table) throw noSuchTable(connection, ask.table);
  if (table.unreadable) throw unreadable(table.name, table.unreadable);
  if (ask.where !== undefined && table.type !== 'view') connection.quotedStrings(false);
  // On a line of its own: a comment at the end of the condition must not hide the parenthesis.
  const from = `${identifier(table.name)}${ask.where === undefined ? '' : ` where (${ask.where}\n)`}`;
  const tail = `from ${from} ${orderBy(table, ask.order)} limit ${limit + 1} offset ${offset}`;
  const rows = selectRows(connection, table.columns, tail, [], { skip: 0, limit, room });
  const count = countOf(rows, offset) ?? countRows(connection, from, PAGE_WORK);
  return { is: 'page', table: summaryOf(table), rows, ...(count ? { count } : {}) };
}

/** The total of rows, when the page itself tells it. */
function countOf({ rows, more }: Rows, offset: number): Count | undefined {
  if (more || (rows.length === 0 && offset > 0)) return undefined;
  return { rows: offset + rows.length, exact: true };
}

/** The part of a table's description that an answer needs. */
export function summaryOf({ name, type, key, composite }: Catalogued): Table {
  return { name, type, ...(key ? { key } : {}), ...(composite ? { composite } : {}) };
}

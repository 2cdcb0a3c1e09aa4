/** Answers about one table: its schema with sample rows, a page of its rows with the total, or complete rows. */

import { identifier } from '../quoted-names.ts';
import type { Ask, Cell, Count, Reply, Rows, Table } from '../sqlite-protocol.ts';
import { Refusal } from '../sqlite-refusal.ts';
import { type Catalogued, readTable, statementsOf } from './catalog.ts';
import type { Connection } from './connection.ts';
import { countRows, PAGE_WORK } from './count.ts';
import { noSuchTable, unreadable } from './not-found.ts';
import { orderBy, rowidOrder } from './order.ts';
import { collect, selectRows } from './select.ts';
import { lookAt } from './unreadable.ts';
import { SqlFailure } from './statement-limits.ts';

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
  const { offset, limit, after } = ask;
  const table = readTable(connection, ask.table);
  if (!table) throw noSuchTable(connection, ask.table);
  if (table.unreadable) throw unreadable(table.name, table.unreadable);
  if (ask.where !== undefined && table.type !== 'view') connection.quotedStrings(false);
  const rowid = rowidOrder(table, ask.order);
  if (after !== undefined && rowid === undefined) throw new Refusal('BAD_QUERY', noOrder(table.name));
  // The newline ends a comment in the condition, which would hide the parenthesis.
  const asked = ask.where === undefined ? [] : [`(${ask.where}\n)`];
  const behind = after === undefined ? asked : [...asked, `${rowid} > ${after}`];
  const window = `limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
  const tail = `from ${filtered(table, behind)} ${orderBy(table, ask.order)} ${window}`;
  const columns = rowid === undefined ? table.columns : [...table.columns, rowid];
  const selected = selectRows(connection, columns, tail, [], { skip: 0, limit, room });
  const page = rowid === undefined ? { rows: selected } : withoutRowids(selected);
  const behindPage = (last: string): string => filtered(table, [...asked, `${rowid} > ${last}`]);
  const known =
    after === undefined
      ? (countOf(selected, offset) ?? countBehind(connection, page, offset, behindPage))
      : undefined;
  const count = known ?? countRows(connection, filtered(table, asked), PAGE_WORK);
  return { is: 'page', table: summaryOf(table), ...page, ...(count && { count }) };
}

/** If at least this many rows were skipped, they are not read again for counting. */
const MANY_SKIPPED = 20_000;

/** The total, by counting the rows after the page; undefined if that is too much work. */
function countBehind(
  connection: Connection,
  { rows, rowids }: { readonly rows: Rows; readonly rowids?: readonly string[] },
  offset: number,
  behindPage: (last: string) => string,
): Count | undefined {
  const last = rowids?.at(-1);
  if (last === undefined || offset < MANY_SKIPPED) return undefined;
  const behind = countRows(connection, behindPage(last), PAGE_WORK);
  return behind?.exact ? { rows: offset + rows.rows.length + behind.rows, exact: true } : undefined;
}

/** The most rows per reply, however small they are. */
const MOST_ROWS = 20_000;

/** Complete rows, with the keys by which each is read. */
export function rowsReply(connection: Connection, ask: Extract<Ask, { do: 'rows' }>, room: number): Reply {
  const { offset, after, containing } = ask;
  const table = readTable(connection, ask.table);
  if (!table) throw noSuchTable(connection, ask.table);
  if (table.unreadable) throw unreadable(table.name, table.unreadable);
  const rowid = rowidOrder(table);
  const found = rowid !== undefined && containing !== undefined && canFilter(table, containing);
  const some = found ? rowsContaining(connection, table, { rowid, after, containing, room }) : undefined;
  if (some) return some;
  const isBehind = rowid !== undefined && after !== undefined;
  const from = filtered(table, isBehind ? [`${rowid} > ${after}`] : []);
  const window = `limit ${MOST_ROWS + 1} offset ${isBehind ? 0 : offset}`;
  const columns = rowid === undefined ? table.columns : [...table.columns, rowid];
  const bounds = { skip: 0, limit: MOST_ROWS, room, whole: true } as const;
  const selected = selectRows(connection, columns, `from ${from} ${orderBy(table)} ${window}`, [], bounds);
  const page = rowid === undefined ? { rows: selected } : withoutRowids(selected);
  return { is: 'rows', table: summaryOf(table), ...page };
}

/** The most rows that one statement examines; a large table takes several statements. */
const MOST_SCANNED = 100_000;

/** The most columns that are compared. */
const MOST_COMPARED = 50;

/** Whether rows can be filtered: not if a column name contains the text, because names are in the text of every row. */
function canFilter({ columns }: Catalogued, containing: string): boolean {
  return columns.length <= MOST_COMPARED && !columns.some((name) => name.includes(containing));
}

interface Looking {
  readonly rowid: string;
  readonly after: string | undefined;
  readonly containing: string;
  readonly room: number;
}

/** The rows that contain the text; undefined if a value is too large to be compared. */
function rowsContaining(
  connection: Connection,
  table: Catalogued,
  { rowid, after, containing, room }: Looking,
): Reply | undefined {
  const behind = after === undefined ? [] : [`${rowid} > ${after}`];
  const last = connection.prepare(
    `select ${rowid} from ${filtered(table, behind)} order by ${rowid} limit 1 offset ${MOST_SCANNED - 1}`,
  );
  const scannedTo = collect(last, { skip: 0, limit: 1, room: 1 }).rows[0]?.[0];
  const within = scannedTo === undefined ? [] : [`${rowid} <= ${String(scannedTo)}`];
  const holds = `(${table.columns.map((name) => `instr(${identifier(name)}, ?1)`).join(' or ')})`;
  const tail = `from ${filtered(table, [...behind, ...within, holds])} order by ${rowid} limit ${MOST_ROWS + 1}`;
  const bounds = { skip: 0, limit: MOST_ROWS, room, whole: true } as const;
  try {
    const selected = selectRows(connection, [...table.columns, rowid], tail, [containing], bounds);
    const end = scannedTo === undefined ? {} : { scannedTo: String(scannedTo) };
    return { is: 'rows', table: summaryOf(table), ...withoutRowids(selected), isFiltered: true, ...end };
  } catch (error) {
    const { SQLITE_TOOBIG } = connection.library.capi;
    if (error instanceof SqlFailure && error.result === SQLITE_TOOBIG) return undefined;
    throw error;
  }
}

function filtered({ name }: Catalogued, conditions: readonly string[]): string {
  return [identifier(name), ...(conditions.length === 0 ? [] : ['where', conditions.join(' and ')])].join(
    ' ',
  );
}

function noOrder(table: string): string {
  return `after continues rows in the order of their rowid, and those of ${table} have none; use offset`;
}

/** Separates the last column (the rowid) from the others. */
function withoutRowids({ columns, rows, more }: Rows): { rows: Rows; rowids: string[] } {
  return {
    rows: { columns: columns.slice(0, -1), rows: rows.map((row) => row.slice(0, -1)), more },
    rowids: rows.map((row) => String(row.at(-1) as Cell)),
  };
}

/** The total number of rows, if it follows from the page itself. */
function countOf({ rows, more }: Rows, offset: number): Count | undefined {
  if (more || (rows.length === 0 && offset > 0)) return undefined;
  return { rows: offset + rows.length, exact: true };
}

/** The part of a table's description that an answer needs. */
export function summaryOf({ name, type, key, composite }: Catalogued): Table {
  return { name, type, ...(key ? { key } : {}), ...(composite ? { composite } : {}) };
}

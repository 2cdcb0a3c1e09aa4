/** Collects the rows of a statement that fit into an answer. */

import { isClipped, type SqliteCell, type SqliteCount, SqliteRefusal, type SqliteRows } from '../protocol.ts';
import { identifier, readSegment, sameName } from '../stored-text.ts';
import type { CatalogTable } from './catalog.ts';
import type { SqliteConnection } from './connection.ts';
import { VALUE_LIMIT } from './library.ts';
import { SqlFailure, type SqliteStatement, type StatementWork } from './statement.ts';

/** The most bytes of a text cell in a table of many rows, which is more than a column can show. */
const HEAD = 512;

/** The most bytes of a single row, which is shown in full. */
const WHOLE_ROW = 2 * VALUE_LIMIT;

/**
 * The most collected bytes per byte of the answer. A text cell shows at least 40 of its 512 bytes, so rows beyond sixteen
 * times the room cannot be part of the answer.
 */
const COLLECT = 16;

export interface RowCollection {
  readonly skip: number;
  readonly limit: number;
  /** The most bytes of the answer. */
  readonly room: number;
  /** Whether values are collected in full until the room is used; otherwise only their starts. */
  readonly whole?: true | undefined;
}

/** Steps through `statement` and finalizes it. Text is cut to what a table can show, unless there is only one row. */
export function collect(statement: SqliteStatement, bounds: RowCollection): SqliteRows {
  const { columns } = statement;
  try {
    const { rows, more, damaged } = collectHeads(statement, bounds);
    const [only, second] = rows;
    if (!only || second || !only.some(isClipped)) return { columns, rows, more, damaged };
    // A single row with cut text is selected again, in full.
    statement.reset();
    skip(statement, bounds.skip);
    return { columns, rows: statement.step() ? [readRow(statement, WHOLE_ROW)] : rows, more };
  } finally {
    statement.finalize();
  }
}

function collectHeads(
  statement: SqliteStatement,
  bounds: RowCollection,
): Pick<SqliteRows, 'more' | 'damaged'> & { rows: SqliteCell[][] } {
  const rows: SqliteCell[][] = [];
  let collected = 0;
  const [most, each] = bounds.whole ? [bounds.room, WHOLE_ROW] : [bounds.room * COLLECT, 0];
  if (!skip(statement, bounds.skip)) return { rows, more: false };
  try {
    while (statement.step()) {
      if (rows.length === bounds.limit || collected > most) return { rows, more: true };
      const row = readRow(statement, each);
      collected += row.reduce<number>((sum, cell) => sum + weight(cell), 0);
      rows.push(row);
    }
  } catch (error) {
    if (!(error instanceof SqlFailure && error.isDamage) || rows.length === 0) throw error;
    return { rows, more: false, damaged: error.message };
  }
  return { rows, more: false };
}

/** Skips rows; returns false if there are fewer. */
function skip(statement: SqliteStatement, rows: number): boolean {
  for (let skipped = 0; skipped < rows; skipped++) if (!statement.step()) return false;
  return true;
}

/** `room` is the most bytes of text of all cells together; of each cell at least the start is read. */
function readRow(statement: SqliteStatement, room: number): SqliteCell[] {
  let left = room;
  return statement.columns.map((_, at) => {
    const cell = statement.cell(at, Math.max(HEAD, left));
    left -= weight(cell);
    return cell;
  });
}

function weight(cell: SqliteCell): number {
  return cell !== null && typeof cell === 'object' && cell.kind === 'text' ? cell.text.length : 8;
}

/**
 * The rows of `select <columns> <tail>`. If a value is larger than SQLite may load, a second statement reads sizes and loads
 * only small values.
 */
export function selectRows(
  connection: SqliteConnection,
  columns: readonly string[],
  tail: string,
  values: readonly (string | number | bigint | Uint8Array)[],
  bounds: RowCollection,
): SqliteRows {
  const names = columns.map((name) => identifier(connection.shownColumn(name)));
  const plain = `select ${names.join(', ')} ${tail}`;
  try {
    return { ...collect(connection.prepare(plain, values), bounds), columns: [...columns] };
  } catch (error) {
    const { SQLITE_TOOBIG } = connection.library.capi;
    if (!(error instanceof SqlFailure) || error.result !== SQLITE_TOOBIG || columns.length * 3 > 2000)
      throw error;
  }
  const guarded = names.map(
    (name) => `case when octet_length(${name}) <= ${VALUE_LIMIT} or typeof(${name}) not in ('text', 'blob')
      then ${name} end, octet_length(${name}), typeof(${name})`,
  );
  const triples = collect(connection.prepare(`select ${guarded.join(', ')} ${tail}`, values), bounds);
  return { ...triples, columns: [...columns], rows: triples.rows.map(joinTriples) };
}

/** Converts the triple [value or null, bytes, type] of each column to a cell. */
function joinTriples(row: readonly SqliteCell[]): SqliteCell[] {
  return Array.from({ length: row.length / 3 }, (_, at) => {
    const [value, bytes, type] = row.slice(at * 3, at * 3 + 3) as [SqliteCell, SqliteCell, SqliteCell];
    if (value !== null || bytes === null) return value;
    const size = Number(bytes);
    const isBlob = typeof type === 'object' && type?.kind === 'text' && type.text === 'blob';
    return isBlob ? { kind: 'blob', bytes: size } : { kind: 'text', text: '', bytes: size, clipped: true };
  });
}

/** Finds the row by the table's single primary key column, otherwise by its rowid: `by`. Undefined if there is none. */
export function findRow(
  connection: SqliteConnection,
  table: CatalogTable,
  typed: string,
  room: number,
): { readonly by: string; readonly rows: SqliteRows } | undefined {
  if (!table.key) return undefined;
  const isRowid = table.key.column === undefined;
  const column = isRowid ? table.key.name : identifier(table.key.name);
  for (const key of readSegment(typed)) {
    for (const value of keyValues(key, isRowid)) {
      const tail = `from ${identifier(table.name)} where ${column} = ? limit 1`;
      const rows = selectRows(connection, table.columns, tail, [value], { skip: 0, limit: 1, room });
      if (rows.rows.length > 0) return { by: table.key.name, rows };
    }
  }
  return undefined;
}

/**
 * The values that a key can mean. A typed column converts text for comparison, but in one without a type 42 is not equal to
 * '42'. `x'c0ffee'` is a BLOB, as in SQL.
 */
function keyValues(key: string, isRowid: boolean): (string | number | bigint | Uint8Array)[] {
  const isInteger = /^[+-]?\d{1,19}$/.test(key) && BigInt.asIntN(64, BigInt(key)) === BigInt(key);
  if (isRowid) return isInteger ? [BigInt(key)] : [];
  const values: (string | number | bigint | Uint8Array)[] = [key];
  if (isInteger) values.push(BigInt(key));
  else if (key.trim() !== '' && Number.isFinite(Number(key))) values.push(Number(key));
  const hex = /^x'((?:[0-9a-f]{2})*)'$/i.exec(key)?.[1];
  if (hex !== undefined) values.push(Uint8Array.from(Buffer.from(hex, 'hex')));
  return values;
}

// The order of rows, which is total, so that pages neither repeat nor skip rows.

/**
 * The `order by` clause: the requested order, then the key as tie-breaker. Rows of views and virtual tables are in SQLite's
 * own order. Throws `BAD_QUERY` for a column that does not exist.
 */
export function orderBy(table: CatalogTable, order?: string): string {
  const terms: string[] = [];
  if (order !== undefined) terms.push(orderTerm(table, order));
  if (isStored(table)) {
    if (table.rowid !== undefined) terms.push(table.rowid);
    else terms.push(...table.primary.map(identifier));
  }
  return terms.length === 0 ? '' : `order by ${terms.join(', ')}`;
}

/** The name of the rowid, if rows are in the order of the rowid alone, so that it can be used as a cursor. */
export function rowidOrder(table: CatalogTable, order?: string): string | undefined {
  const isWide = table.columns.length > MAX_ORDER_COLUMNS;
  return order === undefined && isStored(table) && !isWide ? table.rowid : undefined;
}

/** The most columns: with the rowid, a third of what SQLite can select, because large values are selected as three. */
const MAX_ORDER_COLUMNS = 600;

function isStored({ type }: CatalogTable): boolean {
  return type === 'table' || type === 'shadow table';
}

/** The columns of `a,b`; a name with a comma stands in double quotes. Throws `BAD_QUERY` for one that does not exist. */
export function selectedColumns(table: CatalogTable, select: string): string[] {
  const whole = columnNamed(table.columns, select);
  if (whole !== undefined) return [whole];
  return Array.from(select.matchAll(SELECTED), ([, quoted, plain = '']) => {
    const name = quoted?.replaceAll('""', '"') ?? plain.trim();
    const column = columnNamed(table.columns, name);
    if (column === undefined) throw noColumn(table, name);
    return column;
  });
}

const SELECTED = /(?<=^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))(?=,|$)/g;

function columnNamed(columns: readonly string[], name: string): string | undefined {
  return columns.find((column) => column === name) ?? columns.find((column) => sameName(column, name));
}

function noColumn({ name: table, columns }: CatalogTable, name: string): SqliteRefusal {
  return new SqliteRefusal(
    'BAD_QUERY',
    `${table} has no column ${name}; its columns are ${columns.join(', ')}`,
  );
}

/** Parses `column`, `column:asc` or `column:desc`. A column that is named `a:desc` takes precedence. */
function orderTerm(table: CatalogTable, order: string): string {
  const columns = table.rowid === undefined ? table.columns : [...table.columns, table.rowid];
  const whole = columnNamed(columns, order);
  if (whole !== undefined) return identifier(whole);
  const [, name = order, direction = 'asc'] = /^(.*):(asc|desc)$/is.exec(order) ?? [];
  const column = columnNamed(columns, name);
  if (column !== undefined) return `${identifier(column)} ${direction}`;
  throw noColumn({ ...table, columns }, name);
}

// Counts rows with a limit on work that does not depend on the machine. If that is not enough, the result is "at least".

/** The limit for the total of a page; some milliseconds. */
export const PAGE_WORK: StatementWork = { steps: 400_000, bytes: 32 * 1024 * 1024 };

/** The limits for each table of a listing, and for all of them. */
const TABLE_WORK: StatementWork = { steps: 400_000, bytes: 16 * 1024 * 1024 };
const LIST_WORK: StatementWork = { steps: 5_000_000, bytes: 256 * 1024 * 1024 };

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
export function countTableRows(
  connection: SqliteConnection,
  from: string,
  most: StatementWork,
): SqliteCount | undefined {
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
export function listCounter(connection: SqliteConnection): (from: string) => SqliteCount | undefined {
  const most = connection.remote ? { ...LIST_WORK, bytes: REMOTE_LIST_BYTES } : LIST_WORK;
  const { steps, bytes } = connection.worked;
  return (from) => {
    const now = connection.worked;
    const isOver = now.steps - steps >= most.steps || now.bytes - bytes >= most.bytes;
    return isOver ? undefined : countTableRows(connection, from, TABLE_WORK);
  };
}

function single(connection: SqliteConnection, sql: string): number {
  const statement = connection.prepare(sql);
  try {
    statement.step();
    return Number(statement.cell(0, 0));
  } finally {
    statement.finalize();
  }
}

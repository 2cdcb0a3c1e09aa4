/** Owns what the schema says: which tables there are, what their columns are, how their rows are told apart. */

import { SqlFailure } from './connection.ts';
import type { Connection } from './connection.ts';
import { sameName } from './names.ts';
import type { Cell, Key, Table, TableType } from './protocol.ts';

export interface Catalogued extends Table {
  /** Names as in `select *`. */
  readonly columns: readonly string[];
  /** An expression for the rowid, where the table has one that a name still reaches. */
  readonly rowid?: string;
  /** Columns of the primary key in key order. */
  readonly primary: readonly string[];
  /** Why its rows cannot be read: a view of a table that is gone, a virtual table of an unknown module. */
  readonly unreadable?: string;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Place in the primary key (1-based), or 0. */
  readonly primary: number;
  /** Left out of `select *`. */
  readonly hidden: boolean;
}

/** Tables, views and virtual tables without SQLite's own, in the order of their names' bytes. */
export function listTables(connection: Connection): { name: string; type: TableType }[] {
  return query(
    connection,
    `select name, type from pragma_table_list where schema = 'main' and name not like 'sqlite\\_%' escape '\\'
     order by name collate binary`,
  ).map(([name, type]) => ({ name: asText(name), type: tableType(asText(type)) }));
}

/** The table called `name`, exactly or but for the case of its letters. */
export function findTable(connection: Connection, name: string): Catalogued | undefined {
  // A NUL would end the name early, and find another table.
  if (name.includes('\0')) return undefined;
  const asked = sameName(name, 'sqlite_schema') ? 'sqlite_master' : name;
  const rows = query(
    connection,
    `select name, type, wr from pragma_table_list(?) where schema = 'main' order by name = ? desc`,
    [asked, asked],
  );
  const [found] = rows;
  if (!found) return undefined;
  const [stored, type, withoutRowid] = found as [Cell, Cell, Cell];
  return describe(connection, asText(stored), tableType(asText(type)), withoutRowid === 1n);
}

/** The statements that made a table, its indexes and its triggers. */
export function statementsOf(connection: Connection, table: string): string[] {
  const rows = query(
    connection,
    `select sql from sqlite_schema where tbl_name = ? collate nocase and sql is not null
     order by type <> 'table', type <> 'view', type, name`,
    [table],
  );
  return rows.map(([sql]) => asText(sql));
}

function describe(connection: Connection, name: string, type: TableType, withoutRowid: boolean): Catalogued {
  let columns: Column[];
  try {
    columns = columnsOf(connection, name);
  } catch (error) {
    if (type === 'table' || !isUnreadable(connection, error)) throw error;
    return { name, type, columns: [], primary: [], unreadable: error.message };
  }
  const shown = columns.filter((column) => !column.hidden).map((column) => column.name);
  const primary = columns
    .filter((column) => column.primary > 0)
    .sort((one, other) => one.primary - other.primary)
    .map((column) => column.name);
  const hasRowid = type !== 'view' && !withoutRowid;
  const rowid = hasRowid
    ? ['rowid', '_rowid_', 'oid'].find((word) => !columns.some((column) => sameName(column.name, word)))
    : undefined;
  const key = keyOf(primary, rowid, shown);
  return {
    name,
    type,
    columns: shown,
    primary,
    ...(rowid === undefined ? {} : { rowid }),
    ...(key ? { key } : {}),
    ...(primary.length > 1 ? { composite: primary } : {}),
  };
}

/** Whether the failure is about this table alone, and not about the file or the time. */
export function isUnreadable(connection: Connection, error: unknown): error is SqlFailure {
  return (
    error instanceof SqlFailure && !error.stopped && error.result === connection.library.capi.SQLITE_ERROR
  );
}

function keyOf(
  primary: readonly string[],
  rowid: string | undefined,
  shown: readonly string[],
): Key | undefined {
  const [only, second] = primary;
  if (only !== undefined && second === undefined) return { name: only, column: shown.indexOf(only) };
  return rowid === undefined ? undefined : { name: rowid };
}

function columnsOf(connection: Connection, table: string): Column[] {
  return query(connection, 'select name, type, pk, hidden from pragma_table_xinfo(?)', [table]).map((row) => {
    const [name, type, primary, hidden] = row as [Cell, Cell, Cell, Cell];
    return { name: asText(name), type: asText(type), primary: Number(primary), hidden: hidden === 1n };
  });
}

function tableType(type: string): TableType {
  if (type === 'view') return 'view';
  if (type === 'virtual') return 'virtual table';
  return type === 'shadow' ? 'shadow table' : 'table';
}

/** All rows of a small query of our own. */
export function query(connection: Connection, sql: string, values: readonly string[] = []): Cell[][] {
  const statement = connection.prepare(sql, values);
  const rows: Cell[][] = [];
  try {
    while (statement.step()) {
      rows.push(statement.columns.map((_, at) => statement.cell(at, Number.POSITIVE_INFINITY)));
    }
  } finally {
    statement.finalize();
  }
  return rows;
}

export function asText(cell: Cell | undefined): string {
  return typeof cell === 'object' && cell?.is === 'text' ? cell.text : '';
}

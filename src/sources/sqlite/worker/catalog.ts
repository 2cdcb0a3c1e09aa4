/**
 * Reads the schema: tables, their columns and keys. It reads `sqlite_schema` directly, because `pragma table_list` resolves
 * every view, and nested views can take exponential time.
 */

import { readSegment } from '../row-address.ts';
import { identifier, sameName } from '../quoted-names.ts';
import type { Cell, Key, Table, TableType, Unreadable } from '../sqlite-protocol.ts';
import type { Connection } from './connection.ts';
import { moduleOf, SHADOWS, typeOf } from './table-kinds.ts';
import { isUnreadable, lookAt } from './unreadable.ts';

export interface Catalogued extends Table {
  /** The column names as in `select *`. */
  readonly columns: readonly string[];
  /** A name for the rowid, if the table has one and the name is not used by a column. */
  readonly rowid?: string;
  /** The columns of the primary key in key order. */
  readonly primary: readonly string[];
  /** Set if its rows cannot be read. */
  readonly unreadable?: Unreadable;
}

interface Column {
  readonly name: string;
  /** The position in the primary key (1-based), or 0. */
  readonly primary: number;
  /** Whether it is not part of `select *`. */
  readonly hidden: boolean;
}

/** Tables, views and virtual tables except SQLite's internal ones, sorted by the bytes of their names. */
export function listTables(connection: Connection): { name: string; type: TableType }[] {
  const rows = query(
    connection,
    `select name, type, sql from sqlite_schema
     where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name collate binary`,
  ).map(([name, type, sql]) => ({ name: asText(name), type: asText(type), module: moduleOf(asText(sql)) }));
  const shadows = new Set(
    rows.flatMap(({ name, module }) =>
      (SHADOWS.get(module ?? '') ?? []).map((suffix) => `${name}_${suffix}`),
    ),
  );
  return rows.map(({ name, type, module }) => ({ name, type: typeOf(type, module, shadows.has(name)) }));
}

/** The table with the exact `name`, otherwise case-insensitively. */
function findTable(connection: Connection, name: string): Catalogued | undefined {
  // SQL text ends at NUL, so another table would be found.
  if (name.includes('\0')) return undefined;
  // The schema table has no entry for itself.
  if (sameName(name, 'sqlite_master') || sameName(name, 'sqlite_schema')) {
    return describe(connection, 'sqlite_schema', 'table');
  }
  const [found] = query(
    connection,
    `select name, type, sql from sqlite_schema
     where type in ('table', 'view') and name = ? collate nocase order by name = ? desc limit 1`,
    [name, name],
  );
  if (!found) return undefined;
  const [stored, type, sql] = found;
  return describe(connection, asText(stored), typeOf(asText(type), moduleOf(asText(sql)), false));
}

/** The table that a path segment names, with escapes decoded or as typed. */
export function readTable(connection: Connection, typed: string): Catalogued | undefined {
  for (const name of readSegment(typed)) {
    const table = findTable(connection, name);
    if (table) return table;
  }
  return undefined;
}

/** The CREATE statements of a table, its indexes and its triggers. */
export function statementsOf(connection: Connection, table: string): string[] {
  const rows = query(
    connection,
    `select sql from sqlite_schema where tbl_name = ? collate nocase and sql is not null
     order by type <> 'table', type <> 'view', type, name`,
    [table],
  );
  return rows.map(([sql]) => asText(sql));
}

function describe(connection: Connection, name: string, type: TableType): Catalogued {
  const columns = lookAt(connection, type, () => columnsOf(connection, name));
  if (!Array.isArray(columns)) return { name, type, columns: [], primary: [], unreadable: columns };
  const shown = columns.filter((column) => !column.hidden).map((column) => column.name);
  const primary = columns
    .filter((column) => column.primary > 0)
    .sort((one, other) => one.primary - other.primary)
    .map((column) => column.name);
  const rowid = type === 'view' ? undefined : rowidOf(connection, name, columns);
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

/** A name for the rowid that no column has; undefined also for a table WITHOUT ROWID. */
function rowidOf(connection: Connection, table: string, columns: readonly Column[]): string | undefined {
  const free = ['rowid', '_rowid_', 'oid'].find((word) => !columns.some(({ name }) => sameName(name, word)));
  if (free === undefined) return undefined;
  try {
    connection.prepare(`select ${free} from ${identifier(table)}`).finalize();
    return free;
  } catch (error) {
    if (isUnreadable(connection, error)) return undefined;
    throw error;
  }
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
  return query(connection, 'select name, pk, hidden from pragma_table_xinfo(?)', [table]).map(
    ([name, primary, hidden]) => ({ name: asText(name), primary: Number(primary), hidden: hidden === 1n }),
  );
}

/** All rows of a small internal query. */
function query(connection: Connection, sql: string, values: readonly string[] = []): Cell[][] {
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

function asText(cell: Cell | undefined): string {
  return typeof cell === 'object' && cell?.is === 'text' ? cell.text : '';
}

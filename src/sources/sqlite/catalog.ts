/**
 * Owns what the schema says: which tables there are, what their columns are, how their rows are told apart. It reads
 * `sqlite_schema` itself: `pragma table_list` would resolve every view of the database, and views can be a bomb.
 */

import { SqlFailure } from './connection.ts';
import type { Connection, Work } from './connection.ts';
import { identifier, sameName } from './names.ts';
import type { Cell, Key, Table, TableType, Unreadable } from './protocol.ts';

export interface Catalogued extends Table {
  /** Names as in `select *`. */
  readonly columns: readonly string[];
  /** An expression for the rowid, where the table has one that a name still reaches. */
  readonly rowid?: string;
  /** Columns of the primary key in key order. */
  readonly primary: readonly string[];
  /** Why its rows cannot be read. */
  readonly unreadable?: Unreadable;
}

interface Column {
  readonly name: string;
  /** Place in the primary key (1-based), or 0. */
  readonly primary: number;
  /** Left out of `select *`. */
  readonly hidden: boolean;
}

/** For finding out what a view or virtual table is, and for its samples: a second or so. */
export const LOOK_WORK: Work = { steps: 20_000_000, bytes: 256 * 1024 * 1024 };

/** Tables, views and virtual tables without SQLite's own, in the order of their names' bytes. */
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

/** The table called `name`, exactly or but for the case of its letters. */
export function findTable(connection: Connection, name: string): Catalogued | undefined {
  // A NUL would end the name early, and find another table.
  if (name.includes('\0')) return undefined;
  // The schema's own table is not in itself.
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

/** Tables that a virtual table keeps its content in, by its module: its name and one of these. */
const FTS3 = ['content', 'segments', 'segdir', 'docsize', 'stat'];
const RTREE = ['node', 'parent', 'rowid'];
const SHADOWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['fts5', ['data', 'idx', 'content', 'docsize', 'config']],
  ['fts3', FTS3],
  ['fts4', FTS3],
  ['rtree', RTREE],
  ['rtree_i32', RTREE],
  ['geopoly', RTREE],
]);

/** The module of a virtual table, in small letters; undefined for any other statement. */
function moduleOf(sql: string): string | undefined {
  const start = /^create\s+virtual\s+table\s/i.exec(sql);
  return start ? (/\busing\s+["'[`]?(\w+)/i.exec(sql)?.[1] ?? '').toLowerCase() : undefined;
}

function typeOf(type: string, module: string | undefined, isShadow: boolean): TableType {
  if (type === 'view') return 'view';
  if (module !== undefined) return 'virtual table';
  return isShadow ? 'shadow table' : 'table';
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

/** What `look` finds out about one table, or why that is not to be found out. */
export function lookAt<T>(connection: Connection, type: TableType, look: () => T): T | Unreadable {
  if (type === 'table' || type === 'shadow table') return look();
  try {
    return connection.within(LOOK_WORK, look)?.value ?? TOO_MUCH_WORK;
  } catch (error) {
    if (isUnreadable(connection, error)) return { code: 'SQL_ERROR', message: error.message };
    if (isOutOfMemory(connection, error))
      return { code: 'LIMIT', message: 'it takes too much memory to find them' };
    throw error;
  }
}

function isOutOfMemory(connection: Connection, error: unknown): boolean {
  return error instanceof SqlFailure && error.result === connection.library.capi.SQLITE_NOMEM;
}

const TOO_MUCH_WORK: Unreadable = { code: 'LIMIT', message: 'it takes too much work to find them' };

/** Whether the failure is about this table alone, and not about the file or the time. */
export function isUnreadable(connection: Connection, error: unknown): error is SqlFailure {
  return (
    error instanceof SqlFailure && !error.stopped && error.result === connection.library.capi.SQLITE_ERROR
  );
}

/** A name for the rowid that no column has taken. A table WITHOUT ROWID knows none of them. */
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

/** All rows of a small query of our own. */
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

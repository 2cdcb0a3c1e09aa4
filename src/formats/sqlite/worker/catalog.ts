/**
 * Reads the schema: tables, their columns and keys. It reads `sqlite_schema` directly, because `pragma table_list` resolves
 * every view, and nested views can take exponential time.
 */

import { didYouMean, nearNames } from '../../../text/near.ts';
import {
  echo,
  type RowKey,
  type SqliteCell,
  SqliteRefusal,
  type SqliteRequest,
  type SqliteTable,
  type TableProblem,
  type TableType,
} from '../protocol.ts';
import { identifier, readSegment, sameName, writeParameter, writeSegment } from '../stored-text.ts';
import { isUnreadable, lookAt, type SqliteConnection } from './connection.ts';
import { DATA_MODULE } from './data-table.ts';

export interface CatalogTable extends SqliteTable {
  readonly columns: readonly string[];
  /** A name for the rowid, if the table has one and the name is not used by a column. */
  readonly rowid?: string | undefined;
  /** The columns of the primary key in key order. */
  readonly primary: readonly string[];
  readonly unreadable?: TableProblem | undefined;
}

interface Column {
  readonly name: string;
  /** The position in the primary key (1-based), or 0. */
  readonly primary: number;
  readonly hidden: boolean;
}

/** Tables, views and virtual tables except SQLite's internal ones, sorted by the bytes of their names. */
export function listTables(connection: SqliteConnection): { name: string; type: TableType }[] {
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
function findTable(connection: SqliteConnection, name: string): CatalogTable | undefined {
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
export function readTable(connection: SqliteConnection, typed: string): CatalogTable | undefined {
  for (const name of readSegment(typed)) {
    const table = findTable(connection, name);
    if (table) return table;
  }
  return undefined;
}

/** The CREATE statements of a table, its indexes and its triggers. */
export function statementsOf(connection: SqliteConnection, table: string): string[] {
  const rows = query(
    connection,
    `select sql from sqlite_schema where tbl_name = ? collate nocase and sql is not null
     order by type <> 'table', type <> 'view', type, name`,
    [table],
  );
  return rows.map(([sql]) => asText(sql));
}

function describe(connection: SqliteConnection, name: string, type: TableType): CatalogTable {
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
    rowid,
    ...(key ? { key } : {}),
    composite: primary.length > 1 ? primary : undefined,
  };
}

/** A name for the rowid that no column has; undefined also for a table WITHOUT ROWID. */
function rowidOf(
  connection: SqliteConnection,
  table: string,
  columns: readonly Column[],
): string | undefined {
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
): RowKey | undefined {
  const [only, second] = primary;
  if (only !== undefined && second === undefined) return { name: only, column: shown.indexOf(only) };
  return rowid === undefined ? undefined : { name: rowid };
}

function columnsOf(connection: SqliteConnection, table: string): Column[] {
  return query(connection, 'select name, pk, hidden from pragma_table_xinfo(?)', [table]).map(
    ([name, primary, hidden]) => ({ name: asText(name), primary: Number(primary), hidden: hidden === 1n }),
  );
}

function query(connection: SqliteConnection, sql: string, values: readonly string[] = []): SqliteCell[][] {
  const statement = connection.prepare(sql, values);
  const rows: SqliteCell[][] = [];
  try {
    while (statement.step()) {
      rows.push(statement.columns.map((_, at) => statement.cell(at, Number.POSITIVE_INFINITY)));
    }
  } finally {
    statement.finalize();
  }
  return rows;
}

function asText(cell: SqliteCell | undefined): string {
  return typeof cell === 'object' && cell?.kind === 'text' ? cell.text : '';
}

/** The suffixes of the shadow tables of a virtual table, by module. */
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

/** The module of a virtual table in lower case; undefined for any other statement. */
function moduleOf(sql: string): string | undefined {
  const start = /^create\s+virtual\s+table\s/i.exec(sql);
  return start ? (/\busing\s+["'[`]?(\w+)/i.exec(sql)?.[1] ?? '').toLowerCase() : undefined;
}

function typeOf(type: string, module: string | undefined, isShadow: boolean): TableType {
  if (type === 'view') return 'view';
  if (module !== undefined && module !== DATA_MODULE) return 'virtual table';
  return isShadow ? 'shadow table' : 'table';
}

const QUERY = /^\s*(?:select|with|values|explain)\s/i;

export function noSuchTable(connection: SqliteConnection, typed: string): SqliteRefusal {
  const [front = '', ...key] = typed.split(':');
  if (key.length > 0 && readTable(connection, front)) {
    return new SqliteRefusal('BAD_QUERY', 'A row is read by its key only, without parameters', `:${typed}`);
  }
  if (QUERY.test(typed)) {
    const why = `There is no table ${echo(typed)}; a query is written after ?q=`;
    return new SqliteRefusal('BAD_QUERY', why, `?q=${writeParameter(typed)}`);
  }
  const tables = listTables(connection).map((table) => writeSegment(table.name));
  const known = tables.length === 0 ? 'the database has no tables' : `the tables are ${someOf(tables)}`;
  const near = nearNames(front, tables);
  const [nearest] = near;
  // The suggested call keeps the key after the corrected name.
  const rest = nearest === undefined ? '' : `:${[nearest, ...key].join(':')}`;
  return new SqliteRefusal(
    'NOT_FOUND',
    `There is no table ${echo(typed)}; ${known}.${didYouMean(near)}`,
    rest,
  );
}

export function noSuchRow(table: CatalogTable, typed: string): SqliteRefusal {
  const { name, key, composite, type } = table;
  if (table.unreadable) return unreadable(name, table.unreadable);
  const address = `:${writeSegment(name)}`;
  if (key) {
    return new SqliteRefusal(
      'NOT_FOUND',
      `${name} has no row with ${key.name} ${echo(typed)}`,
      `${address}?limit=20`,
    );
  }
  if (!composite) {
    const why = `${name} is a ${type} whose rows have no key; use ?where=, or ?limit= and ?offset=`;
    return new SqliteRefusal('BAD_SELECTOR', why, `${address}?limit=20`);
  }
  const columns = `${composite.length} columns (${composite.join(', ')})`;
  const why = `${name} has a primary key of ${columns}, so one value names no row; give them all in ?where=`;
  const where = composite.map((column) => `${identifier(column)}=''`).join(' and ');
  return new SqliteRefusal('NOT_FOUND', why, `${address}?where=${writeParameter(where)}`);
}

export function unreadable(name: string, { code, message }: TableProblem): SqliteRefusal {
  return new SqliteRefusal(code, `The rows of ${name} cannot be read: ${message}`, `:${writeSegment(name)}`);
}

// Suggests existing tables and columns for SQL that names missing ones.

const MAX_SUGGESTED_NAMES = 20;

function someOf(names: readonly string[]): string {
  return names.slice(0, MAX_SUGGESTED_NAMES).join(', ') + (names.length > MAX_SUGGESTED_NAMES ? ', …' : '');
}

/**
 * The text to append to SQLite's `message`, and the part after the database's path in a next call. Empty for a message that
 * is not about a missing name.
 */
export function knownNames(
  connection: SqliteConnection,
  message: string,
  ask: SqliteRequest,
): { readonly known: string; readonly rest?: string | undefined } {
  const [, what, typed = ''] = /^no such (table|column): (.+)$/s.exec(message) ?? [];
  if (what === undefined) return { known: '' };
  try {
    const names = what === 'table' ? tableNames(connection) : columnNames(connection, ask);
    if (names.length === 0) return { known: '' };
    const near = nearNames(typed.slice(typed.lastIndexOf('.') + 1), names);
    const known = `; the ${what}s are ${someOf(names)}`;
    const rest = near.length === 0 ? withQuotes(typed, ask) : undefined;
    if (rest !== undefined) return { known: `${known}. A text stands in single quotes`, rest };
    return { known: `${known}.${didYouMean(near)}` };
  } catch {
    // The schema of a damaged database may be unreadable.
    return { known: '' };
  }
}

/** A corrected call for a text without quotes, which SQLite takes for a column: `Region=North`. */
function withQuotes(typed: string, ask: SqliteRequest): string | undefined {
  if (ask.kind !== 'query' || ask.where === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(typed))
    return undefined;
  const value = new RegExp(`(?<=(?:[=<>]|\\b(?:like|glob|is))\\s*)${typed}(?![\\p{L}\\p{N}_("'.])`, 'giu');
  const where = ask.where.replace(value, (text) => `'${text}'`);
  return where === ask.where ? undefined : `:${writeSegment(ask.table)}?where=${writeParameter(where)}`;
}

function tableNames(connection: SqliteConnection): string[] {
  return listTables(connection).map(({ name }) => name);
}

/** The columns of the requested table, otherwise of all tables whose names occur in the SQL. */
function columnNames(connection: SqliteConnection, ask: SqliteRequest): string[] {
  if (ask.kind === 'query') return [...(readTable(connection, ask.table)?.columns ?? [])];
  if (ask.kind !== 'sql') return [];
  const words = new Set(ask.sql.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const tables = tableNames(connection).filter((name) => words.has(name.toLowerCase()));
  return [...new Set(tables.flatMap((name) => readTable(connection, name)?.columns ?? []))];
}

/** Answers one request over an open connection with data (rows and facts), without wording. */

import type { ErrorCode } from '../../../errors.ts';
import { errno } from '../../../files/system-failure.ts';
import {
  echo,
  type ListEntry,
  type SqliteCount,
  type SqliteFailure,
  SqliteRefusal,
  type SqliteReply,
  type SqliteRequest,
  type SqliteRows,
  type SqliteTable,
  type TableType,
  TOO_LONG,
} from '../protocol.ts';
import { identifier, writeParameter } from '../stored-text.ts';
import {
  type CatalogTable,
  knownNames,
  listTables,
  noSuchRow,
  noSuchTable,
  readTable,
  statementsOf,
  unreadable,
} from './catalog.ts';
import { isUnreadable, lookAt, type SqliteConnection } from './connection.ts';
import { type SqliteLibrary, VALUE_LIMIT } from './library.ts';
import {
  collect,
  countTableRows,
  findRow,
  listCounter,
  orderBy,
  PAGE_WORK,
  rowidOrder,
  selectedColumns,
  selectRows,
} from './rows.ts';
import { behindRow, filtered, isDamage, selectAround, withoutRowids } from './rows-around.ts';
import { READ_ONLY, SqlFailure } from './statement.ts';

/** `room` is the most bytes of the answer. Throws Refusal and SqlFailure. */
export function answer(connection: SqliteConnection, ask: SqliteRequest, room: number): SqliteReply {
  connection.quotedStrings(ask.kind !== 'sql');
  switch (ask.kind) {
    case 'list':
      return listReply(connection, ask);
    case 'find':
      return find(connection, ask, room);
    case 'query':
      return pageReply(connection, ask, room);
    case 'sql':
      return run(connection, ask, room);
    case 'value':
    case 'shape':
      throw new TypeError('values are read without a connection');
  }
}

function find(
  connection: SqliteConnection,
  ask: Extract<SqliteRequest, { kind: 'find' }>,
  room: number,
): SqliteReply {
  const { readings, sample, orList } = ask;
  const known = new Map<string, CatalogTable | undefined>();
  let unkeyed: { table: CatalogTable; key: string } | undefined;
  for (const [at, { table: name, key }] of readings.entries()) {
    const table = known.has(name) ? known.get(name) : readTable(connection, name);
    known.set(name, table);
    if (!table) continue;
    if (key === undefined) return { ...schemaReply(connection, table, sample, room), reading: at };
    const found = findRow(connection, table, key, room);
    if (found) return { kind: 'row', reading: at, table: summarizeTable(table), ...found };
    unkeyed ??= { table, key };
  }
  if (unkeyed) throw noSuchRow(unkeyed.table, unkeyed.key);
  if (orList) return listReply(connection, orList);
  throw noSuchTable(connection, readings[0]?.table ?? '');
}

function run(
  connection: SqliteConnection,
  ask: Extract<SqliteRequest, { kind: 'sql' }>,
  room: number,
): SqliteReply {
  const { statement, rest } = connection.compile(ask.sql);
  if (!statement) throw new SqliteRefusal('BAD_QUERY', 'q holds no SQL statement');
  try {
    if (connection.holdsStatement(rest)) {
      const first = ask.sql.slice(0, ask.sql.length - rest.length).replace(/[\s;]+$/, '');
      const next = `?q=${writeParameter(first)}`;
      throw new SqliteRefusal('BAD_QUERY', 'q holds several SQL statements; give one at a time', next);
    }
    if (statement.parameters > 0) {
      const why = 'q has parameters that nothing is bound to; write the values into the SQL';
      throw new SqliteRefusal('BAD_QUERY', why);
    }
  } catch (error) {
    statement.finalize();
    throw error;
  }
  const rows = collect(statement, { skip: ask.offset, limit: ask.limit, room });
  return { kind: 'result', rows, data: connection.data?.facts };
}

// Answers with the list of tables and their row counts, as far as these can be determined.

function listReply(
  connection: SqliteConnection,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): SqliteReply {
  const tables = listTables(connection);
  const count = listCounter(connection);
  const entries = tables
    .slice(offset, offset + limit)
    .map(({ name, type }) => entryOf(connection, count, name, type));
  // One damaged table does not hide the others; only if all are damaged, that is the answer.
  const damage = entries.filter((entry) => entry.damaged !== undefined);
  if (damage.length > 0 && damage.length === entries.length) {
    throw new SqliteRefusal('CORRUPT', `The database is damaged: ${damage[0]?.damaged}`);
  }
  return { kind: 'list', entries, total: tables.length };
}

function entryOf(
  connection: SqliteConnection,
  countRows: ReturnType<typeof listCounter>,
  name: string,
  type: TableType,
): ListEntry {
  // Views are not counted, because that can take any amount of work.
  if (type === 'view') return { name, type };
  try {
    const count = countRows(identifier(name));
    return count ? { name, type, count } : { name, type };
  } catch (error) {
    if (isUnreadable(connection, error)) return { name, type, unreadable: error.message };
    if (!(error instanceof SqlFailure) || error.stopped) throw error;
    return { name, type, damaged: error.message };
  }
}

// Answers about one table: its schema with sample rows, a page of its rows with the total, or complete rows.

type Schema = Omit<Extract<SqliteReply, { kind: 'schema' }>, 'reading'>;

/** The CREATE statements of the table and its first `sample` rows, or why those cannot be read. */
function schemaReply(
  connection: SqliteConnection,
  table: CatalogTable,
  sample: number,
  room: number,
): Schema {
  const statements = statementsOf(connection, table.name);
  const described = { kind: 'schema', table: summarizeTable(table), statements } as const;
  const tail = `from ${identifier(table.name)} ${orderBy(table)} limit ${sample + 1}`;
  const rows =
    table.unreadable ??
    lookAt(connection, table.type, () =>
      selectRows(connection, table.columns, tail, [], { skip: 0, limit: sample, room }),
    );
  if ('code' in rows) return { ...described, sample: NO_ROWS, unreadable: rows };
  const from = identifier(table.name);
  const count = rows.more ? countPage(connection, from) : { rows: rows.rows.length, exact: true };
  return { ...described, sample: rows, count };
}

const NO_ROWS: SqliteRows = { columns: [], rows: [], more: false };

function pageReply(
  connection: SqliteConnection,
  ask: Extract<SqliteRequest, { kind: 'query' }>,
  room: number,
): SqliteReply {
  const { offset, limit, after, whole, containing } = ask;
  const table = readTable(connection, ask.table);
  if (!table) throw noSuchTable(connection, ask.table);
  if (table.unreadable) throw unreadable(table.name, table.unreadable);
  if (ask.where !== undefined && table.type !== 'view') connection.quotedStrings(false);
  const rowid = rowidOrder(table, ask.order);
  if (after !== undefined && rowid === undefined) {
    const why = `after continues rows in the order of their rowid, and those of ${table.name} have none; use offset`;
    throw new SqliteRefusal('BAD_QUERY', why);
  }
  const filter = rowid !== undefined && containing !== undefined && canFilter(table, containing);
  const some = filter
    ? rowsContaining(connection, table, { rowid, after, containing, limit, room })
    : undefined;
  if (some) return some;
  // The newline ends a comment in the condition, which would hide the parenthesis.
  const asked = ask.where === undefined ? [] : [`(${ask.where}\n)`];
  const shown = ask.select === undefined ? table.columns : selectedColumns(table, ask.select);
  const range = { columns: shown, rowid, after, offset, limit, room, whole };
  const page = selectAround(connection, table, range, (from) => {
    const behind = from === undefined ? asked : [...asked, behindRow(rowid, from)];
    const window = `limit ${limit + 1} offset ${from === undefined ? offset : 0}`;
    return `from ${filtered(table, behind)} ${orderBy(table, ask.order)} ${window}`;
  });
  if (whole) return { kind: 'page', table: summarizeTable(table), ...page };
  const known = after === undefined ? countOf(page.rows, offset) : undefined;
  const all = ask.where === undefined ? connection.data?.rows : undefined;
  const total = all === undefined ? undefined : { rows: all, exact: true };
  const count = page.lost ? undefined : (known ?? total ?? countPage(connection, filtered(table, asked)));
  if (connection.data) return { kind: 'page', ...page, count, data: connection.data.facts };
  return { kind: 'page', table: summarizeTable(table, shown), ...page, count };
}

/** Undefined if it is too much work, or if pages are damaged. */
function countPage(connection: SqliteConnection, from: string): SqliteCount | undefined {
  try {
    return countTableRows(connection, from, PAGE_WORK);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** The most rows that one statement examines; a large table takes several statements. */
const MAX_SCANNED_ROWS = 100_000;

const MAX_COMPARED_COLUMNS = 50;

/** Whether rows can be filtered: not if a column name contains the text, because names are in the text of every row. */
function canFilter({ columns }: CatalogTable, containing: string): boolean {
  return columns.length <= MAX_COMPARED_COLUMNS && !columns.some((name) => name.includes(containing));
}

interface Looking {
  readonly rowid: string;
  readonly after: string | undefined;
  readonly containing: string;
  readonly limit: number;
  readonly room: number;
}

/** The rows that contain the text; undefined if a value is too large to be compared, or pages are damaged. */
function rowsContaining(
  connection: SqliteConnection,
  table: CatalogTable,
  { rowid, after, containing, limit, room }: Looking,
): SqliteReply | undefined {
  const behind = after === undefined ? [] : [behindRow(rowid, after)];
  const last = connection.prepare(
    `select ${rowid} from ${filtered(table, behind)} order by ${rowid} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
  );
  const scannedTo = collect(last, { skip: 0, limit: 1, room: 1 }).rows[0]?.[0];
  const within = scannedTo === undefined ? [] : [`${rowid} <= ${String(scannedTo)}`];
  const holds = `(${table.columns.map((name) => `instr(${identifier(name)}, ?1)`).join(' or ')})`;
  const tail = `from ${filtered(table, [...behind, ...within, holds])} order by ${rowid} limit ${limit + 1}`;
  const bounds = { skip: 0, limit, room, whole: true } as const;
  try {
    const selected = selectRows(connection, [...table.columns, rowid], tail, [containing], bounds);
    const end = scannedTo === undefined ? {} : { scannedTo: String(scannedTo) };
    const found = withoutRowids(selected);
    return { kind: 'page', table: summarizeTable(table), ...found, isFiltered: true, ...end };
  } catch (error) {
    const { SQLITE_TOOBIG } = connection.library.capi;
    if (isDamage(error) || (error instanceof SqlFailure && error.result === SQLITE_TOOBIG)) return undefined;
    throw error;
  }
}

/** The total number of rows, if it follows from the page itself. */
function countOf({ rows, more }: SqliteRows, offset: number): SqliteCount | undefined {
  if (more || (rows.length === 0 && offset > 0)) return undefined;
  return { rows: offset + rows.length, exact: true };
}

function summarizeTable({ name, type, key, composite, columns }: CatalogTable, shown = columns): SqliteTable {
  const summary = { name, type, composite };
  if (!key || shown === columns || key.column === undefined) return key ? { ...summary, key } : summary;
  const column = shown.indexOf(key.name);
  return column === -1 ? summary : { ...summary, key: { ...key, column } };
}

// Converts failures in the worker to data: a code, a sentence, and a next call.

/** `connection` (if one was opened) is used to suggest existing names. */
export function toFailure(
  library: SqliteLibrary,
  error: unknown,
  ask: SqliteRequest,
  connection?: SqliteConnection,
): SqliteFailure {
  if (error instanceof SqliteRefusal) return fail(error.code, error.message, error.rest);
  if (error instanceof SqlFailure) return sqlFailure(library, error, ask, connection);
  if (errno(error) === 'EIO') return fail('CORRUPT', 'The database could not be read: input/output error');
  return fail('INTERNAL', error instanceof Error ? error.message : String(error));
}

function sqlFailure(
  { capi }: SqliteLibrary,
  error: SqlFailure,
  ask: SqliteRequest,
  connection: SqliteConnection | undefined,
): SqliteFailure {
  if (error.stopped === 'cancelled') return fail('CANCELLED', 'The query was cancelled');
  if (error.stopped === 'time') return fail('TIMEOUT', TOO_LONG);
  if (error.denial) return fail(error.denial.code, error.denial.message);
  // SQLite protects the shadow tables of virtual tables with this message.
  if (error.message.endsWith('may not be modified')) return fail('READ_ONLY', READ_ONLY);
  switch (error.result) {
    case capi.SQLITE_CORRUPT:
    case capi.SQLITE_NOTADB:
    case capi.SQLITE_IOERR:
      return fail('CORRUPT', `The database is damaged: ${error.message}`);
    case capi.SQLITE_READONLY:
      return fail('READ_ONLY', READ_ONLY);
    case capi.SQLITE_NOMEM:
      return fail('LIMIT', 'The query needs more memory than it may have');
    case capi.SQLITE_TOOBIG:
      return fail(
        'LIMIT',
        `A value or the SQL is larger than ${VALUE_LIMIT / 1024 / 1024} MiB allows: ${error.message}`,
      );
    case capi.SQLITE_CANTOPEN:
      return fail('UNSUPPORTED', 'The query needs a temporary file, which is not allowed');
    default: {
      const { known, rest } = connection ? knownNames(connection, error.message, ask) : { known: '' };
      // A condition that does not compile is a bad parameter; other SQL is an SQL error.
      const isCondition = ask.kind === 'query' && ask.where !== undefined;
      return fail(isCondition ? 'BAD_QUERY' : 'SQL_ERROR', echo(error.message) + known, rest);
    }
  }
}

function fail(code: ErrorCode, message: string, rest?: string): SqliteFailure {
  return { kind: 'error', code, message, rest };
}

/** Owns turning one ask into one reply over an open connection. It words no answers: it gives rows and facts. */

import { readSegment, writeParameter, writeSegment } from './address.ts';
import { findTable, isUnreadable, listTables, lookAt, statementsOf } from './catalog.ts';
import type { Catalogued } from './catalog.ts';
import type { Connection } from './connection.ts';
import { SqlFailure } from './connection.ts';
import { countRows, ListCounter, PAGE_WORK } from './count.ts';
import { findRow } from './keyed.ts';
import { identifier, sameName } from './names.ts';
import type { Ask, ListEntry, Reply, Rows, Table, Unreadable } from './protocol.ts';
import { Refusal } from './refusal.ts';
import { collect, selectRows } from './select.ts';

export function answer(connection: Connection, ask: Ask, room: number): Reply {
  connection.quotedStrings(ask.do !== 'sql');
  switch (ask.do) {
    case 'list':
      return list(connection, ask.limit, ask.offset);
    case 'find':
      return find(connection, ask, room);
    case 'query':
      return page(connection, ask, room);
    case 'sql':
      return run(connection, ask, room);
  }
}

function list(connection: Connection, limit: number, offset: number): Reply {
  const tables = listTables(connection);
  const counter = new ListCounter(connection);
  const entries = tables.slice(offset, offset + limit).map(({ name, type }): ListEntry => {
    // A view can hide any amount of work behind its name.
    if (type === 'view') return { name, type };
    try {
      const count = counter.count(identifier(name));
      return count ? { name, type, count } : { name, type };
    } catch (error) {
      if (isUnreadable(connection, error)) return { name, type, unreadable: error.message };
      if (!(error instanceof SqlFailure) || error.stopped) throw error;
      return { name, type, damaged: error.message };
    }
  });
  const damaged = entries.filter((entry) => entry.damaged !== undefined);
  if (damaged.length > 0 && damaged.length === entries.length) {
    throw new Refusal('CORRUPT', `The database is damaged: ${damaged[0]?.damaged}`);
  }
  return { is: 'list', entries, total: tables.length };
}

/** The first reading that names something: a table, or a row of one. */
function find(connection: Connection, ask: Extract<Ask, { do: 'find' }>, room: number): Reply {
  const { readings, sample, orList } = ask;
  const known = new Map<string, Catalogued | undefined>();
  let unkeyed: { table: Catalogued; key: string } | undefined;
  for (const [at, { table: name, key }] of readings.entries()) {
    const table = known.has(name) ? known.get(name) : readTable(connection, name);
    known.set(name, table);
    if (!table) continue;
    if (key === undefined) return schema(connection, table, at, sample, room);
    const found = findRow(connection, table, key, room);
    if (found) return { is: 'row', reading: at, table: facts(table), ...found };
    unkeyed ??= { table, key };
  }
  if (unkeyed) throw noSuchRow(unkeyed.table, unkeyed.key);
  if (orList) return list(connection, orList.limit, orList.offset);
  throw noSuchTable(connection, readings[0]?.table ?? '');
}

/** The table that a segment of a path names, with its escapes decoded or as it stands. */
function readTable(connection: Connection, typed: string): Catalogued | undefined {
  for (const name of readSegment(typed)) {
    const table = findTable(connection, name);
    if (table) return table;
  }
  return undefined;
}

function schema(
  connection: Connection,
  table: Catalogued,
  reading: number,
  sample: number,
  room: number,
): Reply {
  const statements = statementsOf(connection, table.name);
  const described = { is: 'schema', reading, table: facts(table), statements } as const;
  const rows =
    table.unreadable ?? lookAt(connection, table.type, () => samples(connection, table, sample, room));
  if ('code' in rows) return { ...described, sample: NO_ROWS, unreadable: rows };
  const count = rows.more ? total(connection, table, '') : { rows: rows.rows.length, exact: true };
  return { ...described, sample: rows, ...(count ? { count } : {}) };
}

const NO_ROWS: Rows = { columns: [], rows: [], more: false };

function samples(connection: Connection, table: Catalogued, limit: number, room: number): Rows {
  const tail = `from ${identifier(table.name)} ${orderBy(table)} limit ${limit + 1}`;
  return selectRows(connection, table.columns, tail, [], { skip: 0, limit, room });
}

function page(connection: Connection, ask: Extract<Ask, { do: 'query' }>, room: number): Reply {
  const table = readTable(connection, ask.table);
  if (!table) throw noSuchTable(connection, ask.table);
  if (table.unreadable) throw unreadable(table.name, table.unreadable);
  if (ask.where !== undefined && table.type !== 'view') connection.quotedStrings(false);
  const where = ask.where === undefined ? '' : `where (${ask.where}\n)`;
  const from = `from ${identifier(table.name)} ${where}`;
  const tail = `${from} ${orderBy(table, ask.order)} limit ${ask.limit + 1} offset ${ask.offset}`;
  const rows = selectRows(connection, table.columns, tail, [], { skip: 0, limit: ask.limit, room });
  const end = ask.offset + rows.rows.length;
  const known = !rows.more && (rows.rows.length > 0 || ask.offset === 0);
  const count = known ? { rows: end, exact: true } : total(connection, table, where);
  return { is: 'page', table: facts(table), rows, ...(count ? { count } : {}) };
}

/** Rows in all, unless the table is one whose rows may each cost any amount of work. */
function total(connection: Connection, table: Catalogued, where: string) {
  return countRows(connection, `${identifier(table.name)} ${where}`, PAGE_WORK);
}

/**
 * Rows come in the order of the key, so that pages neither repeat nor skip one; a chosen order is completed by it.
 * A view or virtual table has the order that SQLite finds, which is the same each time.
 */
function orderBy(table: Catalogued, order?: string): string {
  const terms: string[] = [];
  if (order !== undefined) terms.push(orderTerm(table, order));
  if (table.type === 'table' || table.type === 'shadow table') {
    if (table.rowid !== undefined) terms.push(table.rowid);
    else terms.push(...table.primary.map(identifier));
  }
  return terms.length === 0 ? '' : `order by ${terms.join(', ')}`;
}

/** `column`, `column:asc` or `column:desc`; a column that is really called `a:desc` is meant by that. */
function orderTerm(table: Catalogued, order: string): string {
  const columns = table.rowid === undefined ? table.columns : [...table.columns, table.rowid];
  const named = (name: string): string | undefined =>
    columns.find((column) => column === name) ?? columns.find((column) => sameName(column, name));
  const whole = named(order);
  if (whole !== undefined) return identifier(whole);
  const [, name, direction] = /^(.*?)(?::(asc|desc))?$/is.exec(order) ?? [];
  const column = named(name ?? '');
  if (column === undefined) {
    throw new Refusal(
      'BAD_QUERY',
      `${table.name} has no column ${name}; its columns are ${columns.join(', ')}`,
    );
  }
  return `${identifier(column)} ${direction ?? 'asc'}`;
}

function run(connection: Connection, ask: Extract<Ask, { do: 'sql' }>, room: number): Reply {
  const { statement, rest } = connection.compile(ask.sql);
  if (!statement) throw new Refusal('BAD_QUERY', 'q holds no SQL statement');
  try {
    if (connection.holdsStatement(rest)) {
      const first = writeParameter(ask.sql.slice(0, ask.sql.length - rest.length).replace(/[\s;]+$/, ''));
      throw new Refusal('BAD_QUERY', 'q holds several SQL statements; give one at a time', `?q=${first}`);
    }
    if (statement.parameters > 0) {
      throw new Refusal(
        'BAD_QUERY',
        'q has parameters that nothing is bound to; write the values into the SQL',
      );
    }
  } catch (error) {
    statement.finalize();
    throw error;
  }
  return { is: 'result', rows: collect(statement, { skip: ask.offset, limit: ask.limit, room }) };
}

function unreadable(name: string, { code, message }: Unreadable): Refusal {
  return new Refusal(code, `The rows of ${name} cannot be read: ${message}`, `:${writeSegment(name)}`);
}

function noSuchTable(connection: Connection, name: string): Refusal {
  const [front = '', ...key] = name.split(':');
  if (key.length > 0 && readTable(connection, front)) {
    return new Refusal('BAD_QUERY', `A row is asked for by its key alone, without parameters`, `:${name}`);
  }
  const tables = listTables(connection).map((table) => table.name);
  const some = tables.slice(0, 20).map(writeSegment).join(', ') + (tables.length > 20 ? ', …' : '');
  const known = tables.length === 0 ? 'the database has no tables' : `the tables are ${some}`;
  return new Refusal('NOT_FOUND', `There is no table ${name}; ${known}`, '');
}

function noSuchRow(table: Catalogued, key: string): Refusal {
  if (table.unreadable) return unreadable(table.name, table.unreadable);
  const { name, composite, type } = table;
  const address = `:${writeSegment(name)}`;
  if (!table.key && composite) {
    const where = writeParameter(composite.map((column) => `${identifier(column)}=''`).join(' and '));
    return new Refusal(
      'NOT_FOUND',
      `${name} has a primary key of ${composite.length} columns (${composite.join(', ')}), so one value names no row; give them all in ?where=`,
      `${address}?where=${where}`,
    );
  }
  if (!table.key) {
    return new Refusal(
      'BAD_SELECTOR',
      `${name} is a ${type} whose rows have no key; use ?where=, or ?limit= and ?offset=`,
      `${address}?limit=20`,
    );
  }
  return new Refusal('NOT_FOUND', `${name} has no row with ${table.key.name} ${key}`, `${address}?limit=20`);
}

/** The part of a table's description that the answer needs. */
function facts({ name, type, key, composite }: Catalogued): Table {
  return { name, type, ...(key ? { key } : {}), ...(composite ? { composite } : {}) };
}

/** The refusals for missing tables and rows, with a next call. */

import { didYouMean, nearNames } from '../../../text/near.ts';
import { writeParameter, writeSegment } from '../row-address.ts';
import { identifier } from '../quoted-names.ts';
import type { Unreadable } from '../sqlite-protocol.ts';
import { echo, Refusal } from '../sqlite-refusal.ts';
import { type Catalogued, listTables, readTable } from './catalog.ts';
import type { Connection } from './connection.ts';

/** The most tables that a message names. */
const NAMED = 20;

/** A query in the place of a table. */
const QUERY = /^\s*(?:select|with|values|explain)\s/i;

export function noSuchTable(connection: Connection, typed: string): Refusal {
  const [front = '', ...key] = typed.split(':');
  if (key.length > 0 && readTable(connection, front)) {
    return new Refusal('BAD_QUERY', 'A row is read by its key only, without parameters', `:${typed}`);
  }
  if (QUERY.test(typed)) {
    const why = `There is no table ${echo(typed)}; a query is written after ?q=`;
    return new Refusal('BAD_QUERY', why, `?q=${writeParameter(typed)}`);
  }
  const tables = listTables(connection).map((table) => writeSegment(table.name));
  const some = tables.slice(0, NAMED).join(', ') + (tables.length > NAMED ? ', …' : '');
  const known = tables.length === 0 ? 'the database has no tables' : `the tables are ${some}`;
  const near = nearNames(front, tables);
  const [nearest] = near;
  // The suggested call keeps the key after the corrected name.
  const rest = nearest === undefined ? '' : `:${[nearest, ...key].join(':')}`;
  return new Refusal('NOT_FOUND', `There is no table ${echo(typed)}; ${known}.${didYouMean(near)}`, rest);
}

export function noSuchRow(table: Catalogued, typed: string): Refusal {
  const { name, key, composite, type } = table;
  if (table.unreadable) return unreadable(name, table.unreadable);
  const address = `:${writeSegment(name)}`;
  if (key) {
    return new Refusal(
      'NOT_FOUND',
      `${name} has no row with ${key.name} ${echo(typed)}`,
      `${address}?limit=20`,
    );
  }
  if (!composite) {
    const why = `${name} is a ${type} whose rows have no key; use ?where=, or ?limit= and ?offset=`;
    return new Refusal('BAD_SELECTOR', why, `${address}?limit=20`);
  }
  const columns = `${composite.length} columns (${composite.join(', ')})`;
  const why = `${name} has a primary key of ${columns}, so one value names no row; give them all in ?where=`;
  const where = composite.map((column) => `${identifier(column)}=''`).join(' and ');
  return new Refusal('NOT_FOUND', why, `${address}?where=${writeParameter(where)}`);
}

export function unreadable(name: string, { code, message }: Unreadable): Refusal {
  return new Refusal(code, `The rows of ${name} cannot be read: ${message}`, `:${writeSegment(name)}`);
}

/** Names the tables and columns that there are, for SQL that names others. */

import { didYouMean, nearNames } from '../../../text/near.ts';
import type { Ask } from '../protocol.ts';
import { listTables, readTable } from './catalog.ts';
import type { Connection } from './connection.ts';

/** Names in a message. */
const MOST_NAMED = 20;

/** What follows SQLite's `message` in the sentence; empty for one about something else than a missing name. */
export function knownNames(connection: Connection, message: string, ask: Ask): string {
  const [, what, typed = ''] = /^no such (table|column): (.+)$/s.exec(message) ?? [];
  if (what === undefined) return '';
  try {
    const names = what === 'table' ? tableNames(connection) : columnNames(connection, ask);
    if (names.length === 0) return '';
    const some = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ', …' : '');
    const near = nearNames(typed.slice(typed.lastIndexOf('.') + 1), names);
    return `; the ${what}s are ${some}.${didYouMean(near)}`;
  } catch {
    // The schema of a damaged database may not be readable.
    return '';
  }
}

function tableNames(connection: Connection): string[] {
  return listTables(connection).map(({ name }) => name);
}

/** Of the table that is asked for, else of all whose names stand in the SQL. */
function columnNames(connection: Connection, ask: Ask): string[] {
  if (ask.do === 'query') return [...(readTable(connection, ask.table)?.columns ?? [])];
  if (ask.do !== 'sql') return [];
  const words = new Set(ask.sql.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const tables = tableNames(connection).filter((name) => words.has(name.toLowerCase()));
  return [...new Set(tables.flatMap((name) => readTable(connection, name)?.columns ?? []))];
}

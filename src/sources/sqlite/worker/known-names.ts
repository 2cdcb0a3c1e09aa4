/** Suggests existing tables and columns for SQL that names missing ones. */

import { didYouMean, nearNames } from '../../../text/near.ts';
import { writeParameter, writeSegment } from '../row-address.ts';
import type { Ask } from '../sqlite-protocol.ts';
import { listTables, readTable } from './catalog.ts';
import type { Connection } from './connection.ts';

/** The most names in a message. */
const MOST_NAMED = 20;

/**
 * The text to append to SQLite's `message`, and the part after the database's path in a next call. Empty for a message that
 * is not about a missing name.
 */
export function knownNames(
  connection: Connection,
  message: string,
  ask: Ask,
): { readonly known: string; readonly rest?: string } {
  const [, what, typed = ''] = /^no such (table|column): (.+)$/s.exec(message) ?? [];
  if (what === undefined) return { known: '' };
  try {
    const names = what === 'table' ? tableNames(connection) : columnNames(connection, ask);
    if (names.length === 0) return { known: '' };
    const some = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ', …' : '');
    const near = nearNames(typed.slice(typed.lastIndexOf('.') + 1), names);
    const known = `; the ${what}s are ${some}`;
    const rest = near.length === 0 ? withQuotes(typed, ask) : undefined;
    if (rest !== undefined) return { known: `${known}. A text stands in single quotes`, rest };
    return { known: `${known}.${didYouMean(near)}` };
  } catch {
    // The schema of a damaged database may be unreadable.
    return { known: '' };
  }
}

/** A corrected call for a text without quotes, which SQLite takes for a column: `Region=North`. */
function withQuotes(typed: string, ask: Ask): string | undefined {
  if (ask.do !== 'query' || ask.where === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(typed))
    return undefined;
  const value = new RegExp(`(?<=(?:[=<>]|\\b(?:like|glob|is))\\s*)${typed}(?![\\p{L}\\p{N}_("'.])`, 'giu');
  const where = ask.where.replace(value, (text) => `'${text}'`);
  return where === ask.where ? undefined : `:${writeSegment(ask.table)}?where=${writeParameter(where)}`;
}

function tableNames(connection: Connection): string[] {
  return listTables(connection).map(({ name }) => name);
}

/** The columns of the requested table, otherwise of all tables whose names occur in the SQL. */
function columnNames(connection: Connection, ask: Ask): string[] {
  if (ask.do === 'query') return [...(readTable(connection, ask.table)?.columns ?? [])];
  if (ask.do !== 'sql') return [];
  const words = new Set(ask.sql.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const tables = tableNames(connection).filter((name) => words.has(name.toLowerCase()));
  return [...new Set(tables.flatMap((name) => readTable(connection, name)?.columns ?? []))];
}

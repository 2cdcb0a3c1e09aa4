/** Answers with the list of tables and their row counts, as far as these can be determined. */

import { identifier } from '../quoted-names.ts';
import type { ListEntry, Reply, TableType } from '../sqlite-protocol.ts';
import { Refusal } from '../sqlite-refusal.ts';
import { listTables } from './catalog.ts';
import type { Connection } from './connection.ts';
import { ListCounter } from './count.ts';
import { isUnreadable } from './unreadable.ts';
import { SqlFailure } from './statement-limits.ts';

export function listReply(
  connection: Connection,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Reply {
  const tables = listTables(connection);
  const counter = new ListCounter(connection);
  const entries = tables
    .slice(offset, offset + limit)
    .map(({ name, type }) => entryOf(connection, counter, name, type));
  // One damaged table does not hide the others; only if all are damaged, that is the answer.
  const damage = entries.filter((entry) => entry.damaged !== undefined);
  if (damage.length > 0 && damage.length === entries.length) {
    throw new Refusal('CORRUPT', `The database is damaged: ${damage[0]?.damaged}`);
  }
  return { is: 'list', entries, total: tables.length };
}

function entryOf(connection: Connection, counter: ListCounter, name: string, type: TableType): ListEntry {
  // Views are not counted, because that can take any amount of work.
  if (type === 'view') return { name, type };
  try {
    const count = counter.count(identifier(name));
    return count ? { name, type, count } : { name, type };
  } catch (error) {
    if (isUnreadable(connection, error)) return { name, type, unreadable: error.message };
    if (!(error instanceof SqlFailure) || error.stopped) throw error;
    return { name, type, damaged: error.message };
  }
}

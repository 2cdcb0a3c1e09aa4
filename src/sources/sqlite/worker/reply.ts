/** Answers one request over an open connection with data (rows and facts), without wording. */

import { writeParameter } from '../row-address.ts';
import type { Ask, Reply } from '../sqlite-protocol.ts';
import { Refusal } from '../sqlite-refusal.ts';
import { listReply } from './answer-list.ts';
import { pageReply, rowsReply, schemaReply, summaryOf } from './answer-table.ts';
import { type Catalogued, readTable } from './catalog.ts';
import type { Connection } from './connection.ts';
import { findRow } from './find-row.ts';
import { noSuchRow, noSuchTable } from './not-found.ts';
import { collect } from './select.ts';

/** `room` is the most bytes of the answer. Throws Refusal and SqlFailure. */
export function answer(connection: Connection, ask: Ask, room: number): Reply {
  connection.quotedStrings(ask.do !== 'sql');
  switch (ask.do) {
    case 'list':
      return listReply(connection, ask);
    case 'find':
      return find(connection, ask, room);
    case 'query':
      return pageReply(connection, ask, room);
    case 'rows':
      return rowsReply(connection, ask, room);
    case 'sql':
      return run(connection, ask, room);
  }
}

/** Answers with the first reading that names a table or a row. */
function find(connection: Connection, ask: Extract<Ask, { do: 'find' }>, room: number): Reply {
  const { readings, sample, orList } = ask;
  const known = new Map<string, Catalogued | undefined>();
  let unkeyed: { table: Catalogued; key: string } | undefined;
  for (const [at, { table: name, key }] of readings.entries()) {
    const table = known.has(name) ? known.get(name) : readTable(connection, name);
    known.set(name, table);
    if (!table) continue;
    if (key === undefined) return { ...schemaReply(connection, table, sample, room), reading: at };
    const found = findRow(connection, table, key, room);
    if (found) return { is: 'row', reading: at, table: summaryOf(table), ...found };
    unkeyed ??= { table, key };
  }
  if (unkeyed) throw noSuchRow(unkeyed.table, unkeyed.key);
  if (orList) return listReply(connection, orList);
  throw noSuchTable(connection, readings[0]?.table ?? '');
}

function run(connection: Connection, ask: Extract<Ask, { do: 'sql' }>, room: number): Reply {
  const { statement, rest } = connection.compile(ask.sql);
  if (!statement) throw new Refusal('BAD_QUERY', 'q holds no SQL statement');
  try {
    if (connection.holdsStatement(rest)) {
      const first = ask.sql.slice(0, ask.sql.length - rest.length).replace(/[\s;]+$/, '');
      const next = `?q=${writeParameter(first)}`;
      throw new Refusal('BAD_QUERY', 'q holds several SQL statements; give one at a time', next);
    }
    if (statement.parameters > 0) {
      const why = 'q has parameters that nothing is bound to; write the values into the SQL';
      throw new Refusal('BAD_QUERY', why);
    }
  } catch (error) {
    statement.finalize();
    throw error;
  }
  return { is: 'result', rows: collect(statement, { skip: ask.offset, limit: ask.limit, room }) };
}

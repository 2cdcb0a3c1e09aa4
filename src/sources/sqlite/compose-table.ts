/** Formats the texts about one table: its schema with sample rows, and one row in full. */

import type { Limits } from '../../types/limits.ts';
import { writeSegment } from './row-address.ts';
import { wholeRow } from './layout.ts';
import { type Composed, continuation, cutNotes, ofTotal, said } from './row-notices.ts';
import { pageOf } from './row-page.ts';
import type { Answered } from './sqlite-protocol.ts';
import { showBytes, showName } from './stored-text.ts';

/** The stored statements, then sample rows. The text may be large and is windowed like any other. */
export function composeSchema(
  reply: Extract<Answered, { is: 'schema' }>,
  typed: string,
  limits: Limits,
): Composed {
  const { table, statements, sample, count, unreadable } = reply;
  const sql = statements.map((statement) => `${showBytes(statement).trimEnd()};\n`).join('');
  const facts = {
    table: showName(table.name),
    type: table.type,
    ...(count && { rows: count.rows, exact: count.exact }),
  };
  if (unreadable) {
    return { text: sql, facts, notes: [said(`Its rows cannot be read: ${showName(unreadable.message)}`)] };
  }
  const above = sql === '' ? '' : `${sql}\n`;
  const shown = sample.rows.length;
  if (shown === 0) return { text: `${above}(no rows)\n`, facts, notes: [] };
  const unbounded = { ...limits, bytes: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY };
  const page = pageOf(sample, 0, unbounded);
  const address = `${typed}:${writeSegment(table.name)}`;
  const call = (limit: number, offset: number): string => `${address}?limit=${limit}&offset=${offset}`;
  const notes = cutNotes(page, sample.rows, { address, key: table.key, call });
  if (!sample.more) return { text: above + page.text, facts, notes };
  const more = continuation(`rows 1-${shown}${ofTotal(count, shown)}`, call(20, shown), `offset=${shown}`);
  return { text: above + page.text, facts, notes, more };
}

export function composeRow({ table, by, rows }: Extract<Answered, { is: 'row' }>): Composed {
  const [cells = []] = rows.rows;
  const facts = { table: showName(table.name), type: table.type, key: showName(by) };
  const text = wholeRow(rows.columns, cells);
  if (!table.composite) return { text, facts, notes: [] };
  const columns = showName(table.composite.join(', '));
  const why = `${showName(table.name)} has a primary key of several columns (${columns}); the number was taken as ${by}`;
  return { text, facts, notes: [said(why)] };
}

/** A page of rows: of a table, or of any query. */

import type { Limits } from '../../types/limits.ts';
import { writeParameter, writeSegment } from './address.ts';
import { type Composed, continuation, cutNotes, ofTotal, said } from './notices.ts';
import { pageOf } from './page.ts';
import type { Answered, Ask } from './protocol.ts';
import { showName } from './text.ts';

export function composeRows(
  reply: Extract<Answered, { is: 'page' | 'result' }>,
  ask: Ask,
  typed: string,
  limits: Limits,
): Composed {
  if (ask.do !== 'query' && ask.do !== 'sql') throw new TypeError('rows that nobody asked for');
  const { offset, limit } = ask;
  const { rows } = reply;
  const { table, count } = reply.is === 'page' ? reply : {};
  const address = table ? `${typed}:${writeSegment(table.name)}` : typed;
  const call = (most: number, from: number): string => `${address}?${parametersOf(ask, most, from)}`;
  const page = pageOf(rows, offset, limits);
  const end = offset + page.shown;
  const facts = {
    ...(table && { table: showName(table.name), type: table.type }),
    ...(page.shown > 0 && { rows: { from: offset + 1, to: end } }),
    ...(count && { total: count.rows, exact: count.exact }),
  };
  if (page.shown === 0) {
    const text = `${page.text}(no rows)\n`;
    if (!count?.exact || offset === 0) return { text, facts, notes: [] };
    const last = call(limit, Math.max(0, count.rows - limit));
    const why = `offset ${offset} is beyond the last of ${count.rows} rows. Use ${last} for the end`;
    return { text, facts, notes: [said(why, last)] };
  }
  const notes = cutNotes(page, rows.rows, offset, { address, key: table?.key, call });
  if (!rows.more && page.shown === rows.rows.length) return { text: page.text, facts, notes };
  const span = page.shown === 1 ? `row ${end}` : `rows ${offset + 1}-${end}`;
  const more = continuation(`${span}${ofTotal(count, end)}`, call(limit, end), end);
  return { text: page.text, facts, notes, more };
}

/** The parameters of the same call with another window. The SQL comes last because it extends to the end. */
function parametersOf(ask: Extract<Ask, { do: 'query' | 'sql' }>, limit: number, offset: number): string {
  const window = `limit=${limit}&offset=${offset}`;
  if (ask.do === 'sql') return `${window}&q=${writeParameter(ask.sql)}`;
  const where = ask.where === undefined ? '' : `where=${writeParameter(ask.where)}&`;
  const order = ask.order === undefined ? '' : `order=${writeParameter(ask.order)}&`;
  return `${where}${order}${window}`;
}

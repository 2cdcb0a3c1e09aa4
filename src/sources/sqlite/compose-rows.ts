/** Formats a page of rows of a table or a query. */

import type { Limits } from '../../types/limits.ts';
import { writeParameter, writeSegment } from './row-address.ts';
import { type Composed, continuation, cutNotes, ofTotal, said } from './row-notices.ts';
import { pageOf } from './row-page.ts';
import type { Answered, Ask } from './sqlite-protocol.ts';
import { showName } from './stored-text.ts';

export function composeRows(
  reply: Extract<Answered, { is: 'page' | 'result' }>,
  ask: Ask,
  typed: string,
  limits: Limits,
): Composed {
  if (ask.do !== 'query' && ask.do !== 'sql') throw new TypeError('rows that nobody asked for');
  const { offset, limit } = ask;
  const { rows } = reply;
  const { table, count, rowids } = reply.is === 'page' ? reply : {};
  const address = table ? `${typed}:${writeSegment(table.name)}` : typed;
  const after = 'after' in ask ? ask.after : undefined;
  const from = (index: number): string => windowAt(offset + index, index === 0 ? after : rowids?.[index - 1]);
  const call = (most: number, index: number): string => `${address}?${parametersOf(ask, most, from(index))}`;
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
    const last = `${address}?${parametersOf(ask, limit, windowAt(Math.max(0, count.rows - limit)))}`;
    const beyond = `offset ${offset} is beyond the last of ${count.rows} rows`;
    const why = `${after === undefined ? beyond : `no row follows ${after}`}. Use ${last} for the end`;
    return { text, facts, notes: [said(why, last)] };
  }
  const notes = cutNotes(page, rows.rows, { address, key: table?.key, call });
  if (!rows.more && page.shown === rows.rows.length) return { text: page.text, facts, notes };
  const span = page.shown === 1 ? `row ${end}` : `rows ${offset + 1}-${end}`;
  const more = continuation(`${span}${ofTotal(count, end)}`, call(limit, page.shown), from(page.shown));
  return { text: page.text, facts, notes, more };
}

/** The query parameters for the start of a page. */
function windowAt(offset: number, after?: string): string {
  return `offset=${offset}${after === undefined ? '' : `&after=${after}`}`;
}

/** The parameters of the same call with another window. The SQL comes last because it extends to the end. */
function parametersOf(ask: Extract<Ask, { do: 'query' | 'sql' }>, limit: number, from: string): string {
  const window = `limit=${limit}&${from}`;
  if (ask.do === 'sql') return `${window}&q=${writeParameter(ask.sql)}`;
  const where = ask.where === undefined ? '' : `where=${writeParameter(ask.where)}&`;
  const order = ask.order === undefined ? '' : `order=${writeParameter(ask.order)}&`;
  return `${where}${order}${window}`;
}

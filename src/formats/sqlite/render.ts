/** Formats a reply of the worker as a text resource, with the typed selector and the next call. */

import { createHash } from 'node:crypto';
import { Identity } from '../../identity.ts';
import { plural } from '../../render/display.ts';
import { everything } from '../../selector/selection.ts';
import { memoryBytes } from '../../text/bytes.ts';
import type { Notice } from '../../types/answer.ts';
import type { TextResource } from '../../types/call.ts';
import type { Limits, Selection } from '../../types/excerpt.ts';
import { fitLines, fitRowPage, wholeRow } from './layout.ts';
import { callableName, continuation, cutNotes, ofTotal, sentenceNotice, type SqliteText } from './notices.ts';
import {
  cursorBehind,
  type ListEntry,
  type LostRows,
  type SqliteAnswer,
  type SqliteRequest,
} from './protocol.ts';
import { MAX_SELECTED_ROWS, type SqliteSelector } from './select.ts';
import { showBytes } from '../../text/visible.ts';
import { showName, writeParameter, writeSegment } from './stored-text.ts';

/** `typed` is the typed path of the database, with which suggested calls begin. */
export function compose(
  reply: SqliteAnswer,
  parsed: SqliteSelector,
  typed: string,
  limits: Limits,
): TextResource {
  const { endings, note } = parsed;
  const { body, selection } = ('reading' in reply ? endings[reply.reading] : endings.at(-1)) ?? { body: '' };
  const { text, facts, notes, more } = composeReply(reply, parsed, typed, limits);
  return {
    ...textResource(text, typed + (body === '' || body.startsWith('?') ? body : `:${body}`), typed),
    selection: selection ?? everything,
    facts,
    notes: [
      ...(note === undefined ? notes : [...notes, sentenceNotice(note)]),
      ...rowsInstead(reply, selection, typed),
    ],
    more,
  };
}

/** `users:1-5` shows lines of the text of a table; a model may have meant its rows. */
function rowsInstead(reply: SqliteAnswer, selection: Selection | undefined, typed: string): Notice[] {
  const window = selection?.window;
  if (reply.kind !== 'schema' || reply.sample.rows.length === 0) return [];
  if (window?.kind !== 'lines' || !window.context) return [];
  const { from = 1, to = from + 19 } = window.ranges[0] ?? {};
  const limit = Math.min(to - from + 1, MAX_SELECTED_ROWS);
  const use = `${typed}:${writeSegment(reply.table.name)}?limit=${limit}&offset=${from - 1}`;
  return [sentenceNotice(`These are lines of the text. Use ${use} for rows`, use)];
}

export function textResource(text: string, target: string, name: string): TextResource {
  const content = Buffer.from(text);
  const sha256 = createHash('sha256').update(content).digest('base64');
  return {
    kind: 'text',
    format: 'sqlite',
    bytes: memoryBytes(content, Identity.of('sqlite', { sha256 })),
    encoding: 'utf-8',
    selection: everything,
    target,
    name,
    display: 'plain',
    editable: false,
  };
}

function composeReply(
  reply: SqliteAnswer,
  { ask }: SqliteSelector,
  typed: string,
  limits: Limits,
): SqliteText {
  switch (reply.kind) {
    case 'list':
      return composeList(reply, ask.kind === 'list' ? ask.offset : 0, typed, limits);
    case 'schema':
      return composeSchema(reply, typed, limits);
    case 'row':
      return composeRow(reply);
    case 'value':
    case 'shape':
      throw new TypeError('no rows for an answer');
    case 'page':
    case 'result':
      return composeRows(reply, ask, typed, limits);
  }
}

function composeList(
  { entries, total }: Extract<SqliteAnswer, { kind: 'list' }>,
  offset: number,
  typed: string,
  limits: Limits,
): SqliteText {
  const facts = { tables: total };
  if (total === 0) return { text: '(no tables)\n', facts, notes: [] };
  const lines = entries.map(lineOf);
  const shown = Math.max(1, fitLines('', lines, limits));
  const next = offset + shown;
  const text = lines.slice(0, shown).join('');
  const isCut = entries.slice(0, shown).some(({ name }) => callableName(name) === undefined);
  const notes = isCut
    ? [sentenceNotice('Names that end in … are cut; read such a table with ?q=SELECT')]
    : [];
  if (next >= total) return { text, facts, notes };
  const use = `${typed}?limit=${MAX_SELECTED_ROWS}&offset=${next}`;
  return {
    text,
    facts,
    notes,
    more: continuation(`tables ${offset + 1}-${next} of ${total}`, use, `offset=${next}`),
  };
}

/** The line of a table. A name that is too long for a call is truncated. */
function lineOf(entry: ListEntry): string {
  return `${callableName(entry.name) ?? showName(entry.name)} (${describe(entry)})\n`;
}

/** The description of a table: "12 rows", "view", "virtual table, 3 rows". */
function describe({ type, count, damaged, unreadable }: ListEntry): string {
  const words = type === 'table' ? [] : [type as string];
  if (damaged !== undefined) words.push('damaged');
  else if (unreadable !== undefined) words.push(`not readable: ${showName(unreadable)}`);
  else if (count) words.push(`${count.exact ? '' : 'at least '}${plural(count.rows, 'row')}`);
  else if (type !== 'view') words.push('not counted');
  return words.join(', ');
}

/** The stored statements, then sample rows. The text may be large and is windowed like any other. */
function composeSchema(
  reply: Extract<SqliteAnswer, { kind: 'schema' }>,
  typed: string,
  limits: Limits,
): SqliteText {
  const { table, statements, sample, count, unreadable } = reply;
  const sql = statements.map((statement) => `${showBytes(statement).trimEnd()};\n`).join('');
  const facts = { table: showName(table.name), type: table.type, rows: count?.rows, exact: count?.exact };
  if (unreadable) {
    const notes = [sentenceNotice(`Its rows cannot be read: ${showName(unreadable.message)}`)];
    return { text: sql, facts, notes };
  }
  const above = sql === '' ? '' : `${sql}\n`;
  const shown = sample.rows.length;
  if (shown === 0) return { text: `${above}(no rows)\n`, facts, notes: [] };
  const unbounded = { ...limits, bytes: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY };
  const page = fitRowPage(sample, 0, unbounded);
  const address = `${typed}:${writeSegment(table.name)}`;
  const call = (limit: number, offset: number): string => `${address}?limit=${limit}&offset=${offset}`;
  const notes = cutNotes(page, sample.rows, { address, key: table.key, call });
  if (!sample.more) return { text: above + page.text, facts, notes };
  const more = continuation(`rows 1-${shown}${ofTotal(count, shown)}`, call(20, shown), `offset=${shown}`);
  return { text: above + page.text, facts, notes, more };
}

function composeRow({ table, by, rows }: Extract<SqliteAnswer, { kind: 'row' }>): SqliteText {
  const [cells = []] = rows.rows;
  const facts = { table: showName(table.name), type: table.type, key: showName(by) };
  const text = wholeRow(rows.columns, cells);
  if (!table.composite) return { text, facts, notes: [] };
  const columns = showName(table.composite.join(', '));
  const why = `${showName(table.name)} has a primary key of several columns (${columns}); the number was taken as ${by}`;
  return { text, facts, notes: [sentenceNotice(why)] };
}

function composeRows(
  reply: Extract<SqliteAnswer, { kind: 'page' | 'result' }>,
  ask: SqliteRequest,
  typed: string,
  limits: Limits,
): SqliteText {
  if (ask.kind !== 'query' && ask.kind !== 'sql') throw new TypeError('rows that nobody asked for');
  const { offset, limit } = ask;
  const { rows } = reply;
  const { table, count, rowids } = reply.kind === 'page' ? reply : {};
  const address = table ? `${typed}:${writeSegment(table.name)}` : typed;
  const after = 'after' in ask ? ask.after : undefined;
  const lost = reply.kind === 'page' ? (reply.lost ?? []) : [];
  const ending = lost.find(({ after: row }) => row !== undefined && row === rowids?.at(-1));
  const afterRow = (index: number): string | undefined =>
    index === rows.rows.length ? cursorBehind({ rowids, lost }) : rowids?.[index - 1];
  const from = (index: number): string => windowAt(offset + index, index === 0 ? after : afterRow(index));
  const call = (most: number, index: number): string => `${address}?${parametersOf(ask, most, from(index))}`;
  const page = fitRowPage(rows, offset, limits);
  const end = offset + page.shown;
  const facts = {
    table: table ? showName(table.name) : undefined,
    type: table?.type,
    rows: page.shown > 0 ? { from: offset + 1, to: end } : undefined,
    total: count?.rows,
    exact: count?.exact,
  };
  if (page.shown === 0) {
    const text = `${page.text}(no rows)\n`;
    if (!count?.exact || offset === 0) return { text, facts, notes: [] };
    const last = `${address}?${parametersOf(ask, limit, windowAt(Math.max(0, count.rows - limit)))}`;
    const beyond = `offset ${offset} is beyond the last of ${count.rows} rows`;
    const why = `${after === undefined ? beyond : `no row follows ${after}`}. Use ${last} for the end`;
    return { text, facts, notes: [sentenceNotice(why, last)] };
  }
  const isEnd = page.shown === rows.rows.length;
  const notes = [
    ...cutNotes(page, rows.rows, { address, key: table?.key, call }),
    ...lost.filter((one) => isEnd || one !== ending).map(lostNote),
    ...(isEnd && rows.damaged !== undefined && !ending
      ? [sentenceNotice(`What follows was ${NOT_READ}`)]
      : []),
  ];
  if (!rows.more && isEnd) return { text: page.text, facts, notes };
  const span = page.shown === 1 ? `row ${end}` : `rows ${offset + 1}-${end}`;
  const more = continuation(`${span}${ofTotal(count, end)}`, call(limit, page.shown), from(page.shown));
  return { text: page.text, facts, notes, more };
}

const NOT_READ = 'not read: the database is damaged there';

function lostNote({ after, before }: LostRows): Notice {
  const first = after === undefined ? undefined : BigInt(after) + 1n;
  const last = before === undefined ? undefined : BigInt(before) - 1n;
  const span =
    first === undefined ? `up to ${last}` : last === undefined ? `from ${first} on` : `${first} to ${last}`;
  return sentenceNotice(`Rows with the rowids ${span} were ${NOT_READ}`);
}

function windowAt(offset: number, after?: string): string {
  return `offset=${offset}${after === undefined ? '' : `&after=${after}`}`;
}

/** The parameters of the same call with another window. The SQL comes last because it extends to the end. */
function parametersOf(
  ask: Extract<SqliteRequest, { kind: 'query' | 'sql' }>,
  limit: number,
  from: string,
): string {
  const window = `limit=${limit}&${from}`;
  if (ask.kind === 'sql') return `${window}&q=${writeParameter(ask.sql)}`;
  const where = ask.where === undefined ? '' : `where=${writeParameter(ask.where)}&`;
  const order = ask.order === undefined ? '' : `order=${writeParameter(ask.order)}&`;
  const select = ask.select === undefined ? '' : `select=${writeParameter(ask.select)}&`;
  return `${where}${order}${select}${window}`;
}

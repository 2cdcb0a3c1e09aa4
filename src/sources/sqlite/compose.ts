/** Owns turning a reply into the text of an answer: as much as fits, and where to go on. */

import { createHash } from 'node:crypto';
import { memoryBytes } from '../../access/bytes.ts';
import type { Notice } from '../../render/notices.ts';
import { everything } from '../../selector/selection.ts';
import { oneLine } from '../../text/visible.ts';
import type { Limits } from '../../window/types.ts';
import type { TextResource } from '../source.ts';
import { writeParameter, writeSegment } from './address.ts';
import { MOST_ROWS } from './ask.ts';
import type { Parsed } from './ask.ts';
import { wholeRow } from './layout.ts';
import { continuation, fitLines, pageOf, said } from './page.ts';
import type { Page } from './page.ts';
import type { Cell, Count, ListEntry, Reply, Table } from './protocol.ts';
import { showBytes } from './text.ts';

type Answered = Exclude<Reply, { is: 'error' }>;

/** What an answer is made of. */
interface Composed {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes?: readonly Notice[];
  readonly more?: Notice;
}

export function compose(reply: Answered, parsed: Parsed, typed: string, limits: Limits): TextResource {
  const which = reply.is === 'schema' || reply.is === 'row' ? reply.reading : parsed.selections.length - 1;
  const composed = composeReply(reply, parsed, typed, limits);
  const { text, facts, notes = [], more } = composed;
  const body = parsed.bodies[which] ?? '';
  return {
    is: 'text',
    kind: 'sqlite',
    bytes: memoryBytes(text, `sqlite:${createHash('sha256').update(text).digest('base64')}`),
    encoding: 'utf-8',
    selection: parsed.selections[which] ?? everything,
    target: typed + (body === '' || body.startsWith('?') ? body : `:${body}`),
    name: typed,
    display: 'plain',
    editable: false,
    facts,
    notes: parsed.note === undefined ? notes : [...notes, said(parsed.note)],
    ...(more ? { more } : {}),
  };
}

function composeReply(reply: Answered, parsed: Parsed, typed: string, limits: Limits): Composed {
  switch (reply.is) {
    case 'list':
      return list(reply, parsed, typed, limits);
    case 'schema':
      return schema(reply, typed, limits);
    case 'row':
      return row(reply);
    case 'page':
    case 'result':
      return rows(reply, parsed, typed, limits);
  }
}

function list(
  { entries, total }: Extract<Answered, { is: 'list' }>,
  { ask }: Parsed,
  typed: string,
  limits: Limits,
): Composed {
  const offset = ask.do === 'list' ? ask.offset : 0;
  const facts = { tables: total };
  if (total === 0) return { text: '(no tables)\n', facts };
  const lines = entries.map((entry) => `${writeSegment(entry.name)} ${describe(entry)}\n`);
  const shown = Math.max(1, fitLines('', lines, limits));
  const next = offset + shown;
  const text = lines.slice(0, shown).join('');
  if (next >= total) return { text, facts };
  const use = `${typed}?limit=${MOST_ROWS}&offset=${next}`;
  return { text, facts, more: continuation(`tables ${offset + 1}-${next} of ${total}`, use, next) };
}

function describe({ type, count, damaged, unreadable }: ListEntry): string {
  const kind = type === 'table' ? [] : [type];
  if (damaged !== undefined) return `(${[...kind, 'damaged'].join(', ')})`;
  if (unreadable !== undefined)
    return `(${[...kind, `not readable: ${oneLine(showBytes(unreadable))}`].join(', ')})`;
  return `(${[...kind, ...(count ? [countWords(count)] : [])].join(', ') || 'not counted'})`;
}

function countWords({ rows, exact }: Count): string {
  return `${exact ? '' : 'at least '}${rows} ${rows === 1 ? 'row' : 'rows'}`;
}

/** The statements as they are stored, then samples. It is windowed like any text, for it may be large. */
function schema(reply: Extract<Answered, { is: 'schema' }>, typed: string, limits: Limits): Composed {
  const { table, statements, sample, count, unreadable } = reply;
  const sql = statements.map((statement) => `${showBytes(statement).trimEnd()};\n`).join('');
  const above = sql === '' ? '' : `${sql}\n`;
  const address = `${typed}:${writeSegment(table.name)}`;
  const facts = {
    table: showBytes(table.name),
    type: table.type,
    ...(count ? { rows: count.rows, exact: count.exact } : {}),
  };
  if (unreadable !== undefined) {
    return {
      text: sql,
      facts,
      notes: [said(`Its rows cannot be read: ${oneLine(showBytes(unreadable.message))}`)],
    };
  }
  if (sample.rows.length === 0) return { text: `${above}(no rows)\n`, facts };
  const page = pageOf(sample, 0, {
    ...limits,
    bytes: Number.POSITIVE_INFINITY,
    lines: Number.POSITIVE_INFINITY,
  });
  const shown = sample.rows.length;
  const more = sample.more
    ? continuation(`rows 1-${shown}${ofTotal(count, shown)}`, `${address}?limit=20&offset=${shown}`, shown)
    : undefined;
  return {
    text: above + page.text,
    facts,
    notes: cutNotes(page, address, table, sample.rows, 0),
    ...(more ? { more } : {}),
  };
}

function row({ table, by, rows: found }: Extract<Answered, { is: 'row' }>): Composed {
  const [cells = []] = found.rows;
  const text = wholeRow(found.columns, cells);
  const notes = table.composite
    ? [
        said(
          `${oneLine(showBytes(table.name))} has a primary key of several columns (${oneLine(showBytes(table.composite.join(', ')))}); the number was taken as ${by}`,
        ),
      ]
    : [];
  return { text, facts: { table: showBytes(table.name), type: table.type, key: by }, notes };
}

function rows(
  reply: Extract<Answered, { is: 'page' | 'result' }>,
  parsed: Parsed,
  typed: string,
  limits: Limits,
): Composed {
  const { ask } = parsed;
  if (ask.do !== 'query' && ask.do !== 'sql') throw new Error('rows that nobody asked for');
  const { offset, limit } = ask;
  const count = reply.is === 'page' ? reply.count : undefined;
  const table = reply.is === 'page' ? reply.table : undefined;
  const address = table ? `${typed}:${writeSegment(table.name)}` : typed;
  const call = (rowLimit: number, from: number): string =>
    `${address}?${parametersOf(parsed, rowLimit, from)}`;
  const page = pageOf(reply.rows, offset, limits);
  const end = offset + page.shown;
  const facts = {
    ...(table && { table: showBytes(table.name), type: table.type }),
    rows: { from: offset + 1, to: end },
    ...(count && { total: count.rows, exact: count.exact }),
  };
  if (page.shown === 0) {
    const total =
      count?.exact && offset > 0
        ? [said(beyond(offset, count.rows, call(limit, Math.max(0, count.rows - limit))))]
        : [];
    return { text: `${page.text}(no rows)\n`, facts, notes: total };
  }
  const hasMore = reply.rows.more || page.shown < reply.rows.rows.length;
  const notes = table
    ? cutNotes(page, address, table, reply.rows.rows, offset, call)
    : cutNotes(page, address, undefined, reply.rows.rows, offset, call);
  if (!hasMore) return { text: page.text, facts, notes };
  const span = page.shown === 1 ? `row ${end}` : `rows ${offset + 1}-${end}`;
  return {
    text: page.text,
    facts,
    notes,
    more: continuation(`${span}${ofTotal(count, end)}`, call(limit, end), end),
  };
}

function beyond(offset: number, total: number, use: string): string {
  return `offset ${offset} is beyond the last of ${total} rows. Use ${use} for the end`;
}

function ofTotal(count: Count | undefined, end: number): string {
  if (!count) return '';
  return count.exact ? ` of ${count.rows}` : ` of at least ${Math.max(count.rows, end + 1)}`;
}

/** The parameters of the same call with another window. The SQL stands last, for it takes all that follows. */
function parametersOf({ ask }: Parsed, limit: number, offset: number): string {
  const window = `limit=${limit}&offset=${offset}`;
  if (ask.do === 'sql') return `${window}&q=${writeParameter(ask.sql)}`;
  if (ask.do !== 'query') return window;
  const where = ask.where === undefined ? '' : `where=${writeParameter(ask.where)}&`;
  const order = ask.order === undefined ? '' : `order=${writeParameter(ask.order)}&`;
  return `${where}${order}${window}`;
}

/** Where to see in full what was cut: the first such row by its key, or by its place. */
function cutNotes(
  { cut }: Page,
  address: string,
  table: Table | undefined,
  shown: readonly (readonly Cell[])[],
  offset: number,
  call: (limit: number, offset: number) => string = (limit, from) =>
    `${address}?limit=${limit}&offset=${from}`,
): Notice[] {
  const [first] = cut;
  if (first === undefined) return [];
  const key = table?.key?.column === undefined ? undefined : keyOf(shown[first]?.[table.key.column]);
  const use = key === undefined ? call(1, offset + first) : `${address}:${key}`;
  return [said(`Values that end in … are cut. Use ${use} for a whole row`, use)];
}

/** A value that names its row in a path: text that is whole, or an integer. */
function keyOf(cell: Cell | undefined): string | undefined {
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'object' && cell?.is === 'text' && !cell.clipped && cell.text !== '')
    return writeSegment(cell.text);
  return undefined;
}

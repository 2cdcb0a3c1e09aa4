/**
 * Owns the words after a database's path: "users:42" → a row, "users?limit=5" → rows, "?q=select 1" → SQL. What
 * they name is only known where the schema is, so a plain word has several readings, in the order they are tried.
 */

import { parseSelection } from '../../selector/selection.ts';
import type { Selection } from '../../selector/selection.ts';
import { readParameter } from './address.ts';
import type { Ask, Reading } from './protocol.ts';
import { Refusal } from './refusal.ts';
import { checkWhere } from './where.ts';

/** Rows of a query that names no limit, and the most that one may name. */
export const DEFAULT_ROWS = 20;
export const MOST_ROWS = 500;

/** Sample rows below a schema. */
const SAMPLES = 5;

/** Places where a table's name may end and a key begin: a key may be full of colons, a name hardly. */
const MOST_SPLITS = 16;

export interface Parsed {
  readonly ask: Ask;
  /** The generic selector at the end; for a `find`, one for each reading. */
  readonly selections: readonly (Selection | undefined)[];
  /** `rest` without that selector, for the same reading. */
  readonly bodies: readonly string[];
  /** Something about how the words were read that the caller should know. */
  readonly note?: string;
}

/** Throws `BAD_QUERY`. */
export function parseRest(rest: string): Parsed {
  if (rest === '') return { ask: listAsk(), selections: [undefined], bodies: [''] };
  const mark = rest.indexOf('?');
  if (mark !== -1) return parseQuery(rest, mark);
  return parseFind(rest);
}

function parseFind(rest: string): Parsed {
  const readings: Reading[] = [];
  const selections: (Selection | undefined)[] = [];
  const bodies: string[] = [];
  const stripped = KEY_LIKE.test(rest) ? [] : tails(rest);
  for (const { body, selection } of [{ body: rest, selection: undefined }, ...stripped]) {
    for (const reading of readingsOf(body)) {
      readings.push(reading);
      selections.push(selection);
      bodies.push(body);
    }
  }
  const whole = selectionOf(rest);
  return {
    ask: {
      do: 'find',
      readings,
      sample: SAMPLES,
      ...(whole ? { orList: { limit: MOST_ROWS, offset: 0 } } : {}),
    },
    selections: [...selections, whole],
    bodies: [...bodies, ''],
  };
}

/** The whole as a table's name, then ever shorter names with the rest as key. */
function readingsOf(body: string): Reading[] {
  const colons = Array.from(body.matchAll(/:/g), (match) => match.index).slice(0, MOST_SPLITS);
  const keyed = colons.toReversed().map((at) => ({ table: body.slice(0, at), key: body.slice(at + 1) }));
  return [{ table: body }, ...keyed];
}

/** A number is a key, also of a row that does not exist: never a line of the schema. */
const KEY_LIKE = /:-?\d+$/;

/** The ways to take a generic selector off the end: `:raw`, `:5-10`, `:5-10:raw`. */
function tails(rest: string): { body: string; selection: Selection }[] {
  const last = rest.lastIndexOf(':');
  const before = rest.lastIndexOf(':', last - 1);
  return [last, before].flatMap((at) => {
    const selection = at > 0 ? selectionOf(rest.slice(at + 1)) : undefined;
    return selection ? [{ body: rest.slice(0, at), selection }] : [];
  });
}

/** What is no selector, or a wrong one, may still be a key: `users:0`. */
function selectionOf(text: string): Selection | undefined {
  try {
    return parseSelection(text);
  } catch {
    return undefined;
  }
}

/**
 * Parameters, with or without a table. A colon and a selector at their end are never part of them: in SQL that would
 * be a parameter to bind, and there are none.
 */
function parseQuery(rest: string, mark: number): Parsed {
  const [tail] = tails(rest).filter(({ body }) => body.length > mark);
  const body = tail?.body ?? rest;
  const table = rest.slice(0, mark);
  const parameters = splitParameters(body.slice(mark + 1), table === '');
  const limit = number(parameters, 'limit', 1);
  const offset = number(parameters, 'offset', 0) ?? 0;
  const selected = { selections: [tail?.selection], bodies: [body] };
  if (table !== '') {
    const { where, order, note } = conditions(parameters);
    const rows = Math.min(limit ?? DEFAULT_ROWS, MOST_ROWS);
    return { ask: { do: 'query', table, ...where, ...order, limit: rows, offset }, ...selected, ...note };
  }
  const rows = Math.min(limit ?? MOST_ROWS, MOST_ROWS);
  const q = parameters.get('q');
  if (q === undefined) return { ask: { ...listAsk(), limit: rows, offset }, ...selected };
  const { text, doubtful } = readParameter(q);
  if (text.trim() === '')
    throw bad('q is empty; it takes one SQL statement that reads', '?q=select name from sqlite_schema');
  if (text.includes('\0')) throw bad('q may not hold NUL');
  return { ask: { do: 'sql', sql: text, limit: rows, offset }, ...selected, ...noteOf(doubtful, 'q') };
}

function conditions(parameters: ReadonlyMap<string, string>) {
  const typed = parameters.get('where');
  const where = typed === undefined ? undefined : readParameter(typed);
  if (where) checkWhere(where.text);
  const order = parameters.get('order');
  if (order?.trim() === '') throw bad('order is empty; it takes a column, or column:desc');
  return {
    where: where ? { where: where.text } : {},
    order: order === undefined ? {} : { order: readParameter(order).text },
    note: noteOf(where?.doubtful ?? false, 'where'),
  };
}

const FOR_TABLES = ['limit', 'offset', 'order', 'where'];
const FOR_DATABASES = ['limit', 'offset', 'q'];

/** Name to value as typed. `q` takes all that follows it, for SQL may hold `&`. */
function splitParameters(text: string, isDatabase: boolean): Map<string, string> {
  const known = isDatabase ? FOR_DATABASES : FOR_TABLES;
  const found = new Map<string, string>();
  for (let left = text; left !== '';) {
    const [, name = '', value = ''] = /^([^=&]*)(?:=([^&]*))?/.exec(left) ?? [];
    const all = isDatabase && name === 'q' ? left.slice('q='.length) : value;
    if (!known.includes(name)) throw unknownParameter(name, known, isDatabase);
    if (found.has(name)) throw bad(`${name} is given twice`);
    found.set(name, all);
    left = left.slice(name.length + (left[name.length] === '=' ? 1 : 0) + all.length + 1);
  }
  return found;
}

function unknownParameter(name: string, known: readonly string[], isDatabase: boolean): Refusal {
  if (name === 'q')
    return bad('q asks the database and cannot be combined with a table; put the table into the SQL');
  if (isDatabase && FOR_TABLES.includes(name)) return bad(`${name} needs a table before the question mark`);
  return bad(`Unknown parameter ${name}; there are ${known.join(', ')} (an & inside a value is written %26)`);
}

function number(parameters: ReadonlyMap<string, string>, name: string, least: number): number | undefined {
  const typed = parameters.get(name);
  if (typed === undefined) return undefined;
  const value = Number(typed);
  if (!/^\d+$/.test(typed) || value < least || !Number.isSafeInteger(value)) {
    throw bad(`${name} is a whole number from ${least}, not ${typed || 'nothing'}`);
  }
  return value;
}

function listAsk(): Extract<Ask, { do: 'list' }> {
  return { do: 'list', limit: MOST_ROWS, offset: 0 };
}

function noteOf(doubtful: boolean, name: string): { note?: string } {
  if (!doubtful) return {};
  return {
    note: `${name} has blanks, so its %XX were taken as they are; percent-encode all of it to have them decoded`,
  };
}

/** `rest` is what would follow the path in a call that works. */
function bad(message: string, rest?: string): Refusal {
  return new Refusal('BAD_QUERY', message, rest);
}

/**
 * Parses the selector after the path of a database: "users:42" → a row, "users?limit=5" → rows, "?q=select 1" → SQL. Only the
 * schema can tell what the words name, so there are several readings, in the order in which they are tried.
 */

import { parseSelection } from '../../selector/selection.ts';
import type { Selection } from '../../types/excerpt.ts';
import { echo, SqliteRefusal, type SqliteRequest, type TableReading } from './protocol.ts';
import { readParameter } from './stored-text.ts';

const DEFAULT_SELECTED_ROWS = 20;
export const MAX_SELECTED_ROWS = 500;

const SAMPLES = 5;

/** The most colons that are tried as the end of the table's name; a key may contain many. */
const MAX_TABLE_NAME_COLONS = 16;

export interface SqliteSelector {
  readonly ask: SqliteRequest;
  /** The generic selector after the words: for `find` one per reading, then one for the list. */
  readonly endings: readonly Ending[];
  /** A note for the caller on how the words were interpreted. */
  readonly note?: string | undefined;
}

interface Ending {
  readonly body: string;
  readonly selection?: Selection | undefined;
}

/** Throws Refusal (`BAD_QUERY`). */
export function parseSqliteSelector(rest: string): SqliteSelector {
  if (rest === '') return { ask: LIST, endings: [{ body: '' }] };
  const mark = rest.indexOf('?');
  return mark === -1 ? parseFind(rest) : parseQuery(rest, mark);
}

const LIST: Extract<SqliteRequest, { kind: 'list' }> = { kind: 'list', limit: MAX_SELECTED_ROWS, offset: 0 };

/** A number after a table is always a key, even if no such row exists, never a line of the schema. */
const KEY_LIKE = /:-?\d+$/;

function parseFind(rest: string): SqliteSelector {
  const whole = { body: rest };
  const isKey = KEY_LIKE.test(rest);
  const readings = [whole, ...selectorsOff(rest)].flatMap((ending) =>
    readingsOf(ending.body)
      .filter(({ key }) => ending === whole || !isKey || key !== undefined)
      .map((reading) => ({ reading, ending })),
  );
  const selection = selectionOf(rest);
  return {
    ask: {
      kind: 'find',
      readings: readings.map(({ reading }) => reading),
      sample: SAMPLES,
      orList: selection ? LIST : undefined,
    },
    endings: [...readings.map(({ ending }) => ending), { body: '', selection }],
  };
}

/** The readings: the whole as a table's name, then ever shorter names with the rest as key. */
function readingsOf(body: string): TableReading[] {
  const colons = Array.from(body.matchAll(/:/g), (match) => match.index).slice(0, MAX_TABLE_NAME_COLONS);
  const keyed = colons.toReversed().map((at) => ({ table: body.slice(0, at), key: body.slice(at + 1) }));
  return [{ table: body }, ...keyed];
}

/** The ways to split a generic selector off the end: `:raw`, `:5-10`, `:5-10:raw`. */
function selectorsOff(rest: string): Ending[] {
  const last = rest.lastIndexOf(':');
  const before = rest.lastIndexOf(':', last - 1);
  return [last, before].flatMap((at) => {
    const selection = at > 0 ? selectionOf(rest.slice(at + 1)) : undefined;
    return selection ? [{ body: rest.slice(0, at), selection }] : [];
  });
}

/** Undefined for an invalid selector, which can still be a key: `users:0`. */
function selectionOf(text: string): Selection | undefined {
  try {
    return parseSelection(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses parameters, with or without a table. A colon with a selector at the end is not part of them; in SQL it would be a
 * bound parameter, which is not supported.
 */
function parseQuery(rest: string, mark: number): SqliteSelector {
  const ending = selectorsOff(rest).find(({ body }) => body.length > mark) ?? { body: rest };
  const table = rest.slice(0, mark);
  const parameters = splitParameters(ending.body.slice(mark + 1), table === '');
  const asked = readNumber(parameters, 'limit', 1);
  const offset = readNumber(parameters, 'offset', 0) ?? 0;
  const endings = [ending];
  if (table !== '') {
    const limit = Math.min(asked ?? DEFAULT_SELECTED_ROWS, MAX_SELECTED_ROWS);
    const typed = parameters.get('where');
    const { text: where, note } = typed === undefined ? NO_PARAMETER : readParameter('where', typed);
    if (where !== undefined) checkWhere(where);
    const order = textOf(parameters, 'order', 'it takes a column, or column:desc');
    const select = textOf(parameters, 'select', 'it takes columns, as in a,b');
    const after = readAfter(parameters);
    return { ask: { kind: 'query', table, where, order, select, limit, offset, after }, endings, note };
  }
  const limit = Math.min(asked ?? MAX_SELECTED_ROWS, MAX_SELECTED_ROWS);
  const q = parameters.get('q');
  if (q === undefined) return { ask: { kind: 'list', limit, offset }, endings };
  return { ...parseSql(q, limit, offset), endings };
}

function parseSql(q: string, limit: number, offset: number): Omit<SqliteSelector, 'endings'> {
  const { text, note } = readParameter('q', q);
  if (text.trim() === '') {
    const example = '?q=select name from sqlite_schema';
    throw new SqliteRefusal('BAD_QUERY', 'q is empty; it takes one SQL statement that reads', example);
  }
  if (text.includes('\0')) throw new SqliteRefusal('BAD_QUERY', 'q may not hold NUL');
  return { ask: { kind: 'sql', sql: text, limit, offset }, note };
}

type SqliteParameters = ReadonlyMap<string, string>;

const NO_PARAMETER = { text: undefined, note: undefined };
const FOR_TABLES = ['after', 'limit', 'offset', 'order', 'select', 'where'];
const FOR_DATABASES = ['limit', 'offset', 'q'];

/**
 * `limit`, and `offset` after it, behind a statement, where models write them. LIMIT is a reserved word, so no expression
 * ends like this; `flags&offset=4` may be one. Source: https://www.sqlite.org/lang_keywords.html
 */
const AFTER_SQL = /&limit=\d+(?:&offset=\d+)?$/;

/** The value of `where`: `&name=` outside of strings ends it. A quote that is not closed is an ordinary character. */
const CONDITION = /^(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|[^&'"]|['"]|&(?!\w+=))*/;

/** The values by name, as typed. `q` extends to the end or to `AFTER_SQL`, because SQL may contain `&`. Throws `BAD_QUERY`. */
export function splitParameters(text: string, isDatabase: boolean): SqliteParameters {
  const known = isDatabase ? FOR_DATABASES : FOR_TABLES;
  const found = new Map<string, string>();
  for (let left = text; left !== '';) {
    const [, name = '', sign = '', value = ''] = /^([^=&]*)(=?)([^&]*)/.exec(left) ?? [];
    if (!known.includes(name)) throw unknownParameter(name, known, isDatabase);
    if (found.has(name)) throw badParameter(`${name} is given twice`);
    const typed = left.slice(name.length + sign.length);
    const all =
      name === 'q'
        ? typed.replace(AFTER_SQL, '')
        : name === 'where'
          ? (CONDITION.exec(typed)?.[0] ?? value)
          : value;
    found.set(name, all);
    left = left.slice(name.length + sign.length + all.length + 1);
  }
  return found;
}

function unknownParameter(name: string, known: readonly string[], isDatabase: boolean): SqliteRefusal {
  if (name === 'q')
    return badParameter(
      'q asks the database and cannot be combined with a table; put the table into the SQL',
    );
  if (isDatabase && FOR_TABLES.includes(name))
    return badParameter(`${name} needs a table before the question mark`);
  const hint = isDatabase ? '' : ' (an & inside a condition has a blank after it)';
  return badParameter(`Unknown parameter ${echo(name)}; there are ${known.join(', ')}${hint}`);
}

/** An integer of at least `least`; undefined if absent. Throws `BAD_QUERY` for other values. */
function readNumber(parameters: SqliteParameters, name: string, least: number): number | undefined {
  const typed = parameters.get(name);
  if (typed === undefined) return undefined;
  const value = Number(typed);
  if (/^\d+$/.test(typed) && value >= least && Number.isSafeInteger(value)) return value;
  throw badParameter(`${name} is a whole number from ${least}, not ${echo(typed) || 'nothing'}`);
}

/** The cursor `after`: a rowid, which is a signed 64-bit integer. Throws `BAD_QUERY`. */
function readAfter(parameters: SqliteParameters): string | undefined {
  const typed = parameters.get('after');
  if (typed === undefined) return undefined;
  const isRowid = /^-?\d{1,19}$/.test(typed) && BigInt.asIntN(64, BigInt(typed)) === BigInt(typed);
  if (!isRowid) throw badParameter(`after is a rowid, a whole number, not ${echo(typed) || 'nothing'}`);
  if (!parameters.has('order')) return typed;
  throw badParameter('after continues rows in the order of their rowid, and takes no order; use offset');
}

/** The value of `name` as typed; its columns are checked later against the schema. Throws `BAD_QUERY` if it is empty. */
function textOf(parameters: SqliteParameters, name: string, what: string): string | undefined {
  const typed = parameters.get(name);
  if (typed === undefined) return undefined;
  const { text } = readParameter(name, typed);
  if (text.trim() === '') throw badParameter(`${name} is empty; ${what}`);
  return text;
}

function badParameter(message: string): SqliteRefusal {
  return new SqliteRefusal('BAD_QUERY', message);
}

// Validates `where=`: a single condition, without anything that ends it, comments it out or starts another clause.

/** A token of SQL: a string, a quoted name, a comment, a word or a single character. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--|\/\*|[?:@$#][\p{L}\p{N}_]*|[\p{L}_][\p{L}\p{N}_$]*|\s+|[^]/gu;

/** Keywords that are not allowed in a condition. In quotes they are ordinary names. */
const CLAUSE = new Set(
  `ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP EXCEPT GROUP HAVING INSERT INTERSECT LIMIT OFFSET ORDER
   PRAGMA REINDEX RELEASE RETURNING ROLLBACK SAVEPOINT UNION UPDATE VACUUM VALUES WINDOW`.split(/\s+/),
);

/** Throws `BAD_QUERY` unless `where` has the form of a condition. SQLite checks the rest when compiling. */
function checkWhere(where: string): void {
  if (where.trim() === '') throw badParameter('where is empty');
  let depth = 0;
  for (const [token] of where.matchAll(TOKEN)) {
    if (token === '--' || token === '/*') throw badParameter('where may not hold comments');
    if (token === ';') throw badParameter('where is one condition and may not hold ";"');
    if (token === '\0') throw badParameter('where may not hold NUL');
    if ('\'"`['.includes(token)) throw badParameter(`where has a ${token} that is not closed`);
    if (/^[?:@$#]/.test(token)) throw badParameter(`where has a parameter ${token} that nothing is bound to`);
    if (CLAUSE.has(token.toUpperCase())) {
      const word = token.toUpperCase();
      throw badParameter(
        `where is one condition and may not hold ${word}; ask with ?q=, or quote it if it is a column`,
      );
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0) throw badParameter('where has parentheses that do not match');
}

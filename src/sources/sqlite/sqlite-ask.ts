/**
 * Parses the selector after the path of a database: "users:42" → a row, "users?limit=5" → rows, "?q=select 1" → SQL. Only the
 * schema can tell what the words name, so there are several readings, in the order in which they are tried.
 */

import { parseSelection } from '../../selector/selection.ts';
import type { Selection } from '../../types/selection.ts';
import { readParameter } from './row-address.ts';
import { checkOrder, readAfter, readConditions, readNumber, splitParameters } from './parameters.ts';
import type { Ask, Reading } from './sqlite-protocol.ts';
import { Refusal } from './sqlite-refusal.ts';

/** The default and the highest limit of rows. */
const DEFAULT_ROWS = 20;
export const MOST_ROWS = 500;

/** Sample rows below a schema. */
const SAMPLES = 5;

/** The most colons that are tried as the end of the table's name; a key may contain many. */
const MOST_SPLITS = 16;

export interface Parsed {
  readonly ask: Ask;
  /** The generic selector after the words: for `find` one per reading, then one for the list. */
  readonly endings: readonly Ending[];
  /** A note for the caller on how the words were interpreted. */
  readonly note?: string;
}

interface Ending {
  /** The words without the selector. */
  readonly body: string;
  readonly selection?: Selection;
}

/** Throws Refusal (`BAD_QUERY`). */
export function parseRest(rest: string): Parsed {
  if (rest === '') return { ask: LIST, endings: [{ body: '' }] };
  const mark = rest.indexOf('?');
  return mark === -1 ? parseFind(rest) : parseQuery(rest, mark);
}

const LIST: Extract<Ask, { do: 'list' }> = { do: 'list', limit: MOST_ROWS, offset: 0 };

/** A number after a table is always a key, even if no such row exists, never a line of the schema. */
const KEY_LIKE = /:-?\d+$/;

function parseFind(rest: string): Parsed {
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
      do: 'find',
      readings: readings.map(({ reading }) => reading),
      sample: SAMPLES,
      ...(selection && { orList: LIST }),
    },
    endings: [...readings.map(({ ending }) => ending), { body: '', ...(selection && { selection }) }],
  };
}

/** The readings: the whole as a table's name, then ever shorter names with the rest as key. */
function readingsOf(body: string): Reading[] {
  const colons = Array.from(body.matchAll(/:/g), (match) => match.index).slice(0, MOST_SPLITS);
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
function parseQuery(rest: string, mark: number): Parsed {
  const ending = selectorsOff(rest).find(({ body }) => body.length > mark) ?? { body: rest };
  const table = rest.slice(0, mark);
  const parameters = splitParameters(ending.body.slice(mark + 1), table === '');
  const asked = readNumber(parameters, 'limit', 1);
  const offset = readNumber(parameters, 'offset', 0) ?? 0;
  const endings = [ending];
  if (table !== '') {
    const limit = Math.min(asked ?? DEFAULT_ROWS, MOST_ROWS);
    const { where, note } = readConditions(parameters);
    const order = checkOrder(parameters);
    const after = readAfter(parameters);
    return { ask: { do: 'query', table, ...where, ...order, limit, offset, ...after }, endings, ...note };
  }
  const limit = Math.min(asked ?? MOST_ROWS, MOST_ROWS);
  const q = parameters.get('q');
  if (q === undefined) return { ask: { do: 'list', limit, offset }, endings };
  return { ...parseSql(q, limit, offset), endings };
}

function parseSql(q: string, limit: number, offset: number): Omit<Parsed, 'endings'> {
  const { text, note } = readParameter('q', q);
  if (text.trim() === '') {
    const example = '?q=select name from sqlite_schema';
    throw new Refusal('BAD_QUERY', 'q is empty; it takes one SQL statement that reads', example);
  }
  if (text.includes('\0')) throw new Refusal('BAD_QUERY', 'q may not hold NUL');
  return { ask: { do: 'sql', sql: text, limit, offset }, ...(note !== undefined && { note }) };
}

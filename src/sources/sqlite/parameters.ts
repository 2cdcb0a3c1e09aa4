/** Parses and validates the parameters after the question mark. */

import { readParameter } from './row-address.ts';
import { echo, Refusal } from './sqlite-refusal.ts';
import { checkWhere } from './where.ts';

export type Parameters = ReadonlyMap<string, string>;

const FOR_TABLES = ['after', 'limit', 'offset', 'order', 'where'];
const FOR_DATABASES = ['limit', 'offset', 'q'];

/**
 * `limit`, and `offset` after it, behind a statement, where models write them. LIMIT is a reserved word, so no expression
 * ends like this; `flags&offset=4` may be one. Source: https://www.sqlite.org/lang_keywords.html
 */
const AFTER_SQL = /&limit=\d+(?:&offset=\d+)?$/;

/** The value of `where`: `&name=` outside of strings ends it. A quote that is not closed is an ordinary character. */
const CONDITION = /^(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|[^&'"]|['"]|&(?!\w+=))*/;

/** The values by name, as typed. `q` extends to the end or to `AFTER_SQL`, because SQL may contain `&`. Throws `BAD_QUERY`. */
export function splitParameters(text: string, isDatabase: boolean): Parameters {
  const known = isDatabase ? FOR_DATABASES : FOR_TABLES;
  const found = new Map<string, string>();
  for (let left = text; left !== '';) {
    const [, name = '', sign = '', value = ''] = /^([^=&]*)(=?)([^&]*)/.exec(left) ?? [];
    if (!known.includes(name)) throw unknownParameter(name, known, isDatabase);
    if (found.has(name)) throw bad(`${name} is given twice`);
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

function unknownParameter(name: string, known: readonly string[], isDatabase: boolean): Refusal {
  if (name === 'q')
    return bad('q asks the database and cannot be combined with a table; put the table into the SQL');
  if (isDatabase && FOR_TABLES.includes(name)) return bad(`${name} needs a table before the question mark`);
  const hint = isDatabase ? '' : ' (an & inside a condition has a blank after it)';
  return bad(`Unknown parameter ${echo(name)}; there are ${known.join(', ')}${hint}`);
}

/** An integer of at least `least`; undefined if absent. Throws `BAD_QUERY` for other values. */
export function readNumber(parameters: Parameters, name: string, least: number): number | undefined {
  const typed = parameters.get(name);
  if (typed === undefined) return undefined;
  const value = Number(typed);
  if (/^\d+$/.test(typed) && value >= least && Number.isSafeInteger(value)) return value;
  throw bad(`${name} is a whole number from ${least}, not ${echo(typed) || 'nothing'}`);
}

/** The cursor `after`: a rowid, which is a signed 64-bit integer. Throws `BAD_QUERY`. */
export function readAfter(parameters: Parameters): { after?: string } {
  const typed = parameters.get('after');
  if (typed === undefined) return {};
  const isRowid = /^-?\d{1,19}$/.test(typed) && BigInt.asIntN(64, BigInt(typed)) === BigInt(typed);
  if (!isRowid) throw bad(`after is a rowid, a whole number, not ${echo(typed) || 'nothing'}`);
  if (!parameters.has('order')) return { after: typed };
  throw bad('after continues rows in the order of their rowid, and takes no order; use offset');
}

export function readConditions(parameters: Parameters): {
  where?: { where: string };
  note?: { note: string };
} {
  const typed = parameters.get('where');
  if (typed === undefined) return {};
  const { text, note } = readParameter('where', typed);
  checkWhere(text);
  return { where: { where: text }, ...(note !== undefined && { note: { note } }) };
}

/** The order as typed; its column is checked later against the schema. Throws `BAD_QUERY` if it is empty. */
export function checkOrder(parameters: Parameters): { order?: string } {
  const typed = parameters.get('order');
  if (typed === undefined) return {};
  const { text } = readParameter('order', typed);
  if (text.trim() === '') throw bad('order is empty; it takes a column, or column:desc');
  return { order: text };
}

function bad(message: string): Refusal {
  return new Refusal('BAD_QUERY', message);
}

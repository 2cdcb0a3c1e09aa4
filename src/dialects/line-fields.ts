/** Translates the line fields of other read tools to a selector. */

import { folded, type InputFields, parseNumber } from '../call/other-names.ts';
import { OrielError } from '../errors.ts';
import { useSentence } from '../text/visible.ts';

type LineFieldName = 'offset' | 'limit' | 'start_line' | 'end_line' | 'view_range';

/** The meaning of each name, in the form that `folded` returns. */
const NAMES: Readonly<Record<string, LineFieldName>> = {
  offset: 'offset',
  limit: 'limit',
  startline: 'start_line',
  linestart: 'start_line',
  start: 'start_line',
  startlineoneindexed: 'start_line',
  endline: 'end_line',
  lineend: 'end_line',
  end: 'end_line',
  endlineoneindexedinclusive: 'end_line',
  viewrange: 'view_range',
  linerange: 'view_range',
  range: 'view_range',
  lines: 'view_range',
};

type LineFields = Partial<Record<LineFieldName, unknown>>;

/**
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`. `view_range` is `[first, last]`, with -1 for the end. Throws
 * `BAD_INPUT` for invalid values, with a call for the path.
 */
export function linesToSelector(input: InputFields): InputFields {
  const { path, ...rest } = input;
  if (typeof path !== 'string') return input;
  const lines: LineFields = {};
  const others: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(rest)) {
    const key = folded(given);
    const name = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
    if (name === undefined || name in lines) others[given] = value;
    else lines[name] = value;
  }
  return { ...others, path: path + selectorOf(lines, path) };
}

/** The selector with its colon; empty without any fields. */
function selectorOf(lines: LineFields, path: string): string {
  const bad = (why: string, selector = ''): OrielError => {
    const next = path + selector;
    return new OrielError('BAD_INPUT', `${why}. ${useSentence(next)}`, { next });
  };
  const line = (name: LineFieldName): number | undefined => {
    const value = lines[name];
    if (value === undefined || value === null || value === '') return undefined;
    const number = typeof value === 'string' ? parseNumber(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0)
      return Math.min(number, Number.MAX_SAFE_INTEGER);
    // `end_line: -1` and `limit: -1` are the end of the file.
    if (number === -1 && (name === 'end_line' || name === 'limit')) return undefined;
    throw bad(`${name} is a line number, 1 or more`);
  };
  const { view_range: range } = lines;
  if (range !== undefined && range !== null && range !== '') {
    // A list and its text have the same form: `3,4`, `[3, 4]`, `3-4`.
    const [, from, to] = /^\[?(\d+)(?:, ?|-)(-1|\d+)\]?$/.exec(String(range)) ?? [];
    if (from === undefined) throw bad('view_range is [first, last]');
    return selectorOf({ start_line: from, end_line: to }, path);
  }
  const from = line('start_line') ?? line('offset');
  const count = line('limit');
  const first = Math.max(from ?? 1, 1);
  const last = line('end_line') ?? (count ? first + count - 1 : undefined);
  if (from === undefined && last === undefined) return '';
  if (last !== undefined && last < first)
    throw bad(`lines ${first} to ${last} are none: the last comes before the first`, `:${last}..${first}`);
  return `:${first}..${last ?? ''}`;
}

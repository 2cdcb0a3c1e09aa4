/** Fields for lines, as other read tools have them, as a selector behind the path. */

import { OrielError } from '../errors.ts';
import { type Fields, parseNumber } from './lenient.ts';

/** Fields that are no others of this dialect, and what they say of lines. */
const NAMES = ['offset', 'limit', 'start_line', 'end_line', 'view_range'] as const;

/**
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`; `view_range` is `[first, last]`, -1 for the end. Throws
 * `BAD_INPUT` for values that name no lines.
 */
export function linesToSelector(input: Fields): Fields {
  const { path } = input;
  if (typeof path !== 'string' || !NAMES.some((name) => name in input)) return input;
  const { offset, limit, start_line, end_line, view_range, ...others } = input;
  const [from, to] = isGiven(view_range)
    ? viewRange(view_range)
    : isGiven(start_line) || isGiven(end_line)
      ? [line('start_line', start_line), line('end_line', end_line)]
      : window(line('offset', offset), line('limit', limit));
  if (from === undefined && to === undefined) return { ...others, path };
  const first = Math.max(from ?? 1, 1);
  if (to !== undefined && to < first) {
    throw bad(`lines ${first} to ${to} are none: the last comes before the first`);
  }
  return { ...others, path: `${path}:${first}..${to ?? ''}` };
}

type Lines = readonly [from: number | undefined, to: number | undefined];

function window(offset: number | undefined, limit: number | undefined): Lines {
  if (limit === undefined || limit === 0) return [offset, undefined];
  return [offset, Math.max(offset ?? 1, 1) + limit - 1];
}

function viewRange(value: unknown): Lines {
  const list: unknown = typeof value === 'string' ? value.replace(/[[\]\s]/g, '').split(',') : value;
  if (!Array.isArray(list) || list.length !== 2) throw bad('view_range is [first, last]');
  const last = list[1] === -1 || list[1] === '-1' ? undefined : line('view_range', list[1]);
  return [line('view_range', list[0]), last];
}

function line(name: string, value: unknown): number | undefined {
  if (!isGiven(value)) return undefined;
  const number = typeof value === 'string' ? parseNumber(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) {
    return Math.min(number, Number.MAX_SAFE_INTEGER);
  }
  throw bad(`${name} is a line number, 1 or more`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function bad(why: string): OrielError {
  return new OrielError('BAD_INPUT', `${why}. Use the path alone, such as src/app.ts:50..100.`);
}

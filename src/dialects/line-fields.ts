/** Fields for lines, as other read tools have them, as a selector behind the path. */

import { OrielError } from '../errors.ts';
import { parseSelection } from '../selector/selection.ts';
import { quote } from '../text/visible.ts';
import { type Fields, isTexts, parseNumber } from './lenient.ts';
import { folded, withoutRemarks } from './other-names.ts';

/** Fields that are no others of this dialect, and what they say of lines; as `folded` gives them. */
const NAMES: Readonly<Record<string, Name>> = {
  ...same('offset', ['offset']),
  ...same('limit', ['limit', 'maxlines', 'numlines', 'linecount', 'head', 'headlines']),
  ...same('start_line', [
    'startline',
    'linestart',
    'start',
    'from',
    'fromline',
    'firstline',
    'line',
    'linenumber',
    'startlineoneindexed',
  ]),
  ...same('end_line', [
    'endline',
    'lineend',
    'end',
    'to',
    'toline',
    'lastline',
    'endlineoneindexed',
    'endlineoneindexedinclusive',
  ]),
  ...same('view_range', ['viewrange', 'range', 'linerange', 'lines']),
  ...same('tail', ['tail', 'taillines']),
  ...same('raw', ['raw']),
};

type Name = 'offset' | 'limit' | 'start_line' | 'end_line' | 'view_range' | 'tail' | 'raw';

function same(name: Name, names: readonly string[]): Record<string, Name> {
  return Object.fromEntries(names.map((other) => [other, name]));
}

/**
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`; `view_range` is `[first, last]`, -1 for the end; an offset
 * from the end is a tail. Several paths become a list. Throws `BAD_INPUT` for values that name no lines.
 */
export function linesToSelector(input: Fields): Fields {
  const { path: typed, ...rest } = withoutRemarks(input);
  const paths = typeof typed === 'string' ? [typed] : isTexts(typed) && typed.length > 1 ? typed : undefined;
  if (!paths) return input;
  const lines: Partial<Record<Name, unknown>> = {};
  const others: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(rest)) {
    const name = Object.hasOwn(NAMES, folded(given)) ? NAMES[folded(given)] : undefined;
    if (name === undefined || name in lines) others[given] = value;
    else lines[name] = value;
  }
  const selector = selectorOf(lines);
  if (selector !== '') paths.forEach(refuseTwo);
  return { ...others, path: paths.map((path) => path + selector).join(',') };
}

function selectorOf({
  offset,
  limit,
  start_line,
  end_line,
  view_range,
  tail,
  raw,
}: Partial<Record<Name, unknown>>): string {
  const mode = raw === true || raw === 'true' ? ':raw' : '';
  const last = isGiven(tail) ? line('tail', tail) : fromTheEnd(offset, limit);
  if (last !== undefined && last > 0) return `:-${last}${mode}`;
  const [from, to] = isGiven(view_range)
    ? viewRange(view_range)
    : isGiven(start_line) || isGiven(end_line)
      ? [line('start_line', start_line), lastLine(end_line) ?? endOf(start_line, limit)]
      : window(line('offset', offset), limit === -1 ? undefined : line('limit', limit));
  if (from === undefined && to === undefined) return mode;
  const first = Math.max(from ?? 1, 1);
  if (to !== undefined && to < first) {
    throw bad(`lines ${first} to ${to} are none: the last comes before the first`);
  }
  return `:${first}..${to ?? ''}${mode}`;
}

/** `-20` as an offset, alone: the last lines. */
function fromTheEnd(offset: unknown, limit: unknown): number | undefined {
  const number = typeof offset === 'string' ? parseNumber(offset) : offset;
  const isTail = typeof number === 'number' && Number.isInteger(number) && number < 0 && !isGiven(limit);
  return isTail ? -number : undefined;
}

function lastLine(value: unknown): number | undefined {
  return value === -1 || value === '-1' ? undefined : line('end_line', value);
}

function endOf(start: unknown, limit: unknown): number | undefined {
  return window(line('start_line', start), line('limit', limit))[1];
}

/** Of a path, those at which a selector may begin. */
const MOST_COLONS = 64;

/** A path that has lines or a symbol already. `log-12:30` may be a name, and `http://h:8080` is a host. */
function refuseTwo(path: string): void {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return;
  let colons = 0;
  for (let at = path.indexOf(':'); at !== -1 && colons < MOST_COLONS; at = path.indexOf(':', at + 1)) {
    colons += 1;
    const rest = path.slice(at + 1);
    if (/^\d+(?:-\d+)?$/.test(rest) && !/\.\w{1,16}$/.test(path.slice(Math.max(0, at - 20), at))) continue;
    let selection;
    try {
      selection = parseSelection(rest);
    } catch {
      return;
    }
    if (selection?.window === undefined && selection?.symbol === undefined) continue;
    const why = `The path has the selector ${quote(path.slice(at))} already, and fields for lines beside it`;
    throw new OrielError('BAD_INPUT', `${why}. Use ${quote(path)} alone.`, { next: path });
  }
}

type Lines = readonly [from: number | undefined, to: number | undefined];

function window(offset: number | undefined, limit: number | undefined): Lines {
  if (limit === undefined || limit === 0) return [offset, undefined];
  return [offset, Math.max(offset ?? 1, 1) + limit - 1];
}

function viewRange(value: unknown): Lines {
  const list: unknown =
    typeof value === 'string' ? value.replace(/[[\]\sL]/gi, '').split(/,|:|\.\.|(?<=\d)-/) : value;
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

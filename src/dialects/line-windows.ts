/** Makes the selector that is equivalent to the fields for lines, bytes and symbols. */

import { OrielError } from '../errors.ts';
import { isTexts, parseNumber } from './lenient.ts';
import { isFields, type Lines, linesIn } from './line-names.ts';

/** The selector with its colon; empty without any fields. Throws `BAD_INPUT`. */
export function selectorOf(lines: Lines): string {
  const { symbol, encoding, outline, whole, raw } = lines;
  const mode = raw === true || raw === 'true' ? ':raw' : '';
  const coded = isGiven(encoding) ? `:encoding=${text('encoding', encoding)}` : '';
  if (outline === true) return `:outline${coded}`;
  if (isGiven(symbol)) return `:${symbolsOf(symbol)}${coded}${mode}`;
  if (whole === true || whole === 'true') return `:1..${coded}${mode}`;
  return `${windowOf(lines)}${coded}${mode}`;
}

/** The window of lines or bytes as a selector with its colon; empty without any fields. Throws `BAD_INPUT`. */
export function windowOf({
  offset,
  limit,
  skip,
  start_line,
  end_line,
  view_range,
  selector,
  tail,
  start_byte,
  max_bytes,
}: Lines): string {
  if (isGiven(selector)) return `:${text('selector', selector).replace(/^:/, '')}`;
  const last = isGiven(tail) ? line('tail', tail) : fromTheEnd(offset, limit);
  if (last !== undefined && last > 0) return `:-${last}`;
  if (isGiven(max_bytes)) return `:@${line('start_byte', start_byte) ?? 0}+${line('max_bytes', max_bytes)}`;
  if (isGiven(start_byte) && line('start_byte', start_byte) !== 0)
    return `:@${line('start_byte', start_byte)}`;
  if (isGiven(view_range)) return rangesOf(view_range);
  const [from, to] =
    isGiven(start_line) || isGiven(end_line)
      ? [line('start_line', start_line), lastLine(end_line) ?? endOf(start_line, limit)]
      : window(
          isGiven(skip) ? (line('skip', skip) ?? 0) + 1 : line('offset', offset),
          limit === -1 ? undefined : line('limit', limit),
        );
  return rangeOf(from, to);
}

function rangeOf(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return '';
  const first = Math.max(from ?? 1, 1);
  if (to !== undefined && to < first) {
    throw bad(`lines ${first} to ${to} are none: the last comes before the first`, `:${to}..${first}`);
  }
  return `:${first}..${to ?? ''}`;
}

/** `[5, 8]`, `"5-8"`, `{ start: 5, end: 8 }`, or a list of those. */
function rangesOf(value: unknown): string {
  if (isFields(value)) return windowOf(linesIn(value).lines);
  if (typeof value === 'string' && value.includes('-') && value.includes(','))
    return rangesOf(value.split(','));
  const isList =
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== 'number' && isRange(one));
  if (!isList) return rangeOf(...viewRange(value));
  return `:${value.map((one) => rangesOf(one).slice(1)).join(',')}`;
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) || isFields(value) || (typeof value === 'string' && /\d\D+\d/.test(value));
}

/** `App.start` and `App/start`, or a list of those. */
function symbolsOf(value: unknown): string {
  const names = isTexts(value) ? value : [text('symbol', value)];
  return names.map((name) => `#${name.replace(/^#/, '').replaceAll('/', '.')}`).join(',');
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value.trim();
  throw bad(`${name} is a text`);
}

/** The number of last lines that a negative offset alone stands for, such as `-20`. */
function fromTheEnd(offset: unknown, limit: unknown): number | undefined {
  const number = typeof offset === 'string' ? parseNumber(offset) : offset;
  const isWhole = !isGiven(limit) || Number(limit) === -Number(number);
  const isTail = typeof number === 'number' && Number.isInteger(number) && number < 0 && isWhole;
  return isTail ? -number : undefined;
}

function lastLine(value: unknown): number | undefined {
  return value === -1 || value === '-1' ? undefined : line('end_line', value);
}

function endOf(start: unknown, limit: unknown): number | undefined {
  return window(line('start_line', start), line('limit', limit))[1];
}

type Ends = readonly [from: number | undefined, to: number | undefined];

function window(offset: number | undefined, limit: number | undefined): Ends {
  if (limit === undefined || limit === 0) return [offset, undefined];
  return [offset, Math.max(offset ?? 1, 1) + limit - 1];
}

function viewRange(value: unknown): Ends {
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

/** `next`: the selector of a valid call; empty for the whole text. */
function bad(why: string, next = ''): OrielError {
  return new OrielError('BAD_INPUT', `${why}.`, { next });
}

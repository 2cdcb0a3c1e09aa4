/** Translates the line fields of other read tools to a selector or to the fields of the tool. */

import { fieldNamed, folded, type InputFields, isTexts, parseNumber } from '../call/other-names.ts';
import { OrielError, type PathLineRange } from '../errors.ts';
import { parseSelection } from '../selector/selection.ts';
import { quote, useSentence } from '../text/visible.ts';

/** Maximum files in a list, which is the maximum of a call. */
const MAX_FIELD_PATHS = 20;

/**
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`. `view_range` is `[first, last]`, with -1 for the end; a
 * negative offset is a tail. Several paths become a list, each with its own lines. Throws `BAD_INPUT` for invalid values.
 */
export function linesToSelector(input: InputFields): InputFields {
  const { path: typed, ...rest } = input;
  const paths = pathsOf(typed);
  if (!paths) return input;
  const { lines, others } = linesIn(rest);
  const selector = selectorBehind(paths[0] as string, lines);
  if (selector !== '') paths.forEach(refuseTwo);
  const written = paths.map((path) => path + selector);
  return { ...others, path: written.join(written.some((path) => path.includes(',')) ? '\n' : ',') };
}

/** Throws `BAD_INPUT` with a call for `path`. */
function selectorBehind(path: string, lines: LineFields): string {
  try {
    return selectorOf(lines);
  } catch (error) {
    if (!(error instanceof OrielError)) throw error;
    const next = path + (error.next ?? '');
    throw new OrielError(error.code, `${error.message} ${useSentence(next)}`, { next, cause: error });
  }
}

/**
 * Translates the line fields of other tools to the line fields of this tool, which `write` makes from the first and last
 * line (1-based, inclusive). Bytes, tails and symbols are left unchanged, and the schema refuses them.
 */
function linesAsFields(
  input: InputFields,
  own: readonly string[],
  write: (first: number, last: number | undefined) => InputFields,
): InputFields {
  const kept = Object.entries(input).filter(([name]) => own.includes(name));
  const foreign = Object.fromEntries(Object.entries(input).filter(([name]) => !own.includes(name)));
  if (Object.keys(foreign).length === 0 || kept.some(([name]) => name !== 'path')) return input;
  const { lines, others } = linesIn(foreign);
  const [, first, last] = /^:(\d+)\.\.(\d*)$/.exec(windowIn(lines)) ?? [];
  if (first === undefined) return input;
  return { ...Object.fromEntries(kept), ...others, ...write(Number(first), last ? Number(last) : undefined) };
}

/** Empty for invalid values, which the schema then refuses. */
function windowIn(lines: LineFields): string {
  try {
    return windowOf(lines);
  } catch (error) {
    if (error instanceof OrielError) return '';
    throw error;
  }
}

/** `linesAsFields` for `offset` and `limit`. */
export function linesToOffset(input: InputFields): InputFields {
  return linesAsFields(
    input,
    ['path', 'offset', 'limit', 'max_line_length', 'keep', 'workspace'],
    (first, last) => ({
      offset: first,
      ...(last !== undefined && { limit: last - first + 1 }),
    }),
  );
}

/** Moves the lines that followed a path to `offset` and `limit`; undefined if these are given already. */
export function placeAsOffset<
  Input extends { readonly offset?: number | undefined; readonly limit?: number | undefined },
>(input: Input, { path, from, to }: PathLineRange): Input | undefined {
  if (input.offset !== undefined || input.limit !== undefined) return undefined;
  return { ...input, path, offset: from, ...(to !== undefined && { limit: to - from + 1 }) };
}

/** `linesAsFields` for `start_line` and `end_line`. */
export function linesToEnds(input: InputFields): InputFields {
  return linesAsFields(
    input,
    ['path', 'start_line', 'end_line', 'start_byte', 'max_bytes'],
    (first, last) => ({
      start_line: first,
      ...(last !== undefined && { end_line: last }),
    }),
  );
}

/** One path, several paths, or objects with a path and its lines: `[{ path, start_line: 5 }]`. */
function pathsOf(typed: unknown): readonly string[] | undefined {
  if (typeof typed === 'string') return [typed];
  if (isTexts(typed)) return typed.length > 1 ? typed : undefined;
  const files: readonly unknown[] = Array.isArray(typed) ? typed : [typed];
  if (files.length === 0 || files.length > MAX_FIELD_PATHS) return undefined;
  const paths = files.map((file) => (isFields(file) ? linesToSelector(withPath(file))['path'] : undefined));
  return isTexts(paths) ? paths : undefined;
}

function withPath(file: InputFields): InputFields {
  return Object.fromEntries(
    Object.entries(file).map(([name, value]) => [fieldNamed(name, ['path']) ?? name, value]),
  );
}

/** Maximum colons of a path that are tried as the beginning of a selector. */
const MAX_PATH_COLONS = 64;

/** Throws `BAD_INPUT` if the path already has a selector. `log-12:30` may be a name, and `http://h:8080` is a host. */
function refuseTwo(path: string): void {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return;
  let colons = 0;
  for (let at = path.indexOf(':'); at !== -1 && colons < MAX_PATH_COLONS; at = path.indexOf(':', at + 1)) {
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

// The names that read tools use for the fields of lines, bytes and symbols.

/** The meaning of each name, in the form that `folded` returns. */
const NAMES: Readonly<Record<string, LineFieldName>> = {
  ...same('offset', ['offset']),
  ...same('limit', [
    'limit',
    'maxlines',
    'numlines',
    'linecount',
    'head',
    'headlines',
    'count',
    'length',
    'take',
    'first',
  ]),
  ...same('skip', ['skip']),
  ...same('start_line', [
    'startline',
    'linestart',
    'start',
    'from',
    'fromline',
    'firstline',
    'line',
    'linenumber',
    'begin',
    'beginline',
    'startlineoneindexed',
    'startlinenumber',
    'linefrom',
    'minline',
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
    'endlinenumber',
    'lineto',
    'maxline',
  ]),
  ...same('view_range', [
    'viewrange',
    'range',
    'linerange',
    'lines',
    'ranges',
    'lineranges',
    'readrange',
    'position',
  ]),
  ...same('selector', ['selector', 'sel', 'window']),
  ...same('tail', ['tail', 'taillines', 'last']),
  ...same('raw', ['raw']),
  ...same('whole', ['shouldreadentirefile', 'readentirefile', 'full', 'whole', 'entire', 'entirefile']),
  ...same('outline', ['outline']),
  ...same('start_byte', ['startbyte', 'byteoffset']),
  ...same('max_bytes', ['maxbytes', 'bytes']),
  ...same('symbol', [
    'symbol',
    'symbols',
    'symbolname',
    'namepath',
    'nodepaths',
    'function',
    'class',
    'method',
  ]),
  ...same('encoding', ['encoding', 'charset']),
  ...same('column', ['column', 'character', 'col']),
};

const KNOWN = [
  ...([
    'offset',
    'limit',
    'skip',
    'start_line',
    'end_line',
    'view_range',
    'selector',
    'tail',
    'raw',
    'whole',
  ] as const),
  ...(['outline', 'start_byte', 'max_bytes', 'symbol', 'encoding', 'column'] as const),
];

type LineFieldName = (typeof KNOWN)[number];

type LineFields = Partial<Record<LineFieldName, unknown>>;

function same(name: LineFieldName, names: readonly string[]): Record<string, LineFieldName> {
  return Object.fromEntries(names.map((other) => [other, name]));
}

function isFields(value: unknown): value is InputFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Splits fields into those about lines and the others. */
function linesIn(fields: InputFields): { lines: LineFields; others: Record<string, unknown> } {
  const lines: LineFields = {};
  const others: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(fields)) {
    const folds = folded(given);
    const zeroBased = /^(start|end)linenumberbasezero$/.exec(folds)?.[1];
    const name = zeroBased
      ? (`${zeroBased}_line` as LineFieldName)
      : Object.hasOwn(NAMES, folds)
        ? NAMES[folds]
        : undefined;
    if (name === undefined || name in lines) others[given] = value;
    else lines[name] = zeroBased && typeof value === 'number' ? value + 1 : value;
  }
  return { lines, others };
}

// Makes the selector that is equivalent to the fields for lines, bytes and symbols.

/** The selector with its colon; empty without any fields. Throws `BAD_INPUT`. */
function selectorOf(lines: LineFields): string {
  const { symbol, encoding, outline, whole, raw } = lines;
  const mode = raw === true || raw === 'true' ? ':raw' : '';
  const coded = isGiven(encoding) ? `:encoding=${text('encoding', encoding)}` : '';
  if (outline === true) return `:outline${coded}`;
  if (isGiven(symbol)) return `:${symbolsOf(symbol)}${coded}${mode}`;
  if (whole === true || whole === 'true') return `:1..${coded}${mode}`;
  return `${windowOf(lines)}${coded}${mode}`;
}

/** The window of lines or bytes as a selector with its colon; empty without any fields. Throws `BAD_INPUT`. */
function windowOf({
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
}: LineFields): string {
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

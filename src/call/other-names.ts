/**
 * Corrects inputs that a schema refuses although their meaning is clear: `null` or an empty text for an optional field, numbers in quotes,
 * other names of `path`, a list of paths, line fields of other tools. The schema that models see stays strict.
 */

import { OrielError } from '../errors.ts';
import { useSentence } from '../text/visible.ts';

interface Field {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** The parts of a JSON Schema that are used here. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, Field>> | undefined;
  readonly required?: readonly string[] | undefined;
}

export type InputFields = Readonly<Record<string, unknown>>;

/** The names that other tools use for fields, in the form that `folded` returns. A field that the schema has is never renamed. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    'filepath',
    'file',
    'filename',
    'targetfile',
    'absolutepath',
    'relativepath',
    'paths',
    'relativeworkspacepath',
    'uri',
    'directory',
    'dir',
    'dirpath',
  ],
  // `find` has `pattern` and `symbol`, so a query would be ambiguous there.
  pattern: ['query', 'regex', 'glob', 'globpattern', 'filepattern', 'name'],
  glob: ['include', 'includepattern', 'filepattern'],
  ignoreCase: ['-i', 'caseinsensitive'],
  output: ['outputmode'],
  before: ['-b'],
  after: ['-a'],
  context: ['-c', 'contextlines'],
  limit: ['headlimit', 'maxresults'],
  command: ['cmd'],
  cwd: ['workdir', 'workingdirectory'],
};

/** Fields in which a model comments on its call, that show what is shown anyway, or that Gemini CLI adds to every tool. */
const REMARKS: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'reason',
  'thought',
  '-n',
  'waitforprevious',
]);

/** Values of other tools, and the equivalent values here. */
const VALUES: Readonly<Record<string, string>> = {
  content: 'matches',
  fileswithmatches: 'files',
};

/** Corrects what is clear. Anything else is left unchanged, and the schema refuses it. */
export function lenient(input: unknown, { properties = {}, required = [] }: InputSchema): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const fields: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(input)) {
    const name = properties[given] === undefined ? nameOf(given, properties) : given;
    const isTaken = name !== given && (isGiven((input as InputFields)[name]) || isGiven(fields[name]));
    const field = isTaken ? undefined : properties[name];
    if (!field && (value === null || REMARKS.has(folded(given)))) continue;
    if (field && isAbsent(value, field.type) && !required.includes(name)) continue;
    const isList = field && name === 'path' && isTexts(value) && value.length > 1;
    fields[isTaken ? given : name] = isList ? listOf(value) : field ? ofType(value, field) : value;
  }
  return fields;
}

/** Lower case, without separators; a leading dash is kept. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/(?<!^)[-_ ]/g, '');
}

/** The field that has the other name `given`; `given` itself if there is none. */
function nameOf(given: string, properties: InputFields): string {
  const name = folded(given);
  const known = Object.keys(properties);
  const other = (field: string): boolean =>
    Object.hasOwn(NAMES, field) && NAMES[field]?.includes(name) === true;
  const isAmbiguous = name === 'query' && known.includes('symbol');
  return (
    known.find((field) => folded(field) === name) ??
    (isAmbiguous ? undefined : known.findLast(other)) ??
    given
  );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value of an optional field counts as absent: `null`, an empty string, and a blank one for a field that is not a string. */
function isAbsent(value: unknown, type: unknown): boolean {
  if (typeof value !== 'string') return value === null;
  return value === '' || (type !== 'string' && value.trim() === '');
}

/** Whether it is a non-empty array of strings. */
function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

/** Several paths in one string. */
function listOf(paths: readonly string[]): string {
  return paths.join(paths.some((path) => path.includes(',')) ? '\n' : ',');
}

function ofType(value: unknown, { type, enum: allowed }: Field): unknown {
  if (allowed) return valueNamed(value, allowed);
  if (type === 'integer' || type === 'number') return numberOf(value, type);
  if (type !== 'boolean' || typeof value === 'object') return value;
  if (/^(?:true|yes|on|1)$/i.test(String(value))) return true;
  return /^(?:false|no|off|0)$/i.test(String(value)) ? false : value;
}

/** Clamps integers to the largest safe one, because no offset or count is larger. */
function numberOf(value: unknown, type: 'integer' | 'number'): unknown {
  const number = typeof value === 'string' ? parseNumber(value) : value;
  if (type === 'number' || typeof number !== 'number' || !Number.isInteger(number)) return number ?? value;
  return Math.min(number, Number.MAX_SAFE_INTEGER);
}

/** Parses a decimal number; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** The element of `allowed` that is equivalent to `value`; otherwise `value` itself. */
function valueNamed(value: unknown, allowed: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value;
  const name = folded(value);
  const other = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  return allowed.find((one) => one === name || one === other) ?? value;
}

// The line fields of other read tools, as a selector.

type LineFieldName = 'line' | 'offset' | 'limit' | 'start_line' | 'end_line' | 'view_range';

/** The meaning of each name, in the form that `folded` returns. */
const LINE_NAMES: Readonly<Record<string, LineFieldName>> = {
  line: 'line',
  linenumber: 'line',
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
 * `{ path, offset: 10, limit: 5 }` → `{ path: "…:10..14" }`. `line` alone is shown with the lines around it. `view_range` is
 * `[first, last]`, with -1 for the end. Throws `BAD_INPUT` for invalid values, with a call for the path.
 */
export function linesToSelector(input: InputFields): InputFields {
  const { path, ...rest } = input;
  if (typeof path !== 'string') return input;
  const lines: LineFields = {};
  const others: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(rest)) {
    const key = folded(given);
    const name = Object.hasOwn(LINE_NAMES, key) ? LINE_NAMES[key] : undefined;
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
    if (typeof number === 'number' && Number.isInteger(number) && name === 'offset')
      throw bad(
        'A negative offset is for the last lines and takes no limit',
        `:${Math.max(number, -Number.MAX_SAFE_INTEGER)}`,
      );
    throw bad(`${name} is a line number, 1 or more`);
  };
  const { view_range: range } = lines;
  if (range !== undefined && range !== null && range !== '') {
    // A list and its text have the same form: `3,4`, `[3, 4]`, `3-4`.
    const [, from, to] = /^\[?(\d+)(?:, ?|-)(-1|\d+)\]?$/.exec(String(range)) ?? [];
    if (from === undefined) throw bad('view_range is [first, last]');
    return selectorOf({ start_line: from, end_line: to }, path);
  }
  const place = line('line');
  const from = line('start_line') ?? line('offset') ?? place;
  const count = line('limit');
  const first = Math.max(from ?? 1, 1);
  const last = line('end_line') ?? (count ? first + count - 1 : undefined);
  if (from === undefined && last === undefined) return '';
  // A line alone is a place, as in the message of a compiler.
  if (from === place && last === undefined) return `:${first}:1`;
  if (last !== undefined && last < first)
    throw bad(`lines ${first} to ${last} are none: the last comes before the first`, `:${last}..${first}`);
  return `:${first}..${last ?? ''}`;
}

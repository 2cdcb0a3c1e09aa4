/**
 * Corrects inputs that a schema refuses although their meaning is clear: `null` for an optional field, numbers in quotes,
 * other names of `path`. The schema that models see stays strict.
 */

import { shellArgument } from '../text/visible.ts';

interface Field {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
}

/** The parts of a JSON Schema that are used here. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

export type InputFields = Readonly<Record<string, unknown>>;

/** Names of a single field that contains the fields of the call. */
const WRAPPERS = ['input', 'arguments', 'args', 'params', 'parameters'];

/** Corrects what is clear. Anything else is left unchanged, and the schema refuses it. */
export function lenient(input: unknown, { properties = {}, required = [] }: InputSchema): unknown {
  const given = fieldsOf(input, properties);
  if (!given) return input;
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named(given, properties))) {
    const field = properties[name];
    if (!field && asksNothing(name, value, Object.keys(properties))) continue;
    if (field && isAbsent(value, field.type) && !required.includes(name)) continue;
    fields[name] = field ? ofType(name === 'glob' ? anyGlob(value) : value, field) : value;
  }
  return fields;
}

/** The fields of a call, also if they are in a JSON string or inside a wrapper field. */
function fieldsOf(input: unknown, properties: InputFields): InputFields | undefined {
  const read = typeof input === 'string' ? parseObject(input) : input;
  if (!isFields(read)) return undefined;
  const [only = '', ...others] = Object.keys(read);
  const inner = read[only];
  const wrapped = others.length === 0 && WRAPPERS.includes(only) && properties[only] === undefined;
  return wrapped && isFields(inner) ? inner : read;
}

function isFields(value: unknown): value is InputFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): unknown {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Renames fields to the names of the schema, unless a field would be given twice. */
function named(input: InputFields, properties: InputFields): InputFields {
  const known = Object.keys(properties);
  const fields: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(input)) {
    const name = properties[given] === undefined ? fieldNamed(given, known) : given;
    const isTaken = name !== undefined && name !== given && (isGiven(input[name]) || isGiven(fields[name]));
    fields[name === undefined || isTaken ? given : name] = value;
  }
  return fields;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether a value counts as absent: `null`, and a blank string for a field that is not a string. */
function isAbsent(value: unknown, type: unknown): boolean {
  return value === null || (type !== 'string' && typeof value === 'string' && value.trim() === '');
}

/** Several globs as one: `["*.ts", "*.js"]` → `{*.ts,*.js}`. */
function anyGlob(value: unknown): unknown {
  if (!isTexts(value)) return value;
  return value.length === 1 ? value[0] : `{${value.join(',')}}`;
}

/** Whether it is a non-empty array of strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
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

// The names that other tools use for fields and values. A field that the schema has is never renamed.

/** The other names of each field, in the form that `folded` returns. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    'filepath',
    'file',
    'filename',
    'targetfile',
    'absolutepath',
    'relativepath',
    'paths',
    'files',
    'relativeworkspacepath',
    'uri',
    'url',
    'directory',
    'dir',
    'folder',
    'targetdirectory',
    'directorypath',
    'dirpath',
    'searchpath',
    'searchdirectory',
    'basepath',
    'root',
    'location',
  ],
  ignoreCase: ['-i', 'caseinsensitive'],
  literal: ['-f', 'fixedstrings', 'isliteral', 'literalsearch'],
  word: ['-w', 'wholeword', 'wholewords', 'wordmatch', 'matchwholeword'],
  multiline: ['-u'],
  output: ['outputmode'],
  before: ['-b', 'contextbefore', 'beforecontext', 'contextlinesbefore', 'linesbefore', 'beforelines'],
  after: ['-a', 'contextafter', 'aftercontext', 'contextlinesafter', 'linesafter', 'afterlines'],
  context: ['-c', 'contextlines', 'surroundinglines'],
  limit: ['headlimit', 'maxresults', 'maxcount', 'maxmatches', 'numresults', 'topk'],
  sort: ['sortby'],
  command: ['cmd', 'script', 'commandline', 'commands'],
  cwd: ['workdir', 'workingdirectory', 'workingdir', 'directory', 'dir', 'cd'],
  timeout: ['timeoutseconds', 'timeoutsecs', 'timeoutsec'],
};

/** More names, which are only used if the tool does not have the field `without`, which they could also mean. */
const NAMES_WITHOUT: readonly (readonly [field: string, without: string, names: readonly string[]])[] = [
  [
    'pattern',
    'symbol',
    [
      'query',
      'queries',
      'patterns',
      'regex',
      'regexp',
      'search',
      'searchpattern',
      'searchterm',
      'substringpattern',
      'text',
    ],
  ],
  [
    'pattern',
    'glob',
    ['glob', 'globs', 'globpattern', 'filepattern', 'filemask', 'name', 'filename', 'file', 'patterns'],
  ],
  [
    'glob',
    'symbol',
    ['include', 'includes', 'includepattern', 'includeglobs', 'pathsincludeglob', 'filepattern', '-g'],
  ],
  ['symbol', 'glob', ['symbolname', 'namepath']],
];

/** Lower case, without separators; a leading dash is kept. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/(?<!^)[-_ ]/g, '');
}

/** The field of `known` that has the other name `given`; undefined if there is none. */
export function fieldNamed(given: string, known: readonly string[]): string | undefined {
  const name = folded(given);
  const same = known.find((field) => folded(field) === name);
  if (same !== undefined) return same;
  const special = NAMES_WITHOUT.find(
    ([field, without, names]) => names.includes(name) && known.includes(field) && !known.includes(without),
  );
  if (special) return special[0];
  return known.find((field) => Object.hasOwn(NAMES, field) && NAMES[field]?.includes(name));
}

/** Values of other tools, and the equivalent values here. */
const VALUES: Readonly<Record<string, string>> = {
  content: 'matches',
  lines: 'matches',
  fileswithmatches: 'files',
  filesonly: 'files',
  counts: 'count',
  mtime: 'time',
  modified: 'time',
  newest: 'time',
  name: 'path',
};

/** The element of `allowed` that is equivalent to `value`; otherwise `value` itself. */
function valueNamed(value: unknown, allowed: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value;
  const name = folded(value);
  const other = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  return allowed.find((one) => one === name || one === other) ?? value;
}

/** Fields in which a model comments on its call. */
const REMARKS: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'reason',
  'reasoning',
  'thought',
  'thinking',
  'intent',
  'goal',
  'justification',
  'toolsummary',
  'toolaction',
  'taskprogress',
  'securityrisk',
  'requiresapproval',
  'waitforprevioustools',
  'withescalatedpermissions',
  'sandboxpermissions',
  'dangerouslydisablesandbox',
  '-n',
]);

/** Values that request the default behaviour, by the names of fields. */
const NOTHING: Readonly<Record<string, readonly unknown[]>> = {
  ...same([true], ['-r', '-e', '-h', '-s', '-p', 'hidden', 'includehidden', 'showhidden', 'matchperline']),
  ...same([true], ['respectgitignore', 'usedefaultexcludes', 'linenumbers', 'linenumber', 'showlinenumbers']),
  ...same(
    [true],
    ['includelinenumbers', 'withlinenumbers', 'numberlines', 'isregexp', 'isregex', 'useregex'],
  ),
  ...same([true], ['regex', 'regexp', 'includebody']),
  ...same(
    [false],
    ['isbackground', 'runinbackground', 'background', 'isurl', 'interactive', 'shouldreadentirefile'],
  ),
  ...same(
    [false],
    ['full', 'whole', 'entire', 'entirefile', 'readentirefile', 'fullpath', 'noignore', 'followsymlinks'],
  ),
  ...same([0], ['startbyte']),
  blocking: [true],
  encoding: ['utf-8', 'utf8', 'UTF-8', 'UTF8'],
  format: ['text', 'plain'],
  mode: ['slice', 'Line', 'text'],
  searchtype: ['content', 'files', 'filenames'],
  shell: ['bash', '/bin/bash', '/usr/bin/bash'],
  depth: [1],
  maxdepth: [1],
};

function same(values: readonly unknown[], names: readonly string[]): Record<string, readonly unknown[]> {
  return Object.fromEntries(names.map((name) => [name, values]));
}

/** Whether an unknown field can be ignored, because it only requests the default behaviour. */
function asksNothing(given: string, value: unknown, known: readonly string[]): boolean {
  const name = folded(given);
  if (isBlank(value) || REMARKS.has(name)) return true;
  // Searches are recursive, lists are not.
  if (name === 'recursive' || name === 'recursively') return value === known.includes('pattern');
  if (name.endsWith('depth') && known.includes('pattern')) return false;
  if (name === 'type') return value === 'file' || (value === 'f' && known.includes('pattern'));
  if (name === 'command') return value === 'view' || value === 'read';
  return Object.hasOwn(NOTHING, name) && NOTHING[name]?.includes(value) === true;
}

function isBlank(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && value !== undefined && Object.keys(value).length === 0;
}

// Translates fields of other tools whose values have another form than those of the schema.

/** Translates a field of another tool to fields of the schema; undefined for an unknown value. */
type Meaning = (value: unknown) => InputFields | undefined;

const when =
  (wanted: unknown, fields: InputFields): Meaning =>
  (value) =>
    value === wanted ? fields : undefined;

const caseSensitive: Meaning = (value) => (typeof value === 'boolean' ? { ignoreCase: !value } : undefined);
const notRegex = when(false, { literal: true });
const filesOnly = when(true, { output: 'files' });
const counts = when(true, { output: 'count' });

const OF_GREP: Readonly<Record<string, Meaning>> = {
  casesensitive: caseSensitive,
  matchcase: caseSensitive,
  isregexp: notRegex,
  isregex: notRegex,
  useregex: notRegex,
  fileswithmatches: filesOnly,
  filesonly: filesOnly,
  '-l': filesOnly,
  count: counts,
  countonly: counts,
  extension: (value) => globOf('glob', value),
  extensions: (value) => globOf('glob', value),
  ext: (value) => globOf('glob', value),
};

const OF_FIND: Readonly<Record<string, Meaning>> = {
  extension: (value) => globOf('pattern', value),
  extensions: (value) => globOf('pattern', value),
  ext: (value) => globOf('pattern', value),
};

const milliseconds: Meaning = (value) => {
  const number = typeof value === 'string' ? parseNumber(value) : value;
  return typeof number === 'number' && number > 0 ? { timeout: number / 1_000 } : undefined;
};

const OF_BASH: Readonly<Record<string, Meaning>> = {
  timeoutms: milliseconds,
  timeoutmillis: milliseconds,
  timeoutmilliseconds: milliseconds,
};

/** Translates the fields of a search, including several patterns and several paths. */
export function grepFields(input: InputFields): InputFields {
  const { pattern, path, ...others } = translated(input, OF_GREP);
  return {
    ...others,
    ...(pattern !== undefined && { pattern: others['literal'] === true ? pattern : anyOf(pattern) }),
    ...(path !== undefined && { path: isTexts(path) ? path.join('\n') : path }),
  };
}

/** Translates the fields of `find`, including several globs, and a symbol as a path of names. */
export function globFields(input: InputFields): InputFields {
  const { pattern, symbol, ...others } = translated(input, OF_FIND);
  return {
    ...others,
    ...(pattern !== undefined && { pattern: anyGlob(pattern) }),
    ...(symbol !== undefined && {
      symbol: typeof symbol === 'string' ? symbol.replaceAll('/', '.') : symbol,
    }),
  };
}

/** Translates the fields of a command, including a list of words, and milliseconds. */
export function bashFields(input: InputFields): InputFields {
  const { command, ...others } = translated(input, OF_BASH);
  return {
    ...others,
    ...(command !== undefined && { command: isTexts(command) ? commandOf(command) : command }),
  };
}

/** Translates all known fields, unless the equivalent field of the schema is given too. */
function translated(
  input: InputFields,
  meanings: Readonly<Record<string, Meaning>>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const key = folded(name);
    const meaning = Object.hasOwn(meanings, key) ? meanings[key]?.(value) : undefined;
    const isTaken = meaning && Object.keys(meaning).some((field) => input[field] !== undefined);
    Object.assign(fields, meaning && !isTaken ? meaning : { [name]: value });
  }
  return fields;
}

/** `ts`, `.ts` and `["ts", "tsx"]` as a glob. */
function globOf(field: string, value: unknown): InputFields | undefined {
  const names = typeof value === 'string' ? [value] : isTexts(value) ? value : [];
  if (names.length === 0 || !names.every((name) => /^\.?\w{1,16}$/.test(name))) return undefined;
  return { [field]: anyGlob(names.map((name) => `*.${name.replace(/^\./, '')}`)) };
}

/** Joins several regular expressions to one. */
function anyOf(value: unknown): unknown {
  if (!isTexts(value)) return value;
  return value.length === 1 ? value[0] : value.map((one) => `(?:${one})`).join('|');
}

/** `["bash", "-lc", "npm test"]` → `npm test`; other lists of words are quoted for the shell. */
function commandOf(words: readonly string[]): string {
  const [shell = '', flag = '', script, ...others] = words;
  const runs = /^(?:\/\S*\/)?(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag);
  if (runs && script !== undefined && others.length === 0) return script;
  return words.length === 1 ? shell : words.map(shellArgument).join(' ');
}

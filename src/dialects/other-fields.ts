/** Translates fields of other tools whose values have another form than those of the schema. */

import { shellArgument } from '../text/shell.ts';
import { anyGlob, type Fields, isTexts, parseNumber } from './lenient.ts';
import { folded } from './other-names.ts';

/** Translates a field of another tool to fields of the schema; undefined for an unknown value. */
type Meaning = (value: unknown) => Fields | undefined;

const when =
  (wanted: unknown, fields: Fields): Meaning =>
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
export function grepFields(input: Fields): Fields {
  const { pattern, path, ...others } = translated(input, OF_GREP);
  return {
    ...others,
    ...(pattern !== undefined && { pattern: others['literal'] === true ? pattern : anyOf(pattern) }),
    ...(path !== undefined && { path: isTexts(path) ? path.join('\n') : path }),
  };
}

/** Translates the fields of `find`, including several globs, and a symbol as a path of names. */
export function globFields(input: Fields): Fields {
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
export function bashFields(input: Fields): Fields {
  const { command, ...others } = translated(input, OF_BASH);
  return {
    ...others,
    ...(command !== undefined && { command: isTexts(command) ? commandOf(command) : command }),
  };
}

/** Translates all known fields, unless the equivalent field of the schema is given too. */
function translated(input: Fields, meanings: Readonly<Record<string, Meaning>>): Record<string, unknown> {
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
function globOf(field: string, value: unknown): Fields | undefined {
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

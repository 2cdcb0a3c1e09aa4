/** The options of the command line: one table for parsing, help, completions and docs. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { fromWorkingFolder } from '../../access/paths.ts';
import type { OrielOptions } from '../../assemble.ts';
import { type DialectName, dialectNames } from '../../dialects/table.ts';
import { OrielError } from '../../errors.ts';
import { limitNames } from '../../limits.ts';
import { quote } from '../../text/visible.ts';
import { printUnexpected } from './debug.ts';

export interface Option {
  readonly name: string;
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in help; a `DIR` is completed with directories. */
  readonly value?: string;
  /** The valid values; others are refused. */
  readonly choices?: readonly string[];
  readonly help: string;
}

const DISPLAYS = ['numbers', 'hashline', 'plain'] as const;

const cwd: Option = {
  name: 'cwd',
  type: 'string',
  value: 'DIR',
  help: 'resolve relative paths against DIR',
};

const root: Option = {
  name: 'root',
  type: 'string',
  multiple: true,
  value: 'DIR',
  help: 'read nothing outside DIR (repeatable; without it nothing is outside)',
};

const allow: Option = {
  name: 'allow',
  type: 'string',
  multiple: true,
  value: 'DIR',
  help: 'read files of the kernel below DIR (/proc) all the same (repeatable)',
};

const dialect: Option = {
  name: 'dialect',
  type: 'string',
  short: 'd',
  value: 'NAME',
  choices: dialectNames,
  help: `tool surface: ${dialectNames.join(', ')} (default oriel)`,
};

const limits: Option = {
  name: 'limits',
  type: 'string',
  short: 'l',
  value: 'NAME=N,…',
  help: `budget of one answer: ${limitNames.join(', ')}`,
};

const display: Option = {
  name: 'display',
  type: 'string',
  value: 'HOW',
  choices: DISPLAYS,
  help: 'how the dialect oriel shows lines: numbers (N|text), hashline (anchors for edits) or plain (default numbers)',
};

const json: Option = {
  name: 'json',
  type: 'boolean',
  help: 'print the whole answer as JSON, one object a line',
};

/** Where to look and how much to answer: what every tool of every dialect depends on. */
const engineOptions: readonly Option[] = [cwd, root, allow, dialect, limits];

/** Of commands that serve tools to others. */
export const servingOptions: readonly Option[] = [...engineOptions, display];

/** Of commands that call a tool and print its answer. */
export const callOptions: readonly Option[] = [...engineOptions, json];

/** Of those whose answer may show the lines of a file. */
export const readOptions: readonly Option[] = [...engineOptions, display, json];

/** Of those that describe tools. */
export const describeOptions: readonly Option[] = [dialect, limits, json];

/** What several commands take; each command lists its own. */
export const sharedOptions: readonly Option[] = readOptions;

/** What every command takes. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', type: 'boolean', help: 'print the stack of every unexpected error on stderr' },
  { name: 'help', type: 'boolean', short: 'h', help: 'show this help' },
];

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Parsed {
  readonly values: Values;
  readonly operands: readonly string[];
}

/** `command` is named in errors. Throws `BAD_INPUT` for an option or a value that does not exist. */
export function parse(args: readonly string[], command: string, options: readonly Option[]): Parsed {
  const config = Object.fromEntries(
    options.map(({ name, type, short, multiple }) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );
  const { values, positionals } = parsed(args, command, config);
  for (const option of options) refuseUnknownChoice(option, values[option.name]);
  return { values, operands: positionals };
}

function parsed(
  args: readonly string[],
  command: string,
  options: NonNullable<ParseArgsConfig['options']>,
): { values: Values; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as Values, positionals };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [sentence = ''] = message.split('. To specify');
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && /'(.+?)'/.exec(message)?.[1];
    const what = unknown ? `oriel ${command} has no option ${quote(unknown)}` : quote(sentence);
    throw new OrielError('BAD_INPUT', `${what}. Use oriel ${command} --help for its options.`, { cause });
  }
}

function refuseUnknownChoice({ name, choices }: Option, value: Values[string]): void {
  if (!choices || typeof value !== 'string' || choices.includes(value)) return;
  throw new OrielError('BAD_INPUT', `There is no ${name} ${quote(value)}. Use one of ${choices.join(', ')}.`);
}

/** What the shared options mean for the library. Throws `BAD_INPUT`. */
export function orielOptions(values: Values): OrielOptions {
  const text = (option: Option): string | undefined => values[option.name] as string | undefined;
  const list = (option: Option): readonly string[] =>
    (values[option.name] as readonly string[] | undefined) ?? [];
  const shown = text(display) as (typeof DISPLAYS)[number] | undefined;
  const chosen = text(dialect) as DialectName | undefined;
  if (shown !== undefined && (chosen ?? 'oriel') !== 'oriel') {
    throw new OrielError(
      'BAD_INPUT',
      `The dialect ${chosen} shows lines in its own way. Leave out --display, or use --dialect oriel.`,
    );
  }
  const [directory, budget] = [text(cwd), text(limits)];
  return {
    ...(directory !== undefined && { cwd: directory }),
    roots: list(root),
    allow: list(allow),
    ...(chosen !== undefined && { dialect: chosen }),
    ...(budget !== undefined && { limits: parseLimits(budget) }),
    ...(shown && { display: shown }),
    ...(values['debug'] === true && { onError: printUnexpected }),
    // The next call is another process: what this one keeps must outlive it.
    spills: { workingFolder: fromWorkingFolder(directory) },
  };
}

/** "lines=100,bytes=10K" → { lines: 100, bytes: 10240 } */
function parseLimits(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const match = /^\s*([A-Za-z]+)=(\d+)([KMG]?)\s*$/.exec(pair);
      if (!match) {
        throw new OrielError(
          'BAD_INPUT',
          `The limit ${quote(pair)} is not NAME=N. Use --limits lines=500,bytes=20K.`,
        );
      }
      const scale = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[match[3] as '' | 'K' | 'M' | 'G'];
      return [match[1] as string, Number(match[2]) * scale];
    }),
  );
}

/** How help and the manual show an option: `-l, --limits LIMITS`, and what it does. */
export function optionRow({ name, short, value, help }: Option): readonly [string, string] {
  return [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, help];
}

/** Owns the options of the command line: one table from which parsing, help, completions and docs follow. */

import { parseArgs } from 'node:util';
import { fromWorkingFolder } from '../../access/paths.ts';
import type { OrielOptions } from '../../assemble.ts';
import { dialectNames } from '../../dialects/table.ts';
import { OrielError } from '../../errors.ts';
import { limitNames } from '../../limits.ts';
import { quote } from '../../text/visible.ts';
import { printUnexpected } from './debug.ts';

export interface Option {
  readonly name: string;
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in help; a `DIR` is completed with folders. */
  readonly value?: string;
  /** The values that there are. */
  readonly choices?: readonly string[];
  readonly help: string;
}

const DISPLAYS = ['numbers', 'hashline', 'plain'] as const;

export const globalOptions: readonly Option[] = [
  { name: 'cwd', type: 'string', value: 'DIR', help: 'resolve relative paths against DIR' },
  {
    name: 'root',
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'read nothing outside DIR (repeatable; no walls without it)',
  },
  {
    name: 'allow',
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'read files of the kernel below DIR (/proc) all the same',
  },
  {
    name: 'dialect',
    type: 'string',
    short: 'd',
    value: 'NAME',
    choices: dialectNames,
    help: `tool surface: ${dialectNames.join(', ')} (default oriel)`,
  },
  {
    name: 'limits',
    type: 'string',
    short: 'l',
    value: 'NAME=N,…',
    help: `budget of one answer: ${limitNames.join(', ')}`,
  },
  {
    name: 'display',
    type: 'string',
    value: 'HOW',
    choices: DISPLAYS,
    help: 'numbers (N|text), hashline (anchors for edits) or plain (default numbers)',
  },
  { name: 'json', type: 'boolean', help: 'print the whole answer as JSON, one object a line' },
  { name: 'debug', type: 'boolean', help: 'print the stack of every unexpected error on stderr' },
  { name: 'help', type: 'boolean', short: 'h', help: 'show this help' },
];

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Parsed {
  readonly values: Values;
  readonly operands: readonly string[];
}

/** Throws `BAD_INPUT` for an option that does not exist or lacks its value. */
export function parse(args: readonly string[], options: readonly Option[]): Parsed {
  const config = Object.fromEntries(
    options.map(({ name, type, short, multiple }) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: config, allowPositionals: true });
    return { values: values as Values, operands: positionals };
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. To specify');
    throw new OrielError('BAD_INPUT', `${quote(sentence)}. Use oriel --help for the options.`, {
      cause: error,
    });
  }
}

/** What the global options mean for the library. Throws `BAD_INPUT`. */
export function orielOptions(values: Values): OrielOptions {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const list = (name: string): readonly string[] => (values[name] as readonly string[] | undefined) ?? [];
  const display = text('display');
  const known = DISPLAYS.find((name) => name === display);
  if (display !== undefined && !known) {
    throw new OrielError(
      'BAD_INPUT',
      `There is no display ${quote(display)}. Use one of ${DISPLAYS.join(', ')}.`,
    );
  }
  const cwd = text('cwd');
  const dialect = text('dialect');
  const limits = text('limits');
  return {
    ...(cwd !== undefined && { cwd }),
    roots: list('root'),
    allow: list('allow'),
    ...(dialect !== undefined && { dialect: dialect as NonNullable<OrielOptions['dialect']> }),
    ...(limits !== undefined && { limits: parseLimits(limits) }),
    ...(known && { display: known }),
    ...(values['debug'] === true && { onError: printUnexpected }),
    // The next call is another process: what this one keeps must outlive it.
    spills: { workingFolder: fromWorkingFolder(cwd) },
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

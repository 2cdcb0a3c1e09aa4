/** Parses the arguments of a command with its table of options. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { Command, Option, Parsed, Values } from './command.ts';
import { globalOptions, sharedOptions } from './option-table.ts';

/** Throws `BAD_INPUT` for an unknown option or an invalid value. */
export function parse(args: readonly string[], command: Command): Parsed {
  const options = [...command.options, ...globalOptions];
  const all = configOf(options);
  for (const [letter, meaning] of Object.entries(command.habits ?? {})) {
    if (meaning === 'default') all[`habit-${letter}`] = { type: 'boolean', short: letter };
  }
  const end = command.endsOptions ? firstOperand(args, all) : undefined;
  const upTo = end === undefined ? args.map(asOperand) : args.slice(0, end);
  const { values, positionals } = parsed(upTo, command, all);
  for (const option of options) refuseUnknownChoice(option, values[option.name]);
  return { values, operands: end === undefined ? positionals.map(asTyped) : args.slice(end) };
}

/** Marks `-:50-100` (a part of the standard input) with a NUL, because it looks like short options. */
const asOperand = (arg: string): string => (arg.startsWith('-:') ? `\0${arg}` : arg);
const asTyped = (operand: string): string => operand.replace(/^\0/, '');

type Config = NonNullable<ParseArgsConfig['options']>;

function configOf(options: readonly Option[]): Config {
  return Object.fromEntries(
    options.map(({ name, type, short, multiple }) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );
}

/** The index of the first operand; undefined if there is none. */
function firstOperand(args: readonly string[], options: Config): number | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return tokens.find(({ kind }) => kind === 'positional')?.index;
}

/** Options may also precede the command: `--json read a.txt` → `read`, `['--json', 'a.txt']`. */
export function splitCommand(args: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  const at = firstOperand(args, configOf([...sharedOptions, ...globalOptions]));
  if (at === undefined) return { name: undefined, rest: args };
  return { name: args[at], rest: [...args.slice(0, at), ...args.slice(at + 1)] };
}

function parsed(
  args: readonly string[],
  { name, habits }: Command,
  options: Config,
): { values: Values; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as Values, positionals };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [sentence = ''] = message.split('. To specify');
    const without = /^Option '(?:-\w, )?(--[\w-]+)\b.*argument (?:missing|is ambiguous)/.exec(message)?.[1];
    if (without !== undefined) {
      const words = `${without} takes a value. Use oriel ${name} --help for its options.`;
      throw new OrielError('BAD_INPUT', words, { cause });
    }
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(.+?)'/.exec(message)?.[1] : undefined;
    const habit = unknown === undefined ? undefined : habits?.[unknown.slice(1)];
    const what = unknown === undefined ? quote(sentence) : `oriel ${name} has no option ${quote(unknown)}`;
    const names = Object.keys(options).map((option) => `--${option}`);
    const near = unknown === undefined || habit !== undefined ? [] : nearNames(unknown, names);
    throw new OrielError(
      'BAD_INPUT',
      `${what}. ${habit ?? `Use oriel ${name} --help for its options.`}${didYouMean(near)}`,
      {
        cause,
      },
    );
  }
}

function refuseUnknownChoice({ name, choices }: Option, value: Values[string]): void {
  if (!choices || typeof value !== 'string' || choices.includes(value)) return;
  const near = didYouMean(nearNames(value, choices));
  throw new OrielError(
    'BAD_INPUT',
    `There is no ${name} ${quote(value)}. Use one of ${choices.join(', ')}.${near}`,
  );
}

/** A typed command, and the commands for the same call with other fields. */

import { shellArgument } from '../../text/shell.ts';
import type { Parsed } from './command.ts';

export interface Typed extends Parsed {
  /** The command: `grep`. */
  readonly name: string;
}

/** Options whose names differ from those of the fields. */
const RENAMED: Readonly<Record<string, string>> = { ignoreCase: 'ignore-case' };

/** Fields of tools that are options of commands. */
export const FIELDS: readonly string[] = [
  'after',
  'before',
  'context',
  'glob',
  'ignoreCase',
  'inside',
  'limit',
  'literal',
  'multiline',
  'offset',
  'sort',
  'symbol',
  'type',
  'word',
];

/** `ignoreCase` → `--ignore-case` */
export function optionOf(field: string): string {
  return `--${RENAMED[field] ?? field}`;
}

/** `{ literal: true }` for `oriel grep 'foo(' src` → `oriel grep --literal 'foo(' src` */
export function commandWith(fields: Readonly<Record<string, unknown>>, typed: Typed): string {
  const { pattern, path, ...options } = fields;
  const values = { ...typed.values };
  for (const [field, value] of Object.entries(options))
    values[optionOf(field).slice(2)] = value as string | boolean;
  // The first operand is the pattern, unless `--symbol` is given.
  const behind = typed.values['symbol'] === undefined ? typed.operands.slice(1) : typed.operands;
  const rest = typeof path === 'string' ? [path] : behind;
  const first = values['symbol'] === undefined ? [(pattern as string | undefined) ?? typed.operands[0]] : [];
  return commandOf({ ...typed, values, operands: [...first, ...rest].filter((word) => word !== undefined) });
}

/** The command, quoted for a shell. */
export function commandOf({ name, values, operands }: Typed): string {
  const options = Object.entries(values).flatMap(([option, value]) =>
    [value ?? []].flat().map((one) => written(option, one)),
  );
  const words = operands.map(shellArgument);
  const end = operands.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['oriel', name, ...options.filter((option) => option !== ''), ...end, ...words].join(' ');
}

/** Writes an option; habits are dropped, because they are the default behaviour. */
function written(option: string, value: string | boolean): string {
  if (option.startsWith('habit-') || value === false) return '';
  if (value === true) return `--${option}`;
  return `--${option}${value.startsWith('-') ? '=' : ' '}${shellArgument(value)}`;
}

/** The input of the completion scripts: commands and options, and the kind of completion for operands and values. */

import type { Command, Option } from '../command.ts';
import { globalOptions, sharedOptions, versionOption } from '../option-table.ts';

export interface Entry extends Pick<Command, 'name' | 'operands' | 'help' | 'options'> {
  readonly choices?: readonly string[];
}

/** Options that may follow the name of a command. */
export function optionsOf({ options }: Entry): readonly Option[] {
  return [...options, ...globalOptions];
}

/** Options that are offered before a command: those that several commands share. */
export const leadingOptions: readonly Option[] = [...sharedOptions, ...globalOptions, versionOption];

export function everyOption(commands: readonly Entry[]): readonly Option[] {
  const all = [...commands.flatMap(optionsOf), ...leadingOptions];
  return [...new Map(all.map((option) => [option.name, option])).values()];
}

/** The forms of an option: `-l` if it has a letter, and `--files`. */
export function spellings({ name, short }: Pick<Option, 'name' | 'short'>): readonly string[] {
  return short ? [`-${short}`, `--${name}`] : [`--${name}`];
}

/** The kind of completion for the value of an option. */
export function valueKind({ value = '', choices }: Option): 'directories' | 'files' | 'choices' | 'other' {
  if (choices) return 'choices';
  if (value === 'DIR') return 'directories';
  return value.endsWith('FILE') && !value.includes('=') ? 'files' : 'other';
}

/** The kind of completion for the operands of a command. */
export function operandKind({
  name,
  operands,
  choices,
}: Entry): 'choices' | 'parts' | 'command' | 'directories' | 'files' | 'none' {
  if (choices) return 'choices';
  if (name === 'read') return 'parts';
  if (operands === 'COMMAND…') return 'command';
  if (operands.startsWith('[DIR')) return 'directories';
  return operands === '' ? 'none' : 'files';
}

/** Quotes text as one word of a shell. */
export function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

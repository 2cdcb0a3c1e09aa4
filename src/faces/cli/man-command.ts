/** `oriel man`: the manual page, generated from the tables of commands and options. */

import { version } from '../../files/package-files.ts';
import { type CliCommand, type CliOption, globalOptions, optionRow, sharedOptions } from './options.ts';

/** `allCommands` is passed in, because the list of commands imports this file. */
export const manCommand = (allCommands: () => Promise<readonly CliCommand[]>): CliCommand => ({
  name: 'man',
  operands: '',
  help: 'print the manual page: oriel man | man -l -',
  options: [],
  async run(_parsed, { out }) {
    out.write(manPage(await allCommands(), version()));
    return 0;
  },
});

function manPage(commands: readonly CliCommand[], release: string): string {
  return [
    `.TH ORIEL 1 "" "oriel ${release}" "User Commands"`,
    '.SH NAME',
    'oriel \\- bounded windows onto anything a coding agent reads',
    '.SH SYNOPSIS',
    ...commands.flatMap(({ name, operands }) => [
      `.B oriel ${name}`,
      ...(operands === '' ? [] : [roff(operands)]),
      '.br',
    ]),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH OPTIONS',
    'Each command lists those of them that it takes.',
    ...[...sharedOptions, ...globalOptions].flatMap(entry),
    '.SH EXIT STATUS',
    '0 when something was found, 1 when nothing was there, 2 for an error.',
    '.SH ENVIRONMENT',
    '.TP\n.B ORIEL_TOKEN_FILE',
    'A file with the bearer token that oriel serve wants with every request.',
    '.TP\n.B ORIEL_TOKEN',
    'That token itself; not together with --allow-bash, since commands could read it.',
    '.TP\n.B NO_COLOR',
    'No colours on a terminal.',
    '',
  ].join('\n');
}

/** Describes the options of the command itself, and lists the names of shared ones. */
function section({ name, operands, help, options }: CliCommand): string[] {
  const own = options.filter((option) => !sharedOptions.includes(option));
  const shared = [...options.filter((option) => !own.includes(option)), ...globalOptions];
  return [
    `.SS oriel ${name} ${roff(operands)}`.trimEnd(),
    `${roff(help)}.`,
    ...own.flatMap(entry),
    '.PP',
    `Options: ${shared.map((option) => roff(`--${option.name}`)).join(', ')}.`,
  ];
}

function entry(option: CliOption): string[] {
  const [spelling, help] = optionRow(option);
  return ['.TP', `.B ${roff(spelling)}`, roff(help)];
}

/** Escapes text for roff: backslashes, leading dots, and dashes, which would become hyphens. */
function roff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');
}

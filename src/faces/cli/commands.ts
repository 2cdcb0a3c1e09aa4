/** The list of commands, and the help text. Commands are loaded when called, except for the two that must start fastest. */

import { existsSync } from 'node:fs';
import { OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { shellWord } from '../../text/shell.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { mcpCommand } from './mcp-command.ts';
import { globalOptions, optionRow, sharedOptions, versionOption } from './option-table.ts';
import { readCommand } from './read-command.ts';

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  read: () => Promise.resolve(readCommand),
  bash: async () => (await import('./bash-command.ts')).bashCommand,
  grep: async () => (await import('./grep-command.ts')).grepCommand,
  find: async () => (await import('./find-command.ts')).findCommand,
  ls: async () => (await import('./ls-command.ts')).lsCommand,
  call: async () => (await import('./call-command.ts')).callCommand,
  mcp: () => Promise.resolve(mcpCommand),
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  worker: async () => (await import('./worker-command.ts')).workerCommand,
  completions: async () => (await import('./completions-command.ts')).completionsCommand(allCommands),
  man: async () => (await import('./man-command.ts')).manCommand(allCommands),
  tools: async () => (await import('./tools-command.ts')).toolsCommand,
  report: async () => (await import('./report-command.ts')).reportCommand,
  inspect: async () => (await import('./inspect-command.ts')).inspectCommand,
  check: async () => (await import('./check-command.ts')).checkCommand,
};

const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Throws `BAD_INPUT` for an unknown name. */
export function loadCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return load();
  const what = name.startsWith('-') ? 'No command was given, only' : 'There is no command';
  throw new OrielError('BAD_INPUT', `${what} ${quote(name)}.${insteadOf(name)}`);
}

/** Names of commands that people type by habit, and the equivalent call. */
const HABITS: Readonly<Record<string, string>> = {
  ...named(['cat', 'open', 'show', 'view', 'less', 'more'], 'read PATH'),
  head: 'read PATH:1..20',
  tail: 'read PATH:-20',
  ...named(['tree', 'dir', 'list'], 'read DIR, or oriel ls DIR for one level'),
  ...named(['search', 'rg'], 'grep PATTERN [PATH…]'),
  ...named(['outline', 'map'], 'read PATH:outline'),
  ...named(['symbol', 'symbols'], 'find --symbol WORDS [DIR]'),
  ...named(['exec', 'run', 'sh'], 'bash COMMAND'),
  ...named(['start', 'server'], 'serve DIR, or oriel mcp DIR for a host that starts it'),
  version: '--version',
};

function named(names: readonly string[], call: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, call]));
}

function insteadOf(name: string): string {
  if (Object.hasOwn(HABITS, name)) return ` Use oriel ${HABITS[name]}.`;
  if (/[./:]/.test(name) || existsSync(name)) return ` To read it, use oriel read ${shellWord(name)}`;
  return `${didYouMean(nearNames(name, commandNames))} Use one of ${commandNames.join(', ')}; oriel help says what each does.`;
}

/** The output of help, with its width if it is a terminal. */
type Width = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

export async function generalHelp(to: Width): Promise<string> {
  const commands = await allCommands();
  const rows = commands.map(
    ({ name, operands, help }) => [`oriel ${name} ${operands}`.trimEnd(), help] as const,
  );
  rows.push(['oriel help [COMMAND]', 'list the commands, or the options of one']);
  return [
    ...lines('oriel: bounded windows onto anything a coding agent reads', to),
    '',
    'Usage:',
    ...table(rows, to),
    '',
    ...lines('Options of several commands (oriel help COMMAND lists those of one):', to),
    ...table([...sharedOptions, ...globalOptions, versionOption].map(optionRow), to),
    '',
    ...lines(
      'Exit codes: 0 found, 1 nothing there, 2 error; oriel bash ends with the code of its command.',
      to,
    ),
    '',
  ].join('\n');
}

export function commandHelp({ name, operands, help, options }: Command, to: Width): string {
  return [
    `oriel ${name} ${operands}`.trimEnd(),
    ...lines(help, to, 2),
    '',
    'Options:',
    ...table([...options, ...globalOptions].map(optionRow), to),
    '',
  ].join('\n');
}

export function allCommands(): Promise<Command[]> {
  return Promise.all(commandNames.map(loadCommand));
}

/** Minimum characters of the right column; otherwise it is put below the left one. */
const NARROW = 24;

/** Two columns. On a terminal the right one is wrapped. */
function table(rows: readonly (readonly [string, string])[], to: Width): string[] {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  const room = to.isTTY ? to.columns - left : Number.POSITIVE_INFINITY;
  return rows.map(([term, about]) => {
    if (room < NARROW) return [`  ${term}`, ...lines(about, to, 6)].join('\n');
    return `  ${term.padEnd(left - 2)}${wrap(about, room).join(`\n${' '.repeat(left)}`)}`;
  });
}

/** Wrapped on a terminal, `indent` columns from its edge. */
function lines(text: string, to: Width, indent = 0): string[] {
  const room = to.isTTY ? Math.max(NARROW, to.columns - indent) : Number.POSITIVE_INFINITY;
  return wrap(text, room).map((line) => ' '.repeat(indent) + line);
}

function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

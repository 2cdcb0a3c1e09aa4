/** The list of commands, and the help made from it. All but the two that must start fastest are loaded when called. */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Command } from './command.ts';
import { mcpCommand } from './mcp-command.ts';
import { globalOptions, optionRow, sharedOptions } from './options.ts';
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
  completions: async () => (await import('./completions-command.ts')).completionsCommand(allCommands),
  man: async () => (await import('./man-command.ts')).manCommand(allCommands),
  tools: async () => (await import('./tools-command.ts')).toolsCommand,
};

const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Throws `BAD_INPUT` for an unknown name. */
export function loadCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return load();
  throw new OrielError(
    'BAD_INPUT',
    `There is no command ${quote(name)}. Use one of ${commandNames.join(', ')}; oriel read PATH reads a file.`,
  );
}

export async function generalHelp(): Promise<string> {
  const commands = await allCommands();
  const rows = commands.map(
    ({ name, operands, help }) => [`oriel ${name} ${operands}`.trimEnd(), help] as const,
  );
  return [
    'oriel: bounded windows onto anything a coding agent reads',
    '',
    'Usage:',
    ...table(rows),
    '',
    'Options of several commands (oriel COMMAND --help lists those of one):',
    ...table([...sharedOptions, ...globalOptions].map(optionRow)),
    '',
    'Exit codes: 0 found, 1 nothing there, 2 error.',
    '',
  ].join('\n');
}

export function commandHelp({ name, operands, help, options }: Command): string {
  return [
    `oriel ${name} ${operands}`.trimEnd(),
    `  ${help}`,
    '',
    'Options:',
    ...table([...options, ...globalOptions].map(optionRow)),
    '',
  ].join('\n');
}

export function allCommands(): Promise<Command[]> {
  return Promise.all(commandNames.map(loadCommand));
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

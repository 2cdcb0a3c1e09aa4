/** The list of commands, and the help text. Commands are loaded when called, except for the two that must start fastest. */

import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { OrielError } from '../../errors.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote, shellWord } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { keepInput, SharedBudget, withTool } from './dialect-tool.ts';
import {
  type CliCommand,
  type CliOption,
  type CliStreams,
  type ExitCode,
  globalOptions,
  operandPath,
  optionRow,
  type OptionValues,
  type ParsedArguments,
  readOptions,
  sharedOptions,
  versionOption,
} from './options.ts';
import { printAnswer } from './print.ts';
import { mcpCommand } from './server-options.ts';
import { workspaceOptions } from './workspaces.ts';

const COMMANDS: Readonly<Record<string, () => Promise<CliCommand>>> = {
  read: () => Promise.resolve(readCommand),
  bash: async () => (await import('./bash-command.ts')).bashCommand,
  grep: async () => (await import('./list-commands.ts')).grepCommand,
  find: async () => (await import('./list-commands.ts')).findCommand,
  ls: async () => (await import('./list-commands.ts')).lsCommand,
  call: async () => (await import('./call-command.ts')).callCommand,
  mcp: () => Promise.resolve(mcpCommand),
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  install: async () => (await import('../install/install-command.ts')).installCommand,
  uninstall: async () => (await import('../install/install-command.ts')).uninstallCommand,
  private: async () => (await import('./private-command.ts')).privateCommand,
  worker: async () => (await import('./serve-command.ts')).workerCommand,
  completions: async () => (await import('./completions.ts')).completionsCommand(allCommands),
  man: async () => (await import('./completions.ts')).manCommand(allCommands),
  tools: async () => (await import('./call-command.ts')).toolsCommand,
  report: async () => (await import('./report-command.ts')).reportCommand,
  inspect: async () => (await import('./report-command.ts')).inspectCommand,
  check: async () => (await import('./check-command.ts')).checkCommand,
};

/** Commands that only programs start. */
const UNLISTED: typeof COMMANDS = {
  hook: async () => (await import('../hook/helper.ts')).hookCommand,
};

const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Throws `BAD_INPUT` for an unknown name. */
export function loadCommand(name: string): Promise<CliCommand> {
  const known = Object.hasOwn(UNLISTED, name) ? UNLISTED : COMMANDS;
  const load = Object.hasOwn(known, name) ? known[name] : undefined;
  if (load) return load();
  const what = name.startsWith('-') ? 'No command was given, only' : 'There is no command';
  throw new OrielError('BAD_INPUT', `${what} ${quote(name)}.${insteadOf(name)}`);
}

/** The equivalent calls of commands that people type by habit. */
const HABITS: Readonly<Record<string, string>> = {
  'cat open show view less more': 'read PATH',
  head: 'read PATH:1..20',
  tail: 'read PATH:-20',
  'tree dir list': 'read DIR, or oriel ls DIR for one level',
  'search rg': 'grep PATTERN [PATH…]',
  'outline map': 'read PATH:outline',
  'symbol symbols': 'find --symbol WORDS [DIR]',
  'exec run sh': 'bash COMMAND',
  'start server': 'serve DIR, or oriel mcp DIR for a host that starts it',
  version: '--version',
};

function insteadOf(name: string): string {
  const habits = new Map(
    Object.entries(HABITS).flatMap(([names, call]) => names.split(' ').map((one) => [one, call] as const)),
  );
  if (habits.has(name)) return ` Use oriel ${habits.get(name)}.`;
  if (/[./:]/.test(name) || existsSync(name)) return ` To read it, use oriel read ${shellWord(name)}`;
  const near = nearNames(name, [...commandNames, ...habits.keys()]).map((one) => habits.get(one) ?? one);
  return `${didYouMean([...new Set(near)])} Use one of ${commandNames.join(', ')}; oriel help says what each does.`;
}

/** The output of help, with its width if it is a terminal that tells it; else 80 columns. */
type Width = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/** One screen: what each command is for, and the options that people use. */
export async function generalHelp(to: Width, all = false): Promise<string> {
  const commands = await allCommands();
  const rows = commands.map(({ name, help }): [string, string] => [
    `oriel ${name}`,
    all ? help : help.replace(/[;:].*/s, ''),
  ]);
  rows.push(['oriel help [COMMAND]', 'list the commands, or the options of one']);
  return [
    ...lines('oriel: bounded windows onto anything a coding agent reads', to),
    '',
    ...table(rows, to),
    '',
    ...optionLines([...sharedOptions, ...globalOptions, versionOption], to, { all, command: '' }),
    '',
    ...lines('Exit codes: 0 found, 1 nothing there, 2 error; oriel bash: that of its command', to),
    '',
  ].join('\n');
}

export function commandHelp({ name, operands, help, options }: CliCommand, to: Width, all = false): string {
  return [
    `oriel ${name} ${operands}`.trimEnd(),
    ...lines(help, to, 2),
    '',
    ...optionLines([...options, ...globalOptions], to, { all, command: `${name} ` }),
    '',
  ].join('\n');
}

function optionLines(
  options: readonly CliOption[],
  to: Width,
  { all, command }: { readonly all: boolean; readonly command: string },
): string[] {
  const shown = options.filter(({ rare }) => all || !rare);
  const more = options.length - shown.length;
  return [
    'Options:',
    ...table(shown.map(optionRow), to),
    ...(more > 0 ? lines(`${more} more: oriel help ${command}--all`, to, 2) : []),
  ];
}

export async function allCommands(names = commandNames): Promise<CliCommand[]> {
  return Promise.all(names.map(loadCommand));
}

/** Minimum characters of the right column; otherwise it is put below the left one. */
const NARROW = 24;

/** Two columns, the right one wrapped. */
function table(rows: readonly (readonly [string, string])[], to: Width): string[] {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  const room = widthOf(to) - left;
  return rows.map(([term, about]) => {
    if (room < NARROW) return [`  ${term}`, ...lines(about, to, 6)].join('\n');
    return `  ${term.padEnd(left - 2)}${wrap(about, room).join(`\n${' '.repeat(left)}`)}`;
  });
}

const widthOf = (to: Width): number => (to.isTTY && to.columns) || 80;

/** Wrapped, `indent` columns from the edge. */
function lines(text: string, to: Width, indent = 0): string[] {
  const room = Math.max(NARROW, widthOf(to) - indent);
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

// Parses the arguments of a command with its table of options.

/** Throws `BAD_INPUT` for an unknown option or an invalid value. */
export function parseCommandLine(args: readonly string[], command: CliCommand): ParsedArguments {
  const options = [...command.options, ...globalOptions];
  const all = configOf(options);
  for (const [letter, meaning] of Object.entries(command.habits ?? {})) {
    if (meaning === 'default') all[`habit-${letter}`] = { type: 'boolean', short: letter };
  }
  const end = command.endsOptions ? firstOperand(args, all) : undefined;
  const upTo = end === undefined ? args.map(asOperand) : args.slice(0, end);
  const { values, positionals } = parsed(upTo, command, all);
  for (const { name, choices } of options) {
    const value = values[name];
    if (!choices || typeof value !== 'string' || choices.includes(value)) continue;
    const use = `Use one of ${choices.join(', ')}.${didYouMean(nearNames(value, choices))}`;
    throw new OrielError('BAD_INPUT', `There is no ${name} ${quote(value)}. ${use}`);
  }
  return { values, operands: end === undefined ? positionals.map(asTyped) : args.slice(end) };
}

/** Marks `-:50-100` (a part of the standard input) with a NUL, because it looks like short options. */
const asOperand = (arg: string): string => (arg.startsWith('-:') ? `\0${arg}` : arg);
const asTyped = (operand: string): string => operand.replace(/^\0/, '');

type Config = NonNullable<ParseArgsConfig['options']>;

function configOf(options: readonly CliOption[]): Config {
  return Object.fromEntries(
    options.map(({ name, value, short, multiple }) => [
      name,
      { type: value ? 'string' : 'boolean', ...(short && { short }), ...(multiple && { multiple }) },
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
  const [name] = args;
  if (name !== undefined && !name.startsWith('-')) return { name, rest: args.slice(1) };
  const at = firstOperand(args, configOf([...sharedOptions, ...globalOptions]));
  if (at === undefined) return { name: undefined, rest: args };
  return { name: args[at], rest: [...args.slice(0, at), ...args.slice(at + 1)] };
}

function parsed(
  args: readonly string[],
  { name, habits }: CliCommand,
  options: Config,
): { values: OptionValues; positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as OptionValues, positionals };
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
    const advice = habit ?? `Use oriel ${name} --help for its options.`;
    throw new OrielError('BAD_INPUT', `${what}. ${advice}${didYouMean(near)}`, { cause });
  }
}

// `oriel read`.

const SELECT =
  'oriel read shows lines N to M with FILE:N..M, the first 50 with FILE:1..50, the last with FILE:-50.';

const readCommand: CliCommand = {
  name: 'read',
  operands: 'PATH…',
  help: 'read files and directories; a path may end in a selector such as :50-100, and - is the standard input',
  options: [...readOptions, ...workspaceOptions],
  habits: { n: SELECT, c: SELECT, f: SELECT, '-limit': SELECT, '-offset': SELECT, '-lines': SELECT },
  async run({ values, operands }, streams) {
    if (operands.length === 0) {
      throw new OrielError(
        'BAD_INPUT',
        'Nothing to read. Use oriel read PATH, or oriel read . for this directory.',
      );
    }
    const budget =
      operands.length > 1 && values['json'] !== true ? new SharedBudget(values, operands.length) : undefined;
    let worst: ExitCode = 0;
    for (const operand of operands) {
      const code = await readOne(operand, budget?.next() ?? values, streams, budget);
      worst = code > worst ? code : worst;
    }
    return worst;
  },
};

async function readOne(
  operand: string,
  values: OptionValues,
  streams: CliStreams,
  budget: SharedBudget | undefined,
): Promise<ExitCode> {
  const path = await keepInput(operand, values, streams);
  return withTool('read', values, streams, async (ask) => {
    const asJson = values['json'] === true;
    if (budget) streams.out.write(`==> ${oneLine(operand)} <==\n`);
    const answer = await ask({ path: operandPath(path) }, budget && { isPart: true });
    budget?.spend(answer);
    return printAnswer(
      answer.isError && isUnmatchedGlob(operand, answer) ? withGlobHint(operand, answer) : answer,
      streams,
      asJson,
      { name: 'read', values, operands: [path] },
    );
  });
}

/** Whether the operand is a glob that the shell did not expand, because it was quoted or nothing matched. URLs and paths with parameters are not globs. */
function isUnmatchedGlob(operand: string, { details }: Answer): boolean {
  const error = details['error'] as { readonly code?: string | undefined } | undefined;
  if (/^[a-z][\w+.-]+:\/\//i.test(operand) || /\?(?:q|where|limit|offset|after|order)=/i.test(operand))
    return false;
  // A value of JSON, `x.json:#a[3]`, says itself what is missing.
  if (/\$\{|:#/.test(operand)) return false;
  return error?.code === 'NOT_FOUND' && /[*?]|\[.+\]|\{.+\}/s.test(operand);
}

function withGlobHint(operand: string, answer: Answer): Answer {
  const glob = operand.replace(/:(?![\\/])[^/]*$/, '');
  const word = shellWord(glob).startsWith("'") ? shellWord(glob) : `'${glob}'`;
  const read = glob === operand ? '; to read them, leave out the quotes' : '';
  const text = `No file is called ${operand}. To list the files that match, use oriel find ${word}${read}.`;
  return { ...answer, content: [{ type: 'text', text: oneLine(text) }] };
}

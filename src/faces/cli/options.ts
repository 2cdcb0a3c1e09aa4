/** The options of the command line: one table for parsing, help, completions and docs. */

import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { fromWorkingDirectory } from '../../access/paths.ts';
import { realDirectory } from '../../access/roots.ts';
import type { OrielOptions, TelemetrySettings } from '../../options.ts';
import { type DialectName, dialectNames } from '../../dialects/table.ts';
import { OrielError } from '../../errors.ts';
import { limitNames } from '../../limits.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { checkTelemetryFile } from '../../session/telemetry/telemetry-file.ts';
import { digest } from '../../telemetry/digest.ts';
import { quote } from '../../text/visible.ts';
import type { Command, Option, Parsed, Values } from './command.ts';
import { printUnexpected } from './debug.ts';
import { mcpServersIn } from './mcp-servers.ts';

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
  value: 'NAME',
  choices: dialectNames,
  help: `tool surface: ${dialectNames.join(', ')} (default oriel)`,
};

const limits: Option = {
  name: 'limits',
  type: 'string',
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

const agentOutputs: Option = {
  name: 'agent-outputs',
  type: 'string',
  value: 'DIR',
  help: 'read the files of DIR as agent://NAME: what other agents have left there',
};

const userFiles: Option = {
  name: 'user-files',
  type: 'boolean',
  help: "read the user's own skills and notes as skill:// and memory://, also where they are outside the roots",
};

const web: Option = {
  name: 'web',
  type: 'boolean',
  help: 'read pages of the web (servers do so only with this)',
};

const offline: Option = {
  name: 'offline',
  type: 'boolean',
  help: 'read nothing from the web',
};

const allowNet: Option = {
  name: 'allow-net',
  type: 'string',
  multiple: true,
  value: 'HOST|CIDR[:PORT]',
  help: 'read from this host or range although it is not public: localhost:8080, 10.0.0.0/8 (repeatable)',
};

const s3: Option = {
  name: 's3',
  type: 'string',
  multiple: true,
  value: 's3://BUCKET/PREFIX',
  help: 'read objects there and nowhere else; s3:// for all that the credentials may read (servers do so only with this; repeatable)',
};

const s3Endpoint: Option = {
  name: 's3-endpoint',
  type: 'string',
  value: 'URL',
  help: 'the server of s3://, in place of AWS_ENDPOINT_URL_S3: http://localhost:9000',
};

export const noCache: Option = {
  name: 'no-cache',
  type: 'boolean',
  help: 'cache nothing on disk, and use nothing that is cached there',
};

const mcpResources: Option = {
  name: 'mcp-resources',
  type: 'boolean',
  help: 'read resources of the MCP servers in .mcp.json as mcp://SERVER/URI; to read one starts its command',
};

/** What beside this machine's files may be read. */
const webOptions: readonly Option[] = [web, offline, allowNet, s3, s3Endpoint, mcpResources];

const telemetry: Option = {
  name: 'telemetry',
  type: 'string',
  value: 'FILE',
  help: 'append an event of each call to FILE, as JSON Lines without any content; oriel report FILE reads it',
};

const task: Option = {
  name: 'task',
  type: 'string',
  value: 'NAME',
  help: 'the task of calls that name none, for telemetry (default one for each session, or working directory)',
};

export const json: Option = {
  name: 'json',
  type: 'boolean',
  help: 'print the whole answer as JSON, one object a line',
};

/** Where to look and how much to answer: what every tool of every dialect depends on. */
const engineOptions: readonly Option[] = [cwd, root, allow, dialect, limits, telemetry, task];

/** Of commands that serve tools to others. */
export const servingOptions: readonly Option[] = [
  ...engineOptions,
  display,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
];

/** Of commands that call a tool and print its answer. */
export const callOptions: readonly Option[] = [...engineOptions, json];

/** Of those whose answer may show the lines of a file. */
export const readOptions: readonly Option[] = [
  ...engineOptions,
  display,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
  json,
];

/** Of those that describe tools. */
export const describeOptions: readonly Option[] = [dialect, limits, json];

/** What several commands take; each command lists its own. */
export const sharedOptions: readonly Option[] = readOptions;

/** What every command takes. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', type: 'boolean', help: 'print the stack of every unexpected error on stderr' },
  { name: 'help', type: 'boolean', short: 'h', help: 'show this help' },
];

/** Throws `BAD_INPUT` for an option or a value that does not exist. */
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

/** `-:50-100`, a part of the standard input, looks like a group of short options. No argument begins with a NUL. */
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

/** The index of the first operand; undefined where there is none. */
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

/** Options may stand before the command too: `--json read a.txt` → `read`, `['--json', 'a.txt']`. */
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
  if (values['web'] === true && values['offline'] === true) {
    throw new OrielError(
      'BAD_INPUT',
      'With --offline nothing is read from the web. Leave out --web, or --offline.',
    );
  }
  if (values['s3'] !== undefined && values['offline'] === true) {
    throw new OrielError('BAD_INPUT', 'With --offline no objects are read. Leave out --s3, or --offline.');
  }
  const [directory, budget, outputs] = [text(cwd), text(limits), text(agentOutputs)];
  if (directory !== undefined && realDirectory(fromWorkingDirectory(directory)) === undefined) {
    throw new OrielError('BAD_INPUT', `--cwd takes a directory that exists, not ${quote(directory)}.`);
  }
  return {
    ...(directory !== undefined && { cwd: directory }),
    roots: list(root),
    allow: list(allow),
    ...(chosen !== undefined && { dialect: chosen }),
    ...(budget !== undefined && { limits: parseLimits(budget) }),
    ...(shown && { display: shown }),
    ...(outputs !== undefined && { agentOutputs: outputs }),
    ...(values[userFiles.name] === true && { userFiles: true }),
    web: values['offline'] === true ? false : { allow: list(allowNet) },
    s3: values['offline'] === true ? false : s3Options(list(allowNet), list(s3), text(s3Endpoint)),
    ...(values[noCache.name] === true && { cache: false }),
    ...mcpServersIn(fromWorkingDirectory(directory), values),
    ...(values['debug'] === true && { onError: printUnexpected }),
    telemetry: telemetryOf(values, directory),
    // The next call is another process: what this one keeps must outlive it.
    spills: { workingDirectory: fromWorkingDirectory(directory) },
  };
}

function s3Options(
  allowed: readonly string[],
  urls: readonly string[],
  endpoint: string | undefined,
): NonNullable<OrielOptions['s3']> {
  const buckets = urls.map((url) => url.replace(/^s3:\/\//i, ''));
  return {
    allow: allowed,
    ...(endpoint !== undefined && { endpoint }),
    ...(buckets.length > 0 && !buckets.includes('') && { buckets }),
  };
}

/** The session of a command is its working directory. Throws `BAD_INPUT` for a file that cannot be written. */
function telemetryOf(values: Values, directory: string | undefined): TelemetrySettings | false {
  const [file, named] = [values[telemetry.name], values[task.name]] as (string | undefined)[];
  if (file === undefined) {
    if (named === undefined) return false;
    const message = 'A task is named for telemetry alone. Add --telemetry FILE, or leave out --task.';
    throw new OrielError('BAD_INPUT', message);
  }
  checkTelemetryFile(resolve(file));
  return { file, task: named ?? `directory-${digest(fromWorkingDirectory(directory))}` };
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

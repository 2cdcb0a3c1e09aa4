/** The table of options that several commands share: for parsing, help, completions and docs. */

import { dialectNames } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import { limitNames } from '../../text/limits.ts';
import { quote } from '../../text/visible.ts';

export const DISPLAYS = ['numbers', 'hashline', 'hashline@18', 'plain'] as const;

export const cwd: CliOption = {
  name: 'cwd',
  value: 'DIR',
  help: 'resolve relative paths against DIR',
};

export const root: CliOption = {
  name: 'root',
  multiple: true,
  value: 'DIR',
  help: 'read nothing outside DIR (repeatable)',
};

/** The option `--root` of servers, which always have roots. */
const serverRoot: CliOption = {
  ...root,
  help: 'read nothing outside DIR (repeatable; default the working directory)',
};

export const allow: CliOption = {
  name: 'allow',
  rare: true,
  multiple: true,
  value: 'DIR',
  help: 'read kernel files below DIR (/proc) (repeatable)',
};

export const deny: CliOption = {
  name: 'deny',
  multiple: true,
  value: 'GLOB',
  help: 'keep these files private: their names are listed, and nothing else is shown (as in .gitignore; repeatable)',
};

export const allowPrivate: CliOption = {
  name: 'allow-private',
  help: 'take away the default list of private files: .env, *.pem, id_rsa and others (oriel private lists them)',
};

export const dialect: CliOption = {
  name: 'dialect',
  value: 'NAME',
  choices: dialectNames,
  help: `tool surface: ${dialectNames.join(', ')} (default oriel)`,
};

export const limits: CliOption = {
  name: 'limits',
  value: 'NAME=N,…',
  help: `budget of one answer, such as lines=500,bytes=20K: ${limitNames.join(', ')}`,
};

export const maps: CliOption = {
  name: 'maps',
  value: 'off|SIZE',
  help: 'size of the map of a long file (default 8K); off: its text',
};

export const display: CliOption = {
  name: 'display',
  value: 'HOW',
  choices: DISPLAYS,
  help: 'lines of the dialect oriel: numbers (N|text), hashline, hashline@18 (anchors for edits), plain (default numbers)',
};

export const agentOutputs: CliOption = {
  name: 'agent-outputs',
  rare: true,
  value: 'DIR',
  help: 'read the files of DIR as agent://NAME: outputs of other agents',
};

export const userFiles: CliOption = {
  name: 'user-files',
  rare: true,
  help: "read the user's own skills and notes as skill:// and memory://, also where they are outside the roots",
};

export const web: CliOption = {
  name: 'web',
  help: 'read pages of the web (servers, and commands with --root, only with this)',
};

const offline: CliOption = {
  name: 'offline',
  rare: true,
  help: 'read nothing over the network: no pages of the web, no objects of S3',
};

export const allowNet: CliOption = {
  name: 'allow-net',
  rare: true,
  multiple: true,
  value: 'HOST|CIDR[:PORT]',
  help: 'read from this host or range although it is not public: localhost:8080, 10.0.0.0/8 (repeatable)',
};

export const s3: CliOption = {
  name: 's3',
  rare: true,
  multiple: true,
  value: 's3://BUCKET/PREFIX',
  help: 'read objects there and nowhere else; s3:// for all that the credentials may read (servers, and commands with --root, only with this; repeatable)',
};

export const s3Endpoint: CliOption = {
  name: 's3-endpoint',
  rare: true,
  value: 'URL',
  help: 'the server of s3://, in place of AWS_ENDPOINT_URL_S3: http://localhost:9000',
};

export const noCache: CliOption = {
  name: 'no-cache',
  rare: true,
  help: 'cache nothing on disk, and use nothing that is cached there',
};

const mcpResources: CliOption = {
  name: 'mcp-resources',
  rare: true,
  help: 'read resources of the MCP servers in .mcp.json as mcp://SERVER/URI; to read one starts its command',
};

export const mcpApprove: CliOption = {
  name: 'mcp-approve',
  rare: true,
  multiple: true,
  value: 'FILE=SHA256',
  help: 'with --mcp-resources, reach the servers of this .mcp.json while it is as it was when you looked at it (repeatable)',
};

export const mcpEnv: CliOption = {
  name: 'mcp-env',
  rare: true,
  multiple: true,
  value: 'NAME',
  help: 'let an approved .mcp.json use this variable of the environment (repeatable; without it none)',
};

/** For servers and `oriel call`; a person says with `oriel bash --timeout` how long. */
export const maxTimeout: CliOption = {
  name: 'max-timeout',
  rare: true,
  value: 'SECONDS',
  help: 'the longest timeout of a command; a call that names a longer one is told (default 600)',
};

export const fold: CliOption = {
  name: 'fold',
  rare: true,
  value: 'HOW',
  choices: ['on', 'off'],
  help: 'whether bash shows a run of equal lines once, with their count and the call for them (default on)',
};

const webOptions: readonly CliOption[] = [
  web,
  offline,
  allowNet,
  s3,
  s3Endpoint,
  mcpResources,
  mcpApprove,
  mcpEnv,
];

export const telemetry: CliOption = {
  name: 'telemetry',
  rare: true,
  value: 'FILE',
  help: 'append an event of each call to FILE, as JSON Lines without any content; oriel report FILE reads it',
};

export const task: CliOption = {
  name: 'task',
  rare: true,
  value: 'NAME',
  help: 'the task of calls that name none, for telemetry (default one for each session, or working directory)',
};

export const jsonOption: CliOption = {
  name: 'json',
  help: 'print the whole answer as JSON, one object a line',
};

/** Options on which every tool depends. Help lists options in this order: what most people use comes first. */
const sharedEngineOptions: readonly CliOption[] = [limits, dialect, cwd, allow, telemetry, task];
const engineOptions: readonly CliOption[] = [root, ...sharedEngineOptions];

export const servingOptions: readonly CliOption[] = [
  serverRoot,
  ...sharedEngineOptions,
  deny,
  allowPrivate,
  display,
  maps,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
  maxTimeout,
  fold,
];

/** Options of commands that call a tool and print its answer. */
export const callOptions: readonly CliOption[] = [jsonOption, ...engineOptions];

/** Options of commands whose answer may show lines of a file. */
export const readOptions: readonly CliOption[] = [
  jsonOption,
  display,
  ...engineOptions,
  maps,
  deny,
  agentOutputs,
  userFiles,
  ...webOptions,
  noCache,
];

export const describeOptions: readonly CliOption[] = [dialect, limits, jsonOption];

/** Options that several commands share; each command lists its own. */
export const sharedOptions: readonly CliOption[] = readOptions;

export const globalOptions: readonly CliOption[] = [
  { name: 'debug', help: 'print the stack of every unexpected error on stderr' },
  { name: 'help', short: 'h', help: 'show help; --help --all lists every option' },
];

/** The only option without a command. */
export const versionOption: CliOption = {
  name: 'version',
  short: 'V',
  help: 'show the version',
};

/** An option in help and in the manual: `-l, --limits LIMITS`, and its description. */
export function optionRow({ name, short, value, help }: CliOption): readonly [string, string] {
  return [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, help];
}

// The interface of a command. The list of commands is in `commands.ts`.

/**
 * As in ripgrep: 0 something was found, 1 nothing was found, 2 an error. `oriel bash` exits with the code of its command,
 * or as timeout(1): with 124 after a timeout, with 125 for its own failures.
 */
export type ExitCode = number;

export interface CliCommand {
  readonly name: string;
  /** The operands, one word each: `PATTERN [PATH]`; `PATH…` for any number of them. */
  readonly operands: string;
  /** Up to the first `;` or `:` it stands in the list of commands. */
  readonly help: string;
  /** The valid values of an operand, if they are limited; for completion. */
  readonly choices?: readonly string[] | undefined;
  /** All options besides the global ones; any other is refused. */
  readonly options: readonly CliOption[];
  /** Options of similar commands that people type by habit. */
  readonly habits?: ForeignOptions | undefined;
  /** The exit code of its own failures; 2 when absent. */
  readonly failureCode?: ExitCode | undefined;
  /** Options end at the first operand: the rest belongs to the command that is run. */
  readonly endsOptions?: true | undefined;
  /** It runs until a signal ends it, which is not a failure. */
  readonly serves?: true | undefined;
  run(parsed: ParsedArguments, streams: CliStreams): Promise<ExitCode>;
}

/** By option: `default` if it is the default behaviour, otherwise the message that says what to use instead. */
type ForeignOptions = Readonly<Record<string, 'default' | (string & {})>>;

export interface CliOption {
  readonly name: string;
  readonly short?: string | undefined;
  readonly multiple?: boolean | undefined;
  /** The placeholder of the value in help; `DIR` is completed with directories. Absent: the option is a flag. */
  readonly value?: string | undefined;
  /** The valid values; others are refused. */
  readonly choices?: readonly string[] | undefined;
  /** Help lists it only with `--all`. */
  readonly rare?: true | undefined;
  readonly help: string;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface ParsedArguments {
  readonly values: OptionValues;
  readonly operands: readonly string[];
}

export interface CliStreams {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** The variables `ORIEL_TOKEN…`, which were taken out of the environment. */
  readonly tokens: NodeJS.ProcessEnv;
}

// Checks the numbers and the operands of a command, and translates paths of a shell.

interface NumberKind {
  /** In errors: `a port`. */
  readonly what: string;
  readonly example: number;
  /** Seconds above 0, with fractions, are accepted when absent. */
  readonly isValid?: ((text: string) => boolean) | undefined;
}

/** The number of an option; undefined if it is not given. Throws `BAD_INPUT`. */
export function optionNumber(
  values: OptionValues,
  name: string,
  { what, example, isValid = (text) => Number(text) > 0 }: NumberKind,
): number | undefined {
  const text = values[name] as string | undefined;
  if (text === undefined) return undefined;
  if (isValid(text)) return Number(text);
  const message = `--${name} takes ${what}, not ${quote(text)}. Use --${name} ${example}.`;
  throw new OrielError('BAD_INPUT', message);
}

/** For `optionNumber`: digits alone, from `least` to `most`. */
export function isWholeBetween(least: number, most: number): (text: string) => boolean {
  return (text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** Throws `BAD_INPUT` if there are more operands than the command takes. */
export function refuseExtraOperand({ name, operands }: CliCommand, given: readonly string[]): void {
  if (operands.includes('…')) return;
  const extra = given[operands.split(' ').filter(Boolean).length];
  if (extra === undefined) return;
  const usage = `oriel ${name} ${operands}`.trimEnd();
  throw new OrielError('BAD_INPUT', `There is one operand too many: ${quote(extra)}. Use ${usage}.`);
}

/** In a shell `/` is the root of the file system; in tools it is the workspace, so it is translated to `/.`. */
export function operandPath(typed: string): string {
  return typed === '/' || typed.startsWith('/:') ? `/.${typed.slice(1)}` : typed;
}

// The name and the address of a remote workspace.

/** A workspace as given in an option or a list. */
export interface WorkspaceAddress {
  readonly url: string;
  readonly tokenFile?: string | undefined;
}

/** Whether it is a valid NAME in `ws://NAME/path`. */
export function isWorkspaceName(name: string): boolean {
  return /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.@+/-]{0,198}[\p{L}\p{N}_])?$/u.test(name) && !name.includes('//');
}

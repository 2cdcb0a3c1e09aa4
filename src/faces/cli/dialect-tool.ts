/** Finds the tool of the chosen dialect for a command, and calls it. */

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { assemble, type RunOptions } from '../../assemble.ts';
import type { Dialect } from '../../call/dialect.ts';
import type { ErrorContext } from '../../call/unexpected.ts';
import { type DialectName, dialectNames, dialectOf } from '../../dialects/dialect-table.ts';
import { OrielError } from '../../errors.ts';
import { DEFAULT_DENY } from '../../files/deny-rules.ts';
import { fromWorkingDirectory } from '../../files/paths.ts';
import { realDirectory } from '../../files/roots.ts';
import { errno } from '../../files/system-failure.ts';
import {
  COMMAND,
  type OrielOptions,
  startedByCommand,
  type StartMark,
  type TelemetrySettings,
} from '../../options.ts';
import { unconfinedStart } from '../../process/confinement.ts';
import { RUNTIME } from '../../process/runtime.ts';
import { binarySize } from '../../render/display.ts';
import { digest } from '../../telemetry/call-facts.ts';
import { checkTelemetryFile } from '../../telemetry/telemetry-file.ts';
import { MIN_LIMITS } from '../../text/limits.ts';
import { quote, shellWord } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import type { Session } from '../../types/session.ts';
import type { McpServer, ReachedMcpServer, RunSettings } from '../../types/settings.ts';
import {
  agentOutputs,
  allow,
  allowNet,
  allowPrivate,
  type CliOption,
  type CliStreams,
  cwd,
  deny,
  dialect,
  display,
  DISPLAYS,
  limits,
  fold,
  maps,
  maxTimeout,
  mcpApprove,
  mcpEnv,
  noCache,
  optionNumber,
  type OptionValues,
  root,
  s3,
  s3Endpoint,
  task,
  telemetry,
  userFiles,
} from './options.ts';
import { progressOn, silent } from './print.ts';
import { workspacesOf } from './workspaces.ts';

/** The names of the tool for each command in the dialects, and example operands. */
const TOOLS = {
  read: { names: ['read', 'read_file'], example: 'PATH' },
  bash: { names: ['bash'], example: "'COMMAND'" },
  grep: { names: ['grep'], example: 'PATTERN' },
  find: { names: ['find'], example: "'*.ts'" },
  ls: { names: ['ls'], example: '' },
} as const;

export type ToolCommand = keyof typeof TOOLS;

type AskTool = (
  input: Readonly<Record<string, unknown>>,
  options?: Pick<RunOptions, 'onOutput' | 'isPart'>,
) => Promise<Answer>;

/** Calls `use` with a session of its own, which it closes. Throws `BAD_INPUT` if the dialect has no such tool. */
export async function withTool<T>(
  command: ToolCommand,
  values: OptionValues,
  streams: CliStreams,
  use: (ask: AskTool) => Promise<T>,
): Promise<T> {
  const opened = await open(command, values, streams);
  try {
    return await use(async (input, options = {}) => {
      const progress = options.onOutput ? silent : progressOn(streams.err);
      const answer = await opened.run(input, {
        ...options,
        signal: streams.signal,
        onProgress: progress.show,
      });
      progress.clear();
      return answer;
    });
  } finally {
    // Only children of Bun start without confinement.
    const unconfined = RUNTIME === 'bun' ? unconfinedStart() : undefined;
    if (unconfined !== undefined) streams.err.write(`oriel: ${unconfined}\n`);
    await endSession(opened.session, streams.signal);
  }
}

interface OpenedTool {
  run(input: Readonly<Record<string, unknown>>, options: RunOptions): Promise<Answer>;
  readonly session: Session;
}

async function open(command: ToolCommand, values: OptionValues, streams: CliStreams): Promise<OpenedTool> {
  const isRemote = Object.keys(values).some((name) => name.startsWith('workspace'));
  const options = { ...orielOptions(values), ...(isRemote && (await workspacesOf(values, streams))) };
  if (options.dialect === undefined || options.dialect === 'oriel') {
    // No validation: inputs of a command match the schema of the default dialect, and loading zod takes 35 ms.
    const oriel = assemble(options);
    const tool = oriel.tool(command);
    return { run: (input, run) => oriel.run(tool, input, run), session: oriel.session };
  }
  const name = toolOf(dialectOf(options.dialect), command);
  const { createOriel } = await import('../../oriel.ts');
  const oriel = createOriel(options);
  return { run: (input, run) => oriel.tool(name).run(input, run), session: oriel.session };
}

function toolOf(dialect: Dialect, command: ToolCommand): string {
  const name = nameIn(dialect, command);
  if (name !== undefined) return name;
  const others = dialectNames.filter((other) => nameIn(dialectOf(other), command) !== undefined);
  throw new OrielError(
    'BAD_INPUT',
    `The dialect ${dialect.name} has no tool for oriel ${command}; ${others.join(', ')} have one. ` +
      `Use ${`oriel ${command} --dialect ${others[0]} ${TOOLS[command].example}`.trimEnd()}.`,
  );
}

function nameIn({ tools }: Dialect, command: ToolCommand): string | undefined {
  const names: readonly string[] = TOOLS[command].names;
  return tools.find(({ name }) => names.includes(name))?.name;
}

// Converts the options of a command to options of the library.

/** The library options for the shared options. Throws `BAD_INPUT`. */
export function orielOptions(values: OptionValues): OrielOptions & StartMark {
  const text = (option: CliOption): string | undefined => values[option.name] as string | undefined;
  const list = (option: CliOption): readonly string[] =>
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
  const workingDirectory = fromWorkingDirectory(directory);
  if (directory !== undefined && realDirectory(workingDirectory) === undefined) {
    throw new OrielError('BAD_INPUT', `--cwd takes a directory that exists, not ${quote(directory)}.`);
  }
  // Within roots only what was asked for leaves this machine.
  const onlyAsked = list(root).length > 0;
  const isOffline = values['offline'] === true;
  return {
    ...startedByCommand,
    cwd: directory,
    roots: list(root),
    allow: list(allow),
    deny: values[deny.name] === undefined ? undefined : list(deny),
    dialect: chosen,
    limits: budget === undefined ? undefined : parseLimits(budget),
    display: shown || undefined,
    read: values[maps.name] === undefined ? undefined : mapOptions(String(values[maps.name])),
    agentOutputs: outputs,
    userFiles: values[userFiles.name] === true || undefined,
    web: isOffline || (onlyAsked && values['web'] === undefined) ? false : { allow: list(allowNet) },
    s3:
      isOffline || (onlyAsked && values['s3'] === undefined)
        ? false
        : s3Options(list(allowNet), list(s3), text(s3Endpoint)),
    cache: values[noCache.name] === true ? false : undefined,
    ...mcpServersIn(workingDirectory, values),
    onError: values['debug'] === true ? printUnexpected : mentionDebug,
    telemetry: telemetryOf(values, workingDirectory),
    run: runOptions(values),
    // Kept outputs must outlive this process, because the next command is another process.
    spills: { workingDirectory },
  };
}

/** Throws `BAD_INPUT`. */
function runOptions(values: OptionValues): Partial<RunSettings> {
  const seconds = optionNumber(values, maxTimeout.name, { what: 'seconds above 0', example: 600 });
  const folds = { fold: values[fold.name] !== 'off' };
  return seconds === undefined ? folds : { ...folds, maxTimeout: seconds };
}

/** `off`, `4K`. Throws `BAD_INPUT`. */
function mapOptions(size: string): OrielOptions['read'] {
  if (size === 'off') return { summarize: false };
  const bytes = parseSize(size);
  if (bytes !== undefined) return { mapBytes: bytes };
  throw new OrielError('BAD_INPUT', `--maps takes off or a size, not ${quote(size)}. Use --maps 8K.`);
}

/** The patterns for private files in a server: the default list, and those of `--deny`. */
export function denied(values: OptionValues): readonly string[] {
  const own = (values[deny.name] as readonly string[] | undefined) ?? [];
  return values[allowPrivate.name] === true ? own : [...DEFAULT_DENY, ...own];
}

function s3Options(
  allowed: readonly string[],
  urls: readonly string[],
  endpoint: string | undefined,
): NonNullable<OrielOptions['s3']> {
  const buckets = urls.map((url) => url.replace(/^s3:\/\//i, ''));
  return {
    allow: allowed,
    endpoint,
    buckets: buckets.length > 0 && !buckets.includes('') ? buckets : undefined,
  };
}

/** In telemetry, the session of a command is its working directory. Throws `BAD_INPUT` if the file cannot be written. */
function telemetryOf(values: OptionValues, directory: string): TelemetrySettings | false {
  const [file, named] = [values[telemetry.name], values[task.name]] as (string | undefined)[];
  if (file === undefined) {
    if (named === undefined) return false;
    const message = 'A task is named for telemetry alone. Add --telemetry FILE, or leave out --task.';
    throw new OrielError('BAD_INPUT', message);
  }
  const path = fromWorkingDirectory(file);
  checkTelemetryFile(path);
  return { file: path, task: named ?? `directory-${digest(directory)}` };
}

/** "lines=100,bytes=10K" → { lines: 100, bytes: 10240 } */
function parseLimits(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [, name, size = ''] = /^\s*([A-Za-z]+)=(\w+)\s*$/.exec(pair) ?? [];
      const count = parseSize(size);
      if (name === undefined || count === undefined) {
        throw new OrielError(
          'BAD_INPUT',
          `The limit ${quote(pair)} is not NAME=N. Use --limits lines=500,bytes=20K.`,
        );
      }
      return [name, count];
    }),
  );
}

/** "10K" → 10240; undefined if it is no size. */
function parseSize(text: string): number | undefined {
  const match = /^(\d+)([KMG]?)$/.exec(text);
  return match ? Number(match[1]) * 2 ** (10 * ' KMG'.indexOf(match[2] || ' ')) : undefined;
}

// Reads the MCP servers of a project from its `.mcp.json`, for the option --mcp-resources.

const FILE = '.mcp.json';
const MAX_MCP_FILE_BYTES = 1 << 20;

/**
 * The file is read once when oriel starts, so that changes by an agent have no effect. The project wrote it, so its servers are
 * reached only if the operator approved it as it is, with no variable and no address that the operator does not allow. Empty
 * without the option. Throws `BAD_INPUT` for an invalid file.
 */
export function mcpServersIn(directory: string, values: OptionValues): Pick<OrielOptions, 'mcpServers'> {
  if (values['mcp-resources'] !== true) return {};
  const list = (name: string): readonly string[] => (values[name] as readonly string[] | undefined) ?? [];
  const path = join(directory, FILE);
  const { entries, sha256 } = configured(path);
  const approval = `${path}=${sha256}`;
  const isApproved = list(mcpApprove.name).some((given) => fromWorkingDirectory(given) === approval);
  const variables = new Set(list(mcpEnv.name));
  const addresses = { allow: list(allowNet.name), howToAllow: COMMAND.allowWeb };
  const servers = Object.entries(entries).flatMap(([name, entry]): [string, McpServer][] => {
    if (!isApproved) return [[name, { refused: notApproved(path, approval) }]];
    const missing: MissingVariables = { listed: new Set(), other: new Set() };
    const server = serverOf(expanded(entry ?? {}, variables, missing));
    // With --offline there are no network requests.
    if (!server || (server.url !== undefined && values['offline'] === true)) return [];
    const refused = notGiven(name, missing);
    if (refused !== undefined) return [[name, { refused }]];
    return [[name, server.url !== undefined ? { ...server, addresses } : server]];
  });
  return { mcpServers: Object.fromEntries(servers) };
}

function notApproved(path: string, approval: string): string {
  return (
    `${quote(path)} names programs to start and addresses to ask, and is not approved. ` +
    `The operator of oriel can look at it and approve it as it is now with --mcp-approve ${shellWord(approval)}.`
  );
}

/** Variables without a value, by whether the operator listed them. */
interface MissingVariables {
  readonly listed: Set<string>;
  readonly other: Set<string>;
}

function notGiven(name: string, { listed, other }: MissingVariables): string | undefined {
  const uses = `The MCP server ${quote(name)} uses variables of the environment that are not`;
  if (other.size > 0) {
    const options = Array.from(other, (variable) => `--mcp-env ${variable}`).join(' ');
    return `${uses} given to it. The operator of oriel can allow them with ${options}.`;
  }
  if (listed.size === 0) return undefined;
  return `${uses} set: ${[...listed].join(', ')}. The operator of oriel can set them where it is started.`;
}

function configured(path: string): {
  readonly entries: Readonly<Record<string, unknown>>;
  readonly sha256: string;
} {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MAX_MCP_FILE_BYTES) throw new Error('not a file of at most 1 MiB');
    const bytes = readFileSync(path);
    const { mcpServers: entries = {} } = JSON.parse(bytes.toString('utf8')) as {
      readonly mcpServers?: Readonly<Record<string, unknown>>;
    };
    if (typeof entries !== 'object' || entries === null) throw new Error('mcpServers is no object');
    return { entries, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return { entries: {}, sha256: '' };
    throw new OrielError(
      'BAD_INPUT',
      `${quote(path)} cannot be read as a list of MCP servers: ${quote((cause as Error).message)}. Use it without --mcp-resources, or repair the file.`,
      { cause },
    );
  }
}

/** Undefined for an unsupported transport (`sse`). An entry without command and URL is refused later, as an option. */
function serverOf(entry: unknown): ReachedMcpServer | undefined {
  const { type, command, args, cwd, env, url, headers } = entry as Readonly<Record<string, never>>;
  if (type === 'sse') return undefined;
  return { command, args, cwd, env, url, headers } as unknown as ReachedMcpServer;
}

/**
 * Expands `${NAME}` and `${NAME:-value}`, as Claude Code does, if NAME is one of `variables`; another is unset. Adds to `missing` what
 * has no value.
 */
function expanded(value: unknown, variables: ReadonlySet<string>, missing: MissingVariables): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, name: string, otherwise: string | undefined) => {
        const isListed = variables.has(name);
        const found = (isListed ? process.env[name] : undefined) ?? otherwise;
        if (found === undefined) missing[isListed ? 'listed' : 'other'].add(name);
        return found ?? whole;
      },
    );
  }
  if (Array.isArray(value)) return value.map((inner) => expanded(inner, variables, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, expanded(inner, variables, missing)]),
  );
}

// A budget for the answers of several calls: each gets an equal share of what is left.

export class SharedBudget {
  readonly #values: OptionValues;
  #calls: number;
  #lines: number;
  #bytes: number;

  constructor(values: OptionValues, calls: number) {
    const { limits } = assemble(orielOptions(values));
    this.#values = values;
    this.#calls = calls;
    this.#lines = limits.lines;
    this.#bytes = limits.bytes;
  }

  next(): OptionValues {
    const part = (left: number, least: number): number => Math.max(least, Math.floor(left / this.#calls));
    const limits = [
      `lines=${part(this.#lines, MIN_LIMITS.lines)}`,
      `bytes=${part(this.#bytes, MIN_LIMITS.bytes)}`,
    ];
    const given = this.#values['limits'];
    return {
      ...this.#values,
      limits: [...(given === undefined ? [] : [given as string]), ...limits].join(','),
    };
  }

  spend({ content }: Answer): void {
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    this.#calls -= 1;
    this.#bytes = Math.max(0, this.#bytes - Buffer.byteLength(text));
    this.#lines = Math.max(0, this.#lines - text.split('\n').length + 1);
  }
}

// The operand `-`: keeps the standard input like the output of a command, so that its later pages can be read.

/** Maximum bytes that are read, because an input may be endless. The producer gets EPIPE after them. */
const MAX_INPUT_BYTES = 256 << 20;

/**
 * Reads the input for `-` and `-:50-100`, and returns `artifact://N` with the selector, or its file if the dialect reads only files.
 * Any other operand is returned unchanged. Throws `BAD_INPUT` on a terminal; its error names `command`.
 */
export async function keepInput(
  operand: string,
  values: OptionValues,
  { err, signal }: CliStreams,
  command = 'read',
): Promise<string> {
  if (operand !== '-' && !operand.startsWith('-:')) return operand;
  const { stdin } = process;
  if (stdin.isTTY) {
    throw new OrielError('BAD_INPUT', `The standard input is a terminal. Use COMMAND | oriel ${command} -.`);
  }
  const options = orielOptions(values);
  const spill = assemble(options).session.spills.create();
  let bytes = 0;
  let isCut = false;
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
    const taken = chunk.subarray(0, MAX_INPUT_BYTES - bytes);
    bytes += taken.length;
    await spill.write(taken);
    isCut = taken.length < chunk.length;
    if (signal.aborted || isCut) break;
  }
  // Answers about the kept input say that it is not all of it, also in later processes.
  const { url, path, ...kept } = await spill.finish(isCut);
  if (kept.capped) err.write(`oriel: only the first ${binarySize(kept.bytes)} of the input are read\n`);
  return (options.dialect ?? 'oriel') === 'oriel' ? url + operand.slice(1) : path;
}

// Ends the session of a command. It waits for background refreshes, because no later call of this process
// will use them.

/** Maximum milliseconds to wait. The answer has been printed before. */
const MAX_SESSION_END_MS = 3_000;

export async function endSession(session: Session, signal: AbortSignal): Promise<void> {
  await session.background.idle(MAX_SESSION_END_MS, signal);
  await session.close();
}

// `--debug`: unexpected errors on stderr, each with its stack and its causes.

/** Said once: a bug is worth a report, and its stack is what a report needs. */
let isMentioned = false;

export function mentionDebug(_error: unknown, { code }: Pick<ErrorContext, 'code'>): void {
  if (isMentioned || code !== 'INTERNAL') return;
  isMentioned = true;
  process.stderr.write(
    'oriel: This is a bug of oriel. Please report it to those from whom you have it, with the stack that --debug prints.\n',
  );
}

/** Prints on stderr, because stdout is for answers and protocols. */
export function printUnexpected(error: unknown, { code, tool }: Pick<ErrorContext, 'code' | 'tool'>): void {
  process.stderr.write(`oriel: ${tool === undefined ? code : `${code} in ${tool}`}: ${inspect(error)}\n`);
}

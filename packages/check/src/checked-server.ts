/** The server under test, as the cases see it: it is started in the sandbox, and every answer is checked. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessTree } from '../../../src/process/process-tree.ts';
import {
  type CaseCallOptions,
  DEADLINE_MS,
  holdToLaws,
  LEAK,
  MAX_MEMORY_MB,
  type ServerUnderTest,
} from './case.ts';
import { oriel } from './oriel.ts';
import {
  answerToCall,
  BrokenLaw,
  protocolErrorAnswer,
  type ServerAnswer,
  type ServerCall,
} from './outcome.ts';
import {
  candidatesIn,
  chooseTools,
  type ChosenTools,
  type MappedTool,
  parseMapping,
  type RoleMapping,
  type ServerTool,
  type ToolRole,
} from './roles.ts';
import { type CheckSandbox, PLAIN, PLAIN_TEXT } from './sandbox.ts';

/** Milliseconds for the start with the list of the tools. */
const START_MS = 60_000;

interface CheckDeadlines {
  /** For each call. */
  readonly deadlineMs?: number | undefined;
  /** For the start with the list of the tools. */
  readonly startMs?: number | undefined;
}

export class CheckedServer implements ServerUnderTest {
  roles: RoleMapping = {};
  /** Why a role has no tool, although one was found by its name. */
  without: ChosenTools['without'] = {};
  /** Maxima since the last `resetFigures`. */
  figures: CallFigures = { ms: 0, bytes: 0, memoryMb: 0 };
  /** What it sent with the secret during its last start. */
  leakedAtStart: string | undefined;
  readonly #sandbox: CheckSandbox;
  readonly #command: readonly string[];
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  readonly #startMs: number;
  #running: CheckedConnection | undefined;
  /** The numeric arguments of each role's tool. */
  #numbers: Partial<Record<ToolRole, readonly string[]>> = {};

  /** `{}` in `command` is replaced by the root at each start. */
  constructor(
    sandbox: CheckSandbox,
    command: readonly string[],
    signal: AbortSignal,
    { deadlineMs = DEADLINE_MS, startMs = START_MS }: CheckDeadlines = {},
  ) {
    this.#sandbox = sandbox;
    // The server runs in the sandbox, where `./checked-server.js` is another file.
    this.#command = command.map((word) => (word.includes('/') && existsSync(word) ? resolve(word) : word));
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
    this.#startMs = startMs;
  }

  /** Throws `BAD_INPUT` if the command is not an MCP server, or the mapping does not match its tools. */
  async start(mapping?: string): Promise<void> {
    const command = this.#command.map((word) => word.replaceAll('{}', this.#sandbox.root));
    const connection = new CheckedConnection(this.#sandbox, command, this.#signal);
    try {
      await connection.open(this.#startMs);
    } catch (cause) {
      await connection.close();
      this.#signal.throwIfAborted();
      throw startFailure(command, connection.stderr, cause);
    }
    this.#running = connection;
    const { tools } = connection;
    const candidates = mapping === undefined ? candidatesIn(tools) : parseMapping(mapping, tools);
    const { roles, without } = await chooseTools(candidates, mapping !== undefined, (tool, path, pattern) =>
      this.#send(callOf(tool, path, pattern === undefined ? {} : { pattern })),
    );
    this.roles = roles;
    this.#numbers = numbersOf(roles, tools);
    this.without = without;
    this.leakedAtStart = connection.takeLeak();
    if (!this.roles.read) return;
    connection.markIdle();
    this.resetFigures();
  }

  resetFigures(): void {
    this.figures = { ms: 0, bytes: 0, memoryMb: 0 };
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.close();
  }

  /** Throws `BrokenLaw` if the server does not answer a small read correctly. */
  async expectServed(): Promise<void> {
    if (!this.roles.read) return;
    const answer = await this.call('read', PLAIN);
    if (answer.isError || !answer.text.includes(PLAIN_TEXT))
      throw new BrokenLaw('a small file is not read any more', { answer });
  }

  async call(role: ToolRole, path: string, more: CaseCallOptions = {}): Promise<ServerAnswer> {
    const call = callOf(this.roles[role] as MappedTool, path, more);
    const answer = await this.#send(call).finally(() => this.#expectNoLeak(call));
    this.figures.bytes = Math.max(this.figures.bytes, answer.bytes);
    holdToLaws(answer, this.#sandbox, more);
    return answer;
  }

  async #send(call: ServerCall): Promise<ServerAnswer> {
    if (!this.#running) throw new BrokenLaw('the server does not run any more', { call });
    return this.#running.ask(call, this.figures, this.#deadlineMs);
  }

  #expectNoLeak(call: ServerCall): void {
    const text = this.#running?.takeLeak();
    if (text !== undefined) throw new BrokenLaw(LEAK, { call, text, at: text.indexOf(this.#sandbox.secret) });
  }

  next(
    role: ToolRole,
    path: string,
    answer: ServerAnswer,
  ): { path: string; more: CaseCallOptions } | undefined {
    const found = continuationOf(answer.text, this.#numbers[role] ?? []);
    return (
      found && { path: found.path ?? path, more: { ...(found.arguments && { arguments: found.arguments }) } }
    );
  }
}

function numbersOf(
  mapping: RoleMapping,
  tools: readonly ServerTool[],
): Partial<Record<ToolRole, readonly string[]>> {
  const numbers = Object.entries(mapping).map(([role, mapped]) => {
    const tool = tools.find(({ name }) => name === mapped.tool);
    return [role, numericArguments(tool?.inputSchema.properties ?? {})];
  });
  return Object.fromEntries(numbers) as Partial<Record<ToolRole, readonly string[]>>;
}

function callOf(
  { tool, path: name, pattern, arguments: always }: MappedTool,
  path: string,
  more: CaseCallOptions,
): ServerCall {
  const input: Record<string, unknown> = { ...always, [name]: path, ...more.arguments };
  if (pattern !== undefined) input[pattern] = more.pattern ?? 'row';
  return { tool, arguments: input };
}

// One run of the server under test: its process, the client that calls it, and the memory that calls take.

/** Maximum bytes of a message. */
const MAX_CHECKED_MESSAGE_BYTES = 128 << 20;

const SAMPLE_MS = 40;

export interface CallFigures {
  /** Milliseconds of the slowest call. */
  ms: number;
  /** Bytes of the largest answer. */
  bytes: number;
  /** Additional memory compared to the idle server, with its children. */
  memoryMb: number;
}

class CheckedConnection {
  tools: readonly ServerTool[] = [];
  readonly stderr = new StderrTail();
  readonly #sandbox: CheckSandbox;
  readonly #signal: AbortSignal;
  readonly #client = new oriel.Client(
    { name: 'oriel-check', version: oriel.version() },
    { capabilities: {} },
  );
  readonly #transport: InstanceType<typeof oriel.StdioClientTransport>;
  /** What contained the secret since the last `takeLeak`. */
  #leak: string | undefined;
  #sample = { at: Number.NEGATIVE_INFINITY, mb: 0 };
  #idleMb = 0;

  constructor(sandbox: CheckSandbox, [command = '', ...args]: readonly string[], signal: AbortSignal) {
    this.#sandbox = sandbox;
    this.#signal = signal;
    this.#transport = new oriel.StdioClientTransport({
      command,
      args,
      cwd: sandbox.root,
      env: { ...oriel.basicEnvironment(), ORIEL_CHECK_SECRET: sandbox.secret },
      maxMessage: MAX_CHECKED_MESSAGE_BYTES,
      // This process has nothing else to do, so messages of any size are parsed directly.
      reduce: (message) => Promise.resolve(message),
      onStderr: this.stderr.add,
    });
  }

  /**
   * Starts the process, and lists its tools: all within `timeout` ms. Throws if it is not an MCP server; `close` is needed then
   * too.
   */
  async open(timeout: number): Promise<void> {
    this.#listen();
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`it did not start within ${timeout / 1_000} s`)),
      timeout,
    );
    const options = { signal: AbortSignal.any([late.signal, this.#signal]), timeout };
    try {
      await this.#client.connect(this.#transport, options);
      if (this.#client.getServerCapabilities()?.tools) this.tools = await toolsOf(this.#client, options);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Looks through everything that the server sends, from its first message on. The client adds its own listener to this one. */
  #listen(): void {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    this.#transport.onmessage = (message) => {
      this.#leak ??= stringWith(message, this.#sandbox.secret);
    };
  }

  /** The text that contained the secret, if a message since the last call of this did. */
  takeLeak(): string | undefined {
    const leak = this.#leak;
    this.#leak = undefined;
    return leak;
  }

  /** The memory of calls from now on is compared with the present one. */
  markIdle(): void {
    this.#idleMb = treeMb(this.#transport.tree) ?? 0;
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#transport.close();
  }

  /** The memory of the server's processes. Calls at the same time share a sample, because it looks at every process. */
  #sampledMb(): number {
    const now = performance.now();
    if (now - this.#sample.at >= SAMPLE_MS / 2)
      this.#sample = { at: now, mb: treeMb(this.#transport.tree) ?? 0 };
    return this.#sample.mb;
  }

  /** Throws `BrokenLaw` without an answer that is valid, in time and with little memory. Adds to `figures`. */
  async ask(call: ServerCall, figures: CallFigures, deadlineMs: number): Promise<ServerAnswer> {
    const began = performance.now();
    let tooMuch = false;
    const late = new AbortController();
    const sample = setInterval(() => {
      const now = this.#sampledMb() - this.#idleMb;
      if (this.#idleMb === 0) return;
      figures.memoryMb = Math.max(figures.memoryMb, now);
      if (now <= MAX_MEMORY_MB) return;
      tooMuch = true;
      late.abort();
    }, SAMPLE_MS);
    const timer = setTimeout(() => late.abort(), deadlineMs);
    try {
      const signal = AbortSignal.any([late.signal, this.#signal]);
      const params = { name: call.tool, arguments: call.arguments };
      const timeout = 2 * deadlineMs;
      const result = await this.#client.request({ method: 'tools/call', params }, { signal, timeout });
      return answerToCall(result, call);
    } catch (cause) {
      this.#signal.throwIfAborted();
      const broken = (message: string): BrokenLaw => new BrokenLaw(message, { cause, call });
      if (tooMuch) throw broken(`it took over ${MAX_MEMORY_MB} MB of memory`);
      if (late.signal.aborted) throw broken(`no answer within ${deadlineMs / 1_000} s`);
      if (this.#transport.failure) throw broken(`the answer has over ${MAX_CHECKED_MESSAGE_BYTES >> 20} MiB`);
      if (!this.#transport.pid) throw broken('the server ended');
      if (cause instanceof oriel.ProtocolError) return protocolErrorAnswer(cause.message, call);
      throw broken(`the answer is not one of MCP: ${(cause as Error).message}`);
    } finally {
      clearInterval(sample);
      clearTimeout(timer);
      figures.ms = Math.max(figures.ms, performance.now() - began);
    }
  }
}

// Lists the tools of a server, all pages of them.

/** Most tools, and most pages of their list, that are looked at. */
const MAX_LISTED_TOOLS = 1_000;
const MAX_TOOL_PAGES = 100;

/** For each page; the signal also ends the whole list. */
interface ListOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

async function toolsOf(
  client: InstanceType<typeof oriel.Client>,
  options: ListOptions,
): Promise<ServerTool[]> {
  const tools: ServerTool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_TOOL_PAGES && tools.length < MAX_LISTED_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, options);
    tools.push(...listed.tools.slice(0, MAX_LISTED_TOOLS - tools.length));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

// Searches a whole message of a server for a text: also its errors, metadata, notifications and binary blocks.

/** Fields whose strings are base64. Source: the content blocks and resources of MCP. */
const BINARY: ReadonlySet<string> = new Set(['data', 'blob']);

/** The string or key anywhere in `message` that contains `text`. Not recursive: a server nests as deep as it likes. */
function stringWith(message: unknown, text: string): string | undefined {
  const left: unknown[] = [message];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') {
      if (value.includes(text)) return value;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key.includes(text)) return key;
        const decoded =
          typeof inner === 'string' && BINARY.has(key) ? Buffer.from(inner, 'base64') : undefined;
        if (decoded?.includes(text)) return decoded.toString('latin1');
        left.push(inner);
      }
    }
  }
  return undefined;
}

// How much memory a process and its descendants take.

/** Resident megabytes of a process and its descendants, also of those that left it, by their token; undefined if unknown. */
function treeMb(tree: ProcessTree | undefined): number | undefined {
  return (tree && oriel.runningProcessIds(tree))?.reduce((sum, pid) => sum + residentMb(pid), 0);
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

// The error for a command that is not an MCP server: with what it wrote to stderr, and with a file that it cannot find.

/** Bytes of stderr that are kept, and lines of them that are shown. */
const MAX_STDERR_BYTES = 8_192;
const MAX_STDERR_LINES = 8;

/** Keeps the end of what a process writes. */
class StderrTail {
  #end: Buffer = Buffer.alloc(0);

  readonly add = (chunk: Buffer): void => {
    this.#end = Buffer.concat([this.#end, chunk]).subarray(-MAX_STDERR_BYTES);
  };

  /** The last lines; neither empty ones, nor those of a stack. */
  get lines(): readonly string[] {
    const all = this.#end.toString('utf8').split(/\r?\n/);
    return all.filter((line) => line.trim() !== '' && !/^\s+at /.test(line)).slice(-MAX_STDERR_LINES);
  }
}

function startFailure(command: readonly string[], { lines }: StderrTail, cause: unknown): Error {
  const wrote = lines.map((line) => oriel.quote(line.trim())).join(' | ');
  const file = command.find(isFileHere);
  const message = [
    `${oriel.quote(command[0] ?? '')} is not an MCP server that could be started.`,
    ...(wrote === '' ? [] : [`It wrote: ${wrote}.`]),
    ...(file === undefined
      ? []
      : [
          `It runs in another directory than this one, which has a file ${oriel.quote(file)}: write ./${oriel.quote(file)}.`,
        ]),
    'Use oriel check -- COMMAND, with {} for the directory that it may read.',
  ];
  return new oriel.OrielError('BAD_INPUT', message.join(' '), { cause });
}

/** A word with a slash is made absolute; another one may be the name of a package or a subcommand. */
const isFileHere = (word: string): boolean =>
  !word.includes('/') && existsSync(word) && statSync(word).isFile();

// Finds the next call that an answer names: `Use PATH to continue`, or a number for an argument of the tool.

interface NextCall {
  readonly path?: string | undefined;
  readonly arguments?: Readonly<Record<string, number>> | undefined;
}

/** `numbers`: the numeric arguments of the tool. The last one in the text counts, because notices are at the end. */
function continuationOf(text: string, numbers: readonly string[]): NextCall | undefined {
  const edge = text.slice(-1_000);
  const path = [...edge.matchAll(/\bUse (\S+) to continue\b/g)].at(-1)?.[1];
  const named = numbers.flatMap((name) => {
    const value = [
      ...`${text.slice(0, 1_000)}\n${edge}`.matchAll(
        new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\s*[=:]\\s*(\\d+)`, 'g'),
      ),
    ].at(-1)?.[1];
    return value === undefined ? [] : [[name, Number(value)] as const];
  });
  // "Use offset=41 to continue" matches both, and is an argument.
  if (path !== undefined && !/^\w+=\d+$/.test(path)) return { path };
  return named.length > 0 ? { arguments: Object.fromEntries(named) } : undefined;
}

// Finds the numeric arguments of a tool in its schema.

/** Most arguments that are looked at, longest name, and deepest part of the schema of one. */
const MAX_NUMERIC_ARGUMENTS = 100;
const MAX_ARGUMENT_NAME_CHARACTERS = 128;
const MAX_SCHEMA_DEPTH = 4;

/** `properties`: the schema of each argument by its name, as the server sends them. */
export function numericArguments(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(properties)
    .slice(0, MAX_NUMERIC_ARGUMENTS)
    .filter(
      (name) => name.length <= MAX_ARGUMENT_NAME_CHARACTERS && isNumeric(properties[name], MAX_SCHEMA_DEPTH),
    );
}

/** Also for `["integer", "null"]`, and for alternatives of which one is a number. */
function isNumeric(schema: unknown, depth: number): boolean {
  if (depth === 0 || typeof schema !== 'object' || schema === null) return false;
  const { type, anyOf, oneOf, allOf } = schema as Readonly<Record<string, unknown>>;
  if (few(type).some((one) => one === 'integer' || one === 'number')) return true;
  return [anyOf, oneOf, allOf].flatMap(few).some((one) => isNumeric(one, depth - 1));
}

const few = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 8) : [value]);

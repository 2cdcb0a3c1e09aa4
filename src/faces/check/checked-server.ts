/** The server under test: it is started in the sandbox, called with the official client, and its memory is measured. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { basicEnvironment } from '../../access/mcp/transport.ts';
import { StdioTransport } from '../../access/mcp/stdio.ts';
import { version } from '../../access/package-files.ts';
import { listProcesses, processStat } from '../../access/process-table.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { CallOptions, Checked, Said } from './case.ts';
import { Broken } from './outcome.ts';
import { continuationOf } from './continuation.ts';
import { holdsText } from './holds-text.ts';
import { DEADLINE_MS, holdToLaws, LEAK, MOST_MEMORY_MB } from './laws.ts';
import { type Mapped, type Mapping, parseMapping, type Role, roles, rolesOf, type Tool } from './roles.ts';
import { PLAIN, PLAIN_TEXT, type Sandbox } from './sandbox.ts';

/** Timeout in milliseconds for the start with the handshake. */
const START_MS = 60_000;

/** Maximum bytes of a message. */
const MOST_MESSAGE = 128 << 20;

const SAMPLE_MS = 40;

export interface Figures {
  /** Milliseconds of the slowest call. */
  ms: number;
  /** Bytes of the largest answer. */
  bytes: number;
  /** Additional memory compared to the idle server, with its children. */
  memoryMb: number;
}

export class Server implements Checked {
  roles: Mapping = {};
  /** Maxima since the last `resetFigures`. */
  figures: Figures = { ms: 0, bytes: 0, memoryMb: 0 };
  /** Whether it sent the secret during its last start. */
  leakedAtStart = false;
  readonly #sandbox: Sandbox;
  readonly #command: readonly string[];
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  #tools: readonly Tool[] = [];
  /** Whether a message since the last call contained the secret. */
  #leaks = false;
  #running: { readonly client: Client; readonly transport: StdioTransport; idleMb: number } | undefined;

  /** `{}` in `command` is replaced by the root. */
  constructor(sandbox: Sandbox, command: readonly string[], signal: AbortSignal, deadlineMs = DEADLINE_MS) {
    this.#sandbox = sandbox;
    this.#command = command.map((word) => fromHere(word).replaceAll('{}', sandbox.root));
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
  }

  /** Throws `BAD_INPUT` if the command is not an MCP server, or the mapping does not match its tools. */
  async start(mapping?: string): Promise<void> {
    const [command = '', ...args] = this.#command;
    const env = { ...basicEnvironment(), ORIEL_CHECK_SECRET: this.#sandbox.secret };
    const { root: cwd } = this.#sandbox;
    // This process has nothing else to do, so messages of any size are parsed directly.
    const reduce = (message: Uint8Array): Promise<Uint8Array> => Promise.resolve(message);
    const transport = new StdioTransport({ command, args, cwd, env, maxMessage: MOST_MESSAGE, reduce });
    const client = new Client({ name: 'oriel-check', version: version() }, { capabilities: {} });
    try {
      await client.connect(transport, { signal: this.#signal, timeout: START_MS });
      this.#listen(transport);
      if (client.getServerCapabilities()?.tools) this.#tools = await toolsOf(client);
    } catch (cause) {
      await transport.close();
      this.#signal.throwIfAborted();
      const message = `${quote(command)} is not an MCP server that could be started. Use oriel check -- COMMAND, with {} for the directory that it may read.`;
      throw new OrielError('BAD_INPUT', message, { cause });
    }
    this.#running = { client, transport, idleMb: 0 };
    this.roles = mapping === undefined ? rolesOf(this.#tools) : parseMapping(mapping, this.#tools);
    for (const role of roles) {
      const failure = this.roles[role] && (await this.#failureOf(role));
      if (failure === undefined) continue;
      // A tool for listing or searching that was found only by its name is left out: its cases are skipped.
      if (mapping === undefined && role !== 'read') delete this.roles[role];
      else throw this.#useless(role, failure);
    }
    this.leakedAtStart = this.#leaks;
    if (!this.roles.read) return;
    this.#running.idleMb = treeMb(transport.pid) ?? 0;
    this.resetFigures();
  }

  /** Looks through everything that the server sends, whatever it belongs to. */
  #listen(transport: StdioTransport): void {
    const { onmessage } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    transport.onmessage = (message) => {
      this.#leaks ||= holdsText(message, this.#sandbox.secret);
      onmessage?.(message);
    };
  }

  /** Why a tool cannot be checked at all; undefined if it can. Which laws it breaks is left to the cases. */
  async #failureOf(role: Role): Promise<string | undefined> {
    try {
      const said = await this.#send(role, role === 'read' ? PLAIN : '.');
      if (said.isError) return said.text;
      return role === 'read' && !said.text.includes(PLAIN_TEXT) ? 'its text is not in the answer' : undefined;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return role === 'read' ? error.message : undefined;
    }
  }

  #useless(role: Role, failure: string): OrielError {
    const what = role === 'read' ? 'read a small file' : `${role} the directory`;
    const message = `${quote(this.roles[role]?.tool ?? '')} does not ${what} of the sandbox: ${quote(failure.replace(/\.$/, ''))}. Name the directory with {} in the command, or the tools with --map.`;
    return new OrielError('BAD_INPUT', message);
  }

  resetFigures(): void {
    this.#leaks = false;
    this.figures = { ms: 0, bytes: 0, memoryMb: 0 };
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.client.close();
    await running?.transport.close();
  }

  /** Throws `Broken` if the server does not answer a small read correctly. */
  async expectServed(): Promise<void> {
    if (!this.roles.read) return;
    const said = await this.call('read', PLAIN);
    if (said.isError || !said.text.includes(PLAIN_TEXT))
      throw new Broken('a small file is not read any more');
  }

  async call(role: Role, path: string, more: CallOptions = {}): Promise<Said> {
    const said = await this.#send(role, path, more).finally(() => this.#expectNoLeak());
    this.figures.bytes = Math.max(this.figures.bytes, said.bytes);
    holdToLaws(said, this.#sandbox, more);
    return said;
  }

  #send(role: Role, path: string, more: CallOptions = {}): Promise<Said> {
    const mapped = this.roles[role] as Mapped;
    const input: Record<string, unknown> = { ...mapped.arguments, [mapped.path]: path, ...more.arguments };
    if (mapped.pattern !== undefined) input[mapped.pattern] = more.pattern ?? 'row';
    return this.#ask(mapped.tool, input);
  }

  #expectNoLeak(): void {
    const leaks = this.#leaks;
    this.#leaks = false;
    if (leaks) throw new Broken(LEAK);
  }

  next(role: Role, path: string, said: Said): { path: string; more: CallOptions } | undefined {
    const tool = this.#tools.find(({ name }) => name === this.roles[role]?.tool);
    const numbers = Object.entries(tool?.inputSchema.properties ?? {}).flatMap(([name, schema]) =>
      /"(?:integer|number)"/.test(JSON.stringify(schema)) ? [name] : [],
    );
    const found = continuationOf(said.text, numbers);
    return (
      found && { path: found.path ?? path, more: { ...(found.arguments && { arguments: found.arguments }) } }
    );
  }

  async #ask(name: string, input: Record<string, unknown>): Promise<Said> {
    const running = this.#running;
    if (!running) throw new Broken('the server does not run any more');
    const { client, transport, idleMb } = running;
    const began = performance.now();
    let tooMuch = false;
    const late = new AbortController();
    const sample = setInterval(() => {
      const now = (treeMb(transport.pid) ?? 0) - idleMb;
      if (idleMb === 0) return;
      this.figures.memoryMb = Math.max(this.figures.memoryMb, now);
      if (now <= MOST_MEMORY_MB) return;
      tooMuch = true;
      late.abort();
    }, SAMPLE_MS);
    const timer = setTimeout(() => late.abort(), this.#deadlineMs);
    try {
      const signal = AbortSignal.any([late.signal, this.#signal]);
      const params = { name, arguments: input };
      const result = await client.request(
        { method: 'tools/call', params },
        { signal, timeout: 2 * this.#deadlineMs },
      );
      return saidIn(result);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (tooMuch) throw new Broken(`it took over ${MOST_MEMORY_MB} MB of memory`, { cause: error });
      if (late.signal.aborted)
        throw new Broken(`no answer within ${this.#deadlineMs / 1_000} s`, { cause: error });
      if (transport.failure)
        throw new Broken(`the answer has over ${MOST_MESSAGE >> 20} MiB`, { cause: error });
      if (!transport.pid) throw new Broken('the server ended', { cause: error });
      if (error instanceof ProtocolError) return saidBy(error.message, true);
      throw new Broken(`the answer is not one of MCP: ${(error as Error).message}`, { cause: error });
    } finally {
      clearInterval(sample);
      clearTimeout(timer);
      this.figures.ms = Math.max(this.figures.ms, performance.now() - began);
    }
  }
}

/** Most tools, and most pages of their list, that are looked at. */
const MOST_TOOLS = 1_000;
const MOST_PAGES = 100;

async function toolsOf(client: Client): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, { timeout: START_MS });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** Makes the path of a file absolute, because the server runs in the sandbox: `./checked-server.js`. */
function fromHere(word: string): string {
  return word.includes('/') && existsSync(word) ? resolve(word) : word;
}

interface Result {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** Hosts show either the content or the structured content: both are checked, and the larger one counts. */
function saidIn({ content, structuredContent, isError }: Result): Said {
  const blocks = (Array.isArray(content) ? content : []) as readonly Readonly<Record<string, unknown>>[];
  const text = blocks
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)))
    .join('\n');
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  return {
    text: text.length > 0 ? text : structured,
    structured,
    bytes: Math.max(Buffer.byteLength(text), Buffer.byteLength(structured)),
    isError: isError === true,
  };
}

function saidBy(text: string, isError: boolean): Said {
  return { text, bytes: Buffer.byteLength(text), isError };
}

/** Resident megabytes of a process and its descendants; undefined if unknown. */
function treeMb(pid: number | undefined): number | undefined {
  const listed = pid === undefined ? undefined : listProcesses();
  if (!listed) return undefined;
  const all = [...listed];
  const parents = new Map(all.map((one) => [one, processStat(one)?.parent]));
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && one > 1 && (one === pid || isBelow(parents.get(one)));
  return all.filter(isBelow).reduce((sum, one) => sum + residentMb(one), 0);
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

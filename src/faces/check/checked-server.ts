/** The server under test, as the cases see it: it is started in the sandbox, and every answer is checked. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallOptions, Checked } from './case.ts';
import type { Call, Answer } from './server-answer.ts';
import { Connection, type Figures } from './checked-connection.ts';
import { continuationOf } from './continuation.ts';
import { numericArguments } from './numeric-arguments.ts';
import { DEADLINE_MS, holdToLaws, LEAK } from './laws.ts';
import { Broken } from './outcome.ts';
import { candidatesIn, type Mapped, type Mapping, parseMapping, type Role, type Tool } from './roles.ts';
import { type Chosen, chooseTools } from './probe-roles.ts';
import { PLAIN, PLAIN_TEXT, type Sandbox } from './sandbox.ts';
import { startFailure } from './start-failure.ts';

/** Milliseconds for the start with the list of the tools. */
const START_MS = 60_000;

export interface Deadlines {
  /** For each call. */
  readonly deadlineMs?: number | undefined;
  /** For the start with the list of the tools. */
  readonly startMs?: number | undefined;
}

export class Server implements Checked {
  roles: Mapping = {};
  /** Why a role has no tool, although one was found by its name. */
  without: Chosen['without'] = {};
  /** Maxima since the last `resetFigures`. */
  figures: Figures = { ms: 0, bytes: 0, memoryMb: 0 };
  /** What it sent with the secret during its last start. */
  leakedAtStart: string | undefined;
  readonly #sandbox: Sandbox;
  readonly #command: readonly string[];
  readonly #signal: AbortSignal;
  readonly #deadlineMs: number;
  readonly #startMs: number;
  #running: Connection | undefined;
  /** The numeric arguments of each role's tool. */
  #numbers: Partial<Record<Role, readonly string[]>> = {};

  /** `{}` in `command` is replaced by the root at each start. */
  constructor(
    sandbox: Sandbox,
    command: readonly string[],
    signal: AbortSignal,
    { deadlineMs = DEADLINE_MS, startMs = START_MS }: Deadlines = {},
  ) {
    this.#sandbox = sandbox;
    this.#command = command.map(fromHere);
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
    this.#startMs = startMs;
  }

  /** Throws `BAD_INPUT` if the command is not an MCP server, or the mapping does not match its tools. */
  async start(mapping?: string): Promise<void> {
    const command = this.#command.map((word) => word.replaceAll('{}', this.#sandbox.root));
    const connection = new Connection(this.#sandbox, command, this.#signal);
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

  /** Throws `Broken` if the server does not answer a small read correctly. */
  async expectServed(): Promise<void> {
    if (!this.roles.read) return;
    const answer = await this.call('read', PLAIN);
    if (answer.isError || !answer.text.includes(PLAIN_TEXT))
      throw new Broken('a small file is not read any more', { answer });
  }

  async call(role: Role, path: string, more: CallOptions = {}): Promise<Answer> {
    const call = callOf(this.roles[role] as Mapped, path, more);
    const answer = await this.#send(call).finally(() => this.#expectNoLeak(call));
    this.figures.bytes = Math.max(this.figures.bytes, answer.bytes);
    holdToLaws(answer, this.#sandbox, more);
    return answer;
  }

  async #send(call: Call): Promise<Answer> {
    if (!this.#running) throw new Broken('the server does not run any more', { call });
    return this.#running.ask(call, this.figures, this.#deadlineMs);
  }

  #expectNoLeak(call: Call): void {
    const text = this.#running?.takeLeak();
    if (text !== undefined) throw new Broken(LEAK, { call, text, at: text.indexOf(this.#sandbox.secret) });
  }

  next(role: Role, path: string, answer: Answer): { path: string; more: CallOptions } | undefined {
    const found = continuationOf(answer.text, this.#numbers[role] ?? []);
    return (
      found && { path: found.path ?? path, more: { ...(found.arguments && { arguments: found.arguments }) } }
    );
  }
}

function numbersOf(mapping: Mapping, tools: readonly Tool[]): Partial<Record<Role, readonly string[]>> {
  const numbers = Object.entries(mapping).map(([role, mapped]) => {
    const tool = tools.find(({ name }) => name === mapped.tool);
    return [role, numericArguments(tool?.inputSchema.properties ?? {})];
  });
  return Object.fromEntries(numbers) as Partial<Record<Role, readonly string[]>>;
}

function callOf(
  { tool, path: name, pattern, arguments: always }: Mapped,
  path: string,
  more: CallOptions,
): Call {
  const input: Record<string, unknown> = { ...always, [name]: path, ...more.arguments };
  if (pattern !== undefined) input[pattern] = more.pattern ?? 'row';
  return { tool, arguments: input };
}

/** Makes the path of a file absolute, because the server runs in the sandbox: `./checked-server.js`. */
function fromHere(word: string): string {
  return word.includes('/') && existsSync(word) ? resolve(word) : word;
}

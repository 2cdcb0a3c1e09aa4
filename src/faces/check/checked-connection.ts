/** One run of the server under test: its process, the client that calls it, and the memory that calls take. */

import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioTransport } from '../../access/mcp/stdio.ts';
import { basicEnvironment } from '../../access/mcp/transport.ts';
import { version } from '../../access/package-files.ts';
import { stringWith } from './find-text.ts';
import { MOST_MEMORY_MB } from './laws.ts';
import { toolsOf } from './list-tools.ts';
import { Broken } from './outcome.ts';
import { treeMb } from './process-memory.ts';
import type { Tool } from './roles.ts';
import { type Call, type Answer, errorAnswer, answerOf } from './server-answer.ts';
import type { Sandbox } from './sandbox.ts';
import { StderrTail } from './start-failure.ts';

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

export class Connection {
  tools: readonly Tool[] = [];
  readonly stderr = new StderrTail();
  readonly #sandbox: Sandbox;
  readonly #signal: AbortSignal;
  readonly #client = new Client({ name: 'oriel-check', version: version() }, { capabilities: {} });
  readonly #transport: StdioTransport;
  /** What contained the secret since the last `takeLeak`. */
  #leak: string | undefined;
  #sample = { at: Number.NEGATIVE_INFINITY, mb: 0 };
  #idleMb = 0;

  constructor(sandbox: Sandbox, [command = '', ...args]: readonly string[], signal: AbortSignal) {
    this.#sandbox = sandbox;
    this.#signal = signal;
    this.#transport = new StdioTransport({
      command,
      args,
      cwd: sandbox.root,
      env: { ...basicEnvironment(), ORIEL_CHECK_SECRET: sandbox.secret },
      maxMessage: MOST_MESSAGE,
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

  /** Throws `Broken` without an answer that is valid, in time and with little memory. Adds to `figures`. */
  async ask(call: Call, figures: Figures, deadlineMs: number): Promise<Answer> {
    const began = performance.now();
    let tooMuch = false;
    const late = new AbortController();
    const sample = setInterval(() => {
      const now = this.#sampledMb() - this.#idleMb;
      if (this.#idleMb === 0) return;
      figures.memoryMb = Math.max(figures.memoryMb, now);
      if (now <= MOST_MEMORY_MB) return;
      tooMuch = true;
      late.abort();
    }, SAMPLE_MS);
    const timer = setTimeout(() => late.abort(), deadlineMs);
    try {
      const signal = AbortSignal.any([late.signal, this.#signal]);
      const params = { name: call.tool, arguments: call.arguments };
      const timeout = 2 * deadlineMs;
      const result = await this.#client.request({ method: 'tools/call', params }, { signal, timeout });
      return answerOf(result, call);
    } catch (cause) {
      this.#signal.throwIfAborted();
      const broken = (message: string): Broken => new Broken(message, { cause, call });
      if (tooMuch) throw broken(`it took over ${MOST_MEMORY_MB} MB of memory`);
      if (late.signal.aborted) throw broken(`no answer within ${deadlineMs / 1_000} s`);
      if (this.#transport.failure) throw broken(`the answer has over ${MOST_MESSAGE >> 20} MiB`);
      if (!this.#transport.pid) throw broken('the server ended');
      if (cause instanceof ProtocolError) return errorAnswer(cause.message, call);
      throw broken(`the answer is not one of MCP: ${(cause as Error).message}`);
    } finally {
      clearInterval(sample);
      clearTimeout(timer);
      figures.ms = Math.max(figures.ms, performance.now() - began);
    }
  }
}

/**
 * The transport to an MCP server that is a child process. The SDK's own transport is not used, because its child stays in
 * our process group, and its descendants are not ended.
 */

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  deserializeMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { isOrielError, OrielError } from '../errors.ts';
import { killAtExit, TOKEN_NAME } from '../process/command.ts';
import { endTree, processStartTime, type ProcessTree } from '../process/process-tree.ts';
import { startProcess } from '../process/start.ts';
import { watch, type WatchedProcess } from '../process/watchdog.ts';
import { messagesIn, type ReduceMessage } from './mcp-http.ts';

/** Maximum bytes that are buffered for a server that does not read. */
const MAX_UNSENT_BYTES = 1 << 20;

function isFull(input: Writable | null): boolean {
  return (input?.writableLength ?? 0) >= MAX_UNSENT_BYTES;
}

function unreadInput(): OrielError {
  return new OrielError(
    'BUSY',
    'The MCP server does not read its input: more than 1 MiB is waiting for it. Use the same call later.',
  );
}

interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Maximum bytes of a message; a server that sends more is ended. */
  readonly maxMessage: number;
  readonly reduce: ReduceMessage;
  /** Takes what the server writes to stderr, which is ignored otherwise. */
  readonly onStderr?: ((chunk: Buffer) => void) | undefined;
}

/** Milliseconds that a server has to exit after the end of its input, and again after SIGTERM. */
const GRACE_MS = 400;

export class StdioClientTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #server: StdioServer;
  /** Why oriel ended the server, if it did so because of an error. */
  failure: OrielError | undefined;
  heard = 0;
  #running: Running | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** Requests without an answer, by their ids. */
  readonly #waiting = new Set<unknown>();
  #wake: (() => void) | undefined;

  constructor(server: StdioServer) {
    this.#server = server;
  }

  /** Undefined before it runs and when it has ended. */
  get pid(): number | undefined {
    return this.#running?.tree.pid;
  }

  /** The process with its descendants; undefined before it runs and when it has ended. */
  get tree(): ProcessTree | undefined {
    return this.#running?.tree;
  }

  /** Resolves when the process runs. Throws what `spawn` throws: `ENOENT`, `EACCES`. */
  async start(): Promise<void> {
    const { child, ...running } = await startServer(this.#server);
    const { onStderr } = this.#server;
    if (onStderr) child.stderr?.on('data', onStderr);
    this.#running = { child, ...running };
    const reading = this.#read(child.stdout as Readable);
    const input = child.stdin as Writable;
    input.on('error', (error) => this.onerror?.(error));
    // Earlier output is still read, unless another process holds the pipe open.
    child.once('exit', () => void Promise.race([reading, sleep(GRACE_MS)]).then(() => this.close()));
    // An idle server does not keep this process alive; a pending request does.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  }

  async #read(output: Readable): Promise<void> {
    const { maxMessage, reduce } = this.#server;
    try {
      for await (const message of messagesIn(this.#whileAsked(output), maxMessage, reduce)) {
        this.#take(message);
        await this.#untilRead();
      }
    } catch (error) {
      // After `close` the end of the output is expected.
      if (!this.#running) return;
      if (isOrielError(error)) this.failure = error;
      else this.onerror?.(error as Error);
    }
    // No answer can arrive any more, even if the process is still running.
    void this.close();
  }

  /**
   * Output is read only while a request waits for an answer. A server that writes endlessly is blocked by its
   * full pipe.
   */
  async *#whileAsked(output: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of output) {
      yield chunk as Buffer;
      while (this.#waiting.size === 0 && this.#running) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  #take(line: Uint8Array): void {
    try {
      const message = deserializeMessage(Buffer.from(line).toString('utf8'));
      this.heard += 1;
      // An id that is returned as a string counts as the number, as in the client.
      if (isJSONRPCResponse(message) && !this.#waiting.delete(message.id))
        this.#waiting.delete(Number(message.id));
      this.onmessage?.(message);
    } catch (error) {
      // A line that is not a message is skipped, as in the SDK.
      this.onerror?.(error as Error);
    }
  }

  /** Waits while the buffer of unsent messages is full: a server that sends pings and never reads would fill it with answers. */
  async #untilRead(): Promise<void> {
    while (this.#running && isFull(this.#running.child.stdin)) {
      const { stdin } = this.#running.child;
      await new Promise<void>((resolve) => {
        stdin?.once('drain', resolve);
        stdin?.once('close', resolve);
      });
    }
  }

  /** Resolves when the message is buffered. Rejects with `BUSY` if the server does not read earlier messages. */
  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#running?.child.stdin;
    if (!input?.writable) {
      throw new Error('The server does not run any more.');
    }
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#waiting.delete(message.params?.['requestId']);
    }
    if (isJSONRPCRequest(message)) {
      if (isFull(input)) throw unreadInput();
      this.#waiting.add(message.id);
      this.#wake?.();
    }
    input.write(serializeMessage(message));
  }

  /** Ends the server and its descendants. Resolves when the process is gone, also for a second caller. */
  close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#wake?.();
    if (running) this.#ended = this.#end(running);
    return this.#ended;
  }

  async #end({ child, tree, watched, isOver }: Running): Promise<void> {
    this.onclose?.();
    child.stdout?.destroy();
    child.stdin?.end();
    const exited = child.exitCode !== null || child.signalCode !== null;
    if (!exited) {
      const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
      await Promise.race([gone, sleep(GRACE_MS)]);
    }
    await endTree(tree, GRACE_MS);
    const { stderr } = child;
    // What it wrote to stderr is read to the end, unless another process holds the pipe open.
    if (stderr && !stderr.closed) {
      const read = new Promise<void>((resolve) => void stderr.once('close', () => resolve()));
      await Promise.race([read, sleep(GRACE_MS)]);
      stderr.destroy();
    }
    isOver();
    watched.release();
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  readonly watched: WatchedProcess;
  readonly isOver: () => void;
}

/** Starts the server in its own process group, with a token in its environment by which its descendants are found. */
async function startServer({ command, args, cwd, env, onStderr }: StdioServer): Promise<Running> {
  const token = randomBytes(16).toString('hex');
  const outer = process.env[TOKEN_NAME];
  const watched = watch(token);
  const began = performance.now();
  try {
    const child = startProcess(command, args, {
      cwd,
      env: { ...env, [TOKEN_NAME]: outer ? `${outer},${token}` : token },
      detached: true,
      stdio: ['pipe', 'pipe', onStderr ? 'pipe' : 'ignore'],
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    const pid = child.pid as number;
    watched.isRunning(pid);
    const tree: ProcessTree = { pid, token, since: processStartTime(pid), began };
    return { child, tree, watched, isOver: killAtExit(tree) };
  } catch (error) {
    watched.release();
    throw error;
  }
}

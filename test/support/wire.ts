/** A child process that speaks line-delimited JSON-RPC over stdio; a test can also send it invalid messages. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { cli } from './cli.ts';
import type { AtEnd } from './commands.ts';
import { initialize } from './server.ts';

export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Wire {
  readonly pid: number;
  /** Lines of stdout so far. */
  readonly lines: readonly string[];
  stderr(): string;
  write(bytes: string | Uint8Array): Promise<void>;
  send(message: object): void;
  /** Resolves with the first message, already received or future, that `wanted` accepts. */
  receive(wanted: (message: Message) => boolean): Promise<Message>;
  /** Sends a request and resolves with its response. */
  ask(id: string | number, method: string, params?: object): Promise<Message>;
  end(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, when all that it has written has been received. */
  readonly exited: Promise<number | null>;
}

export interface WireOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Options of Node. */
  readonly node?: readonly string[];
  /** Reads only the first message of its stdout. */
  readonly deaf?: boolean;
  /** When it is ended; `afterAll` for one that the tests of a file share. */
  readonly atEnd?: AtEnd;
}

export function wire(
  args: readonly string[],
  { node = [], deaf, atEnd = onTestFinished, ...options }: WireOptions = {},
): Wire {
  const child = spawn(process.execPath, [...node, cli, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
  atEnd(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const reader = createInterface({ input: child.stdout }).on('line', (line) => {
    // The part of a line before the end of the stream is reported also while it is paused.
    if (deaf && messages.length > 0) return;
    if (deaf) reader.pause();
    lines.push(line);
    messages.push(JSON.parse(line) as Message);
    for (const watch of watchers) watch();
  });
  // When it has exited, a part of what it has written may still be in the pipe.
  const exited = new Promise<number | null>((resolve) => child.once(deaf ? 'exit' : 'close', resolve));
  const self: Wire = {
    pid: child.pid as number,
    lines,
    stderr: () => stderr,
    write: (bytes) =>
      new Promise((resolve) => {
        if (child.stdin.write(bytes)) resolve();
        else child.stdin.once('drain', resolve);
      }),
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    receive: (wanted) =>
      new Promise((resolve) => {
        const watch = (): void => {
          const found = messages.find(wanted);
          if (!found) return;
          watchers.delete(watch);
          resolve(found);
        };
        watchers.add(watch);
        watch();
      }),
    async ask(id, method, params = {}) {
      self.send({ jsonrpc: '2.0', id, method, params });
      const ended = exited.then((code): never => {
        throw new Error(`the process exited with ${code} before it answered: ${stderr}`);
      });
      return Promise.race([self.receive((message) => message.id === id), ended]);
    },
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exited,
  };
  return self;
}

/** A process after the `initialize` handshake of MCP's 2025 versions. */
export async function session(
  args: readonly string[],
  client = 'test',
  env: NodeJS.ProcessEnv = process.env,
  atEnd?: AtEnd,
): Promise<Wire> {
  const opened = wire(['mcp', ...args], { env, ...(atEnd && { atEnd }) });
  await opened.ask('hello', 'initialize', initialize('2025-11-25', client).params);
  opened.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return opened;
}

/** Its answer has the details. */
export const readCall = (
  path: unknown,
): { name: string; arguments: { path: unknown }; _meta: Record<string, unknown> } => ({
  name: 'read',
  arguments: { path },
  _meta: { 'io.github.oriel/details': true },
});

/** `oriel serve` in a child process, called with fetch, or with raw bytes for requests that fetch cannot send. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cli } from './cli.ts';
import { type AtEnd, temporaryFolder } from './commands.ts';

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Its log (stderr) so far, and its stdout. */
  log(): string;
  out(): string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Sends `body` as JSON unless `init` says otherwise. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  /** Sends raw bytes; resolves with everything received until the server closes the connection. `ms` only ends what hangs. */
  raw(bytes: string | readonly (string | Uint8Array)[], ms?: number): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

export interface ServerOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** User id to run as. */
  readonly uid?: number;
  readonly cwd?: string;
  /** Options of Node. */
  readonly node?: readonly string[];
  /** When it is ended; `afterAll` for one that the tests of a file share. */
  readonly atEnd?: AtEnd;
}

export async function server(
  args: readonly string[],
  { env = {}, uid, cwd, node = [], atEnd = onTestFinished }: ServerOptions = {},
): Promise<ServerProcess> {
  const needsToken =
    args.includes('--allow-bash') && !args.includes('--token-file') && !env['ORIEL_TOKEN_FILE'];
  const authorization = needsToken ? AUTHORIZATION : {};
  // A server closes a connection after five seconds without a request: that of one test may just end when the next uses it.
  const own = { ...authorization, ...(atEnd !== onTestFinished && { connection: 'close' }) };
  const listen = [
    'serve',
    '--listen',
    '127.0.0.1:0',
    ...(needsToken ? ['--token-file', tokenFile(atEnd)] : []),
  ];
  const child = spawn(process.execPath, [...node, cli, ...listen, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(uid !== undefined && { uid }),
    ...(cwd !== undefined && { cwd }),
  });
  atEnd(() => void child.kill('SIGKILL'));
  let log = '';
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const address = /"address":"(http:[^"]+)"/.exec(log)?.[1];
      if (address !== undefined) resolve(address);
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${log}`)));
  });
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    pid: child.pid as number,
    log: () => log,
    out: () => out,
    get: (path, init = {}) => fetch(url + path, { ...init, headers: { ...own, ...init.headers } }),
    post: postTo(url, own),
    raw: (bytes, ms = 60_000) =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let said = '';
        const timer = setTimeout(() => socket.destroy(), ms);
        socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearTimeout(timer);
          resolve(said);
        });
        for (const piece of typeof bytes === 'string' ? [bytes] : bytes) socket.write(piece);
      }),
    kill: (signal) => void child.kill(signal),
    exited,
  };
}

/** Sends JSON to a server, with these headers. */
export const postTo =
  (url: string, own: Readonly<Record<string, string>> = {}) =>
  (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: {
        'content-type': 'application/json',
        ...own,
        ...(init.headers as Record<string, string> | undefined),
      },
    });

/** The request that begins a session of MCP. */
export const initialize = (protocolVersion: string, name = 'test') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } },
});

/** What each request of the newest protocol carries. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const TOKEN = 'token-of-a-server-that-runs-commands';

/** The header for a server with `--allow-bash` that was started without another token; `get` and `post` send it. */
export const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

function tokenFile(atEnd: AtEnd): string {
  const path = join(temporaryFolder(atEnd), 'token');
  writeFileSync(path, TOKEN, { mode: 0o600 });
  return path;
}

/** A stateless request of MCP's 2025 versions. */
export const mcpList = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

export const mcpHeaders = { accept: 'application/json, text/event-stream' };

/** The JSON-RPC message of a response, which may be JSON or a server-sent event. */
export async function mcpMessage(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as Record<string, unknown>;
}

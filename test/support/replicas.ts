/** Several `oriel serve` processes with one shared store, and load balancers in front of them. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { temporaryFolder } from './commands.ts';
import { AUTHORIZATION, server, type ServerProcess } from './server.ts';
import { freePort, running, storeForAll, type StoreServer } from './stores.ts';

export interface ReplicaAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly details: {
    readonly output?: { readonly artifact: string; readonly unshared?: string };
    readonly error?: { readonly code: string };
  };
}

/** Creates a file with the encryption key of the shared state in a new temporary directory; returns its path. */
export function keyFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'oriel-key-')), 'key');
  writeFileSync(path, 'the key of one operator, and no other\n', { mode: 0o600 });
  return path;
}

export interface ReplicaOptions {
  /** Further arguments of `oriel serve`. */
  readonly more?: readonly string[];
  readonly workspace?: string;
}

export interface Replicas {
  readonly store: StoreServer;
  /** Path of the key file. */
  readonly key: string;
  /** Starts another replica on the store. */
  replica(options?: ReplicaOptions): Promise<ServerProcess>;
  two(options?: ReplicaOptions): Promise<readonly [ServerProcess, ServerProcess]>;
}

/** A store and a key for all tests of the enclosing `describe`. */
export function replicasOn(start: () => Promise<StoreServer>): Replicas {
  const made = storeForAll(start);
  const key = keyFile();
  afterAll(() => rmSync(dirname(key), { recursive: true }));
  const replica = (options?: ReplicaOptions): Promise<ServerProcess> => replicaOn(made.server, key, options);
  return {
    get store() {
      return made.server;
    },
    key,
    replica,
    two: async (options) => [await replica(options), await replica(options)],
  };
}

export function replicaOn(
  store: Pick<StoreServer, 'url'>,
  key: string,
  { more = [], workspace = temporaryFolder() }: ReplicaOptions = {},
): Promise<ServerProcess> {
  // A long timeout: on a busy machine a slow store must not count as unavailable.
  const state = ['--state', store.url, '--state-key-file', key, '--state-timeout', '30'];
  return server([workspace, '--allow-bash', '--host', 'oriel', ...state, ...more], {
    env: { XDG_CACHE_HOME: temporaryFolder() },
  });
}

/** Calls a tool over HTTP. `client`: the client's name; false for none. */
export async function callOn(
  url: string,
  tool: string,
  input: object,
  { client = 'alice', headers = {} }: { client?: string | false; headers?: Record<string, string> } = {},
): Promise<ReplicaAnswer> {
  const response = await fetch(`${url}/api/v0/tools/${tool}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...AUTHORIZATION,
      ...(client !== false && { 'oriel-client': client }),
      ...headers,
    },
    body: JSON.stringify(input),
  });
  return (await response.json()) as ReplicaAnswer;
}

export const textOf = ({ content }: ReplicaAnswer): string => content.map(({ text }) => text).join('');

export const artifactOf = (answer: ReplicaAnswer): string =>
  answer.details.output?.artifact ?? textOf(answer);

/** A round-robin balancer that retries on another replica if one is down. */
export function balancerInTurn(replicas: readonly ServerProcess[]): Promise<StoreServer> {
  return haproxy(
    (port) => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option redispatch 1
  retries 3
frontend all
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
${replicas.map(({ port: at }, i) => `  server r${i} 127.0.0.1:${at}`).join('\n')}
`,
  );
}

/** The balancer configuration of the Compose file, with the test's replicas instead of those found by DNS. */
export function shippedBalancer(replicas: readonly ServerProcess[]): Promise<StoreServer> {
  const shipped = readFileSync('deploy/compose/haproxy.cfg', 'utf8');
  const servers = replicas.map(({ port }, i) => `  server r${i + 1} 127.0.0.1:${port}`).join('\n');
  return haproxy((port) => {
    const replaced = shipped
      .replace(/^resolvers [\s\S]*?\n\n/m, '')
      .replaceAll(' init-addr none resolvers containers', '')
      .replaceAll(/^ {2}server-template .*$/gm, servers)
      .replace('bind :7345', `bind 127.0.0.1:${port}`);
    if (/resolvers|server-template|bind :/m.test(replaced)) throw new Error(replaced);
    return replaced;
  });
}

async function haproxy(config: (port: number) => string): Promise<StoreServer> {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-haproxy-'));
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, config(port));
  const start = (): ReturnType<typeof spawn> => spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' });
  const made = await running({ port, url: `http://127.0.0.1:${port}`, directory, start });
  onTestFinished(() => made.stop());
  return made;
}

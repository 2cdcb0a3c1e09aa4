/** Several `oriel serve` processes with one shared store, and load balancers in front of them. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createOffer, type OfferOptions } from '../../src/faces/offer.ts';
import { type AppUnderTest, serveOffer } from './app.ts';
import { temporaryFolder } from './commands.ts';
import { AUTHORIZATION, server, type ServerProcess, postTo } from './server.ts';
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
  /** A replica in this process, for tests that do not kill it. */
  here(options?: OfferOptions): Promise<AppUnderTest>;
  twoHere(options?: OfferOptions): Promise<readonly [AppUnderTest, AppUnderTest]>;
}

/** A store and a key for all tests of the enclosing `describe`. */
export function replicasOn(start: () => Promise<StoreServer>): Replicas {
  const made = storeForAll(start);
  const key = keyFile();
  afterAll(() => rmSync(dirname(key), { recursive: true }));
  const replica = (options?: ReplicaOptions): Promise<ServerProcess> => replicaOn(made.server, key, options);
  const here = (options?: OfferOptions): Promise<AppUnderTest> => replicaHere(made.server, key, options);
  return {
    get store() {
      return made.server;
    },
    key,
    replica,
    two: async (options) => [await replica(options), await replica(options)],
    here,
    twoHere: async (options) => [await here(options), await here(options)],
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

/** With a cache and a working directory of its own. */
export function replicaHere(
  store: Pick<StoreServer, 'url'>,
  key: string,
  options: OfferOptions = {},
): Promise<AppUnderTest> {
  const offer = createOffer({
    cwd: temporaryFolder(),
    cache: { directory: temporaryFolder() },
    // A busy machine is no call that hangs.
    timeoutMs: 300_000,
    allowBash: true,
    manyClients: true,
    state: { url: store.url, key: readFileSync(key, 'utf8').trim(), timeoutMs: 30_000 },
    ...options,
  });
  onTestFinished(() => offer.close());
  return serveOffer(offer, { hosts: ['oriel'] });
}

/** Calls a tool over HTTP. `client`: the client's name; false for none. */
export async function callOn(
  url: string,
  tool: string,
  input: object,
  { client = 'alice', headers = {} }: { client?: string | false; headers?: Record<string, string> } = {},
): Promise<ReplicaAnswer> {
  const own = { ...AUTHORIZATION, ...(client !== false && { 'oriel-client': client }), ...headers };
  const response = await postTo(url, own)(`/api/v0/tools/${tool}`, input);
  return (await response.json()) as ReplicaAnswer;
}

export const textOf = ({ content }: ReplicaAnswer): string => content.map(({ text }) => text).join('');

export const artifactOf = (answer: ReplicaAnswer): string =>
  answer.details.output?.artifact ?? textOf(answer);

/** Of a replica, what a balancer has to know. */
type Addressed = Pick<ServerProcess, 'url'>;

/** A round-robin balancer that retries on another replica if one is down. */
export function balancerInTurn(replicas: readonly Addressed[]): Promise<StoreServer> {
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
${replicas.map(({ url }, i) => `  server r${i} ${new URL(url).host}`).join('\n')}
`,
  );
}

/** The balancer configuration of the Compose file, with the test's replicas instead of those found by DNS. */
export function shippedBalancer(replicas: readonly Addressed[]): Promise<StoreServer> {
  const shipped = readFileSync('deploy/compose/haproxy.cfg', 'utf8');
  const servers = replicas.map(({ url }, i) => `  server r${i + 1} ${new URL(url).host}`).join('\n');
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

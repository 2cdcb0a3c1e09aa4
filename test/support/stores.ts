/** Redis and PostgreSQL servers for tests, each in a child process on a free port with its data in a temporary directory. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

export interface StoreServer {
  readonly port: number;
  readonly url: string;
  /** Sends a signal and resolves when the process has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Suspends the process: connections stay open, without answers. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same port and with the same data directory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The kinds of shared stores, the signal that ends a server immediately, and a function that deletes all values. */
export const storeKinds = [
  { kind: 'redis', start: redisServer, end: 'SIGKILL', empty: emptyRedis },
  { kind: 'postgres', start: postgresServer, end: 'SIGQUIT', empty: emptyPostgres },
] as const;

function emptyRedis({ port }: StoreServer): void {
  execFileSync('redis-cli', ['-p', String(port), 'flushall'], { stdio: 'ignore' });
}

function emptyPostgres({ url }: StoreServer): void {
  execFileSync(join(postgresPrograms(), 'psql'), [url, '-c', 'TRUNCATE public.oriel_state'], {
    stdio: 'ignore',
  });
}

/** One server for all tests of the enclosing `describe`. */
export function storeForAll(start: () => Promise<StoreServer>): { readonly server: StoreServer } {
  const made = {} as { server: StoreServer };
  beforeAll(async () => {
    made.server = await start();
  });
  afterAll(() => made.server.stop());
  return made;
}

/**
 * A port of 127.0.0.1 that nothing listens on. Below those that the system gives to connections and to servers without a port
 * of their own: one of those would be taken by another test before a server listens on it, or while it is restarted.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => void server.close(resolve));
  return isFree ? port : freePort();
}

export async function redisServer(args: readonly string[] = []): Promise<StoreServer> {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-redis-'));
  const port = await freePort();
  const start = (): ChildProcess =>
    spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory, ...args],
      { stdio: 'ignore' },
    );
  return running({ port, url: `redis://127.0.0.1:${port}`, directory, start });
}

/** The directory of PostgreSQL's programs, that of the highest version installed. */
export function postgresPrograms(): string {
  const base = '/usr/lib/postgresql';
  const [version = 'none'] = readdirSync(base).toSorted((a, b) => Number(b) - Number(a));
  return join(base, version, 'bin');
}

/** With `tls` the server refuses unencrypted connections. */
export async function postgresServer(tls?: {
  readonly certificate: string;
  readonly key: string;
}): Promise<StoreServer> {
  const directory = mkdtempSync(join(tmpdir(), 'oriel-pg-'));
  const port = await freePort();
  const programs = postgresPrograms();
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? userOf('postgres') : undefined;
  if (user) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const options = { ...user, cwd: directory, stdio: 'ignore' as const };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'oriel', '--auth=trust', '--no-sync', '--no-locale', '-E', 'UTF8'],
    options,
  );
  const settings = ['-c', 'shared_buffers=16MB'];
  if (tls) {
    // PostgreSQL requires a key file that it owns and no other user can read.
    const own = (path: string): string => {
      const copy = join(directory, basename(path));
      copyFileSync(path, copy);
      chmodSync(copy, 0o600);
      if (user) chownSync(copy, user.uid, user.gid);
      return copy;
    };
    settings.push(
      '-c',
      'ssl=on',
      '-c',
      `ssl_cert_file=${own(tls.certificate)}`,
      '-c',
      `ssl_key_file=${own(tls.key)}`,
    );
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
  }
  const start = (): ChildProcess =>
    spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-F', ...settings],
      options,
    );
  const url = `postgres://oriel@127.0.0.1:${port}/postgres`;
  const answers = (): boolean =>
    spawnSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0;
  return running({ port, url, directory, start, answers });
}

function userOf(name: string): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

interface Startable {
  readonly port: number;
  readonly url: string;
  readonly directory: string;
  readonly start: () => ChildProcess;
  /** A readiness check, for servers that listen before they can answer. */
  readonly answers?: () => boolean;
}

/** Starts a process and waits until it listens on its port. Also for load balancers. */
export async function running({ port, url, directory, start, answers }: Startable): Promise<StoreServer> {
  let child = start();
  const exited = (of: ChildProcess): Promise<void> =>
    of.exitCode !== null || of.signalCode !== null
      ? Promise.resolve()
      : new Promise((resolve) => void of.once('exit', () => resolve()));
  const ready = async (): Promise<void> => {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      if ((await listens(port)) && (answers?.() ?? true)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await ready();
  return {
    port,
    url,
    async kill(signal = 'SIGKILL') {
      const over = exited(child);
      child.kill(signal);
      await over;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async restart() {
      await exited(child);
      child = start();
      await ready();
    },
    async stop() {
      child.kill('SIGCONT');
      const over = exited(child);
      child.kill('SIGQUIT');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await over;
      clearTimeout(late);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Opens the shared store of a host's options. An invalid URL or key or a missing package is an error immediately. */

import { createRequire } from 'node:module';
import type { StateOptions } from '../../../../src/session/shared.ts';
import type { BackendOptions, SharedState, StateBackend } from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import { SharedStore, ValueSeal } from './shared-state.ts';

const DEFAULT_TIMEOUT_MS = 1_000;

const MIN_STATE_KEY_CHARACTERS = 32;

/** As `openState` of oriel, which has the options. */
export function openStore({
  url,
  key,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  workers = false,
}: StateOptions): SharedState | undefined {
  const { protocol: scheme, pathname } = URL.canParse(url) ? new URL(url) : { protocol: '', pathname: '' };
  if (scheme === 'file:') {
    if (workers) refuseWorkers(scheme);
    return undefined;
  }
  const kind = Object.hasOwn(backends, scheme) ? backends[scheme] : undefined;
  if (!kind?.path.test(pathname)) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      `The state is file:, redis://HOST:PORT/NUMBER, rediss://, or postgres://HOST:PORT/DATABASE${kind ? '' : `, not ${scheme === '' ? 'what is no URL' : oriel.quote(scheme)}`}.`,
    );
  }
  if (key === undefined || key.length < MIN_STATE_KEY_CHARACTERS) {
    throw new oriel.OrielError(
      'BAD_INPUT',
      `A shared state needs a key of at least ${MIN_STATE_KEY_CHARACTERS} characters that all replicas have, for example from openssl rand -hex 32: without it, anyone who can write to the store could forge data. Use --state-key-file FILE.`,
    );
  }
  if (!(timeoutMs > 0 && timeoutMs <= 60_000)) {
    throw new oriel.OrielError('BAD_INPUT', 'The option state.timeoutMs is above 0, and at most 60000.');
  }
  if (workers && !kind.hasQueues) refuseWorkers(scheme);
  const packages = workers ? [...kind.packages, ...QUEUE_PACKAGES] : kind.packages;
  refuseMissing(packages, scheme);
  refuseOlder(packages, scheme);
  const open = (): ReturnType<typeof kind.open> => kind.open({ url, timeoutMs });
  const seal = new ValueSeal(Buffer.from(key));
  return new SharedStore({ seal, timeoutMs, open, atOnce: kind.atOnce, jobsUrl: workers ? url : undefined });
}

/** BullMQ and its Redis client. */
const QUEUE_PACKAGES = ['bullmq', 'ioredis'];

function refuseWorkers(scheme: string): never {
  throw new oriel.OrielError(
    'BAD_INPUT',
    `Workers get their jobs through Redis or Valkey, not ${scheme}. Use --state redis://HOST:PORT.`,
  );
}

/** Throws `BAD_INPUT` if a package is missing: they are not installed with oriel, because most hosts do not need them. */
function refuseMissing(packages: readonly string[], scheme: string): void {
  const { resolve } = createRequire(import.meta.url);
  const missing = packages.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  throw new oriel.OrielError(
    'BAD_INPUT',
    `A state at ${scheme}// needs packages that are not installed. Use ${commandThatAdds(packages)}`,
  );
}

/** Throws `BAD_INPUT` if a package is older than required. `from`: the URL of the code that imports it. */
export function refuseOlder(packages: readonly string[], scheme: string, from = import.meta.url): void {
  for (const name of packages) {
    const [version, least] = [oriel.installedVersion(name, from), OLDEST_STORE_VERSIONS[name]];
    if (version === undefined || least === undefined || !oriel.isOlder(version, least)) continue;
    throw new oriel.OrielError(
      'BAD_INPUT',
      `A state at ${scheme}// needs version ${least} of the package ${name}, or a newer one, and ${version} is installed. Use ${commandThatAdds([name])}`,
    );
  }
}

/** This package is named too, because the packages of npx are chosen when it is started. */
function commandThatAdds(packages: readonly string[]): string {
  const named = packages.map((name) => `${name}${VERSIONS[name]}`);
  return oriel.installCommand([`@oriel/scale@${oriel.version()}`, ...named]);
}

/** The oldest supported versions, with which the stores and the queue are tested. */
export const OLDEST_STORE_VERSIONS: Readonly<Record<string, string>> = {
  keyv: '5.6.0',
  '@keyv/redis': '5.1.6',
  '@keyv/postgres': '2.2.3',
  pg: '8.17.1',
  bullmq: '6.7.0',
  ioredis: '5.11.1',
};

/** The last major versions that run on Node 20.19. */
const VERSIONS: Readonly<Record<string, string>> = {
  keyv: '@5',
  '@keyv/redis': '@5',
  '@keyv/postgres': '@2',
  pg: '@8',
  bullmq: '@6',
  ioredis: '@5',
};

// The table of backends for the shared store, by the scheme of the URL. A new backend is one file and one row here.

interface BackendKind {
  /** Required packages, which are not installed with oriel. */
  readonly packages: readonly string[];
  /** The valid paths of its URL: with another one every operation would fail. */
  readonly path: RegExp;
  /** Loads the packages and opens the backend. */
  readonly open: (options: BackendOptions) => Promise<StateBackend>;
  /** Maximum concurrent operations. */
  readonly atOnce: number;
  /** Whether it can queue jobs for workers. */
  readonly hasQueues?: true | undefined;
}

const redis: BackendKind = {
  packages: ['keyv', '@keyv/redis'],
  // The number of a database.
  path: /^\/?\d{0,5}$/,
  open: async (options) => (await import('./redis.ts')).openRedis(options),
  atOnce: 64,
  hasQueues: true,
};

const postgres: BackendKind = {
  packages: ['keyv', '@keyv/postgres', 'pg'],
  path: /^\/?[^/]*$/,
  open: async (options) => (await import('./postgres.ts')).openPostgres(options),
  // The size of its connection pool, so that no operation waits for a connection.
  atOnce: 8,
};

/** By the scheme of the URL, with its colon. */
export const backends: Readonly<Record<string, BackendKind>> = {
  'redis:': redis,
  'rediss:': redis,
  'postgres:': postgres,
  'postgresql:': postgres,
};

/** Opens the shared store of a host's options. An invalid URL or key or a missing package is an error immediately. */

import { OrielError } from '../errors.ts';
import { installCommand, installedVersion, isOlder, packageRequire } from '../files/package-files.ts';
import { quote } from '../text/visible.ts';
import type { BackendOptions, SharedState, StateBackend } from '../types/state.ts';
import { SharedStore, ValueSeal } from './shared-state.ts';

export interface StateOptions {
  /** `redis://…`, `rediss://…`, `postgres://…`; `file:` shares nothing. */
  readonly url: string;
  /** The secret of all replicas, with which values are encrypted. At least 32 characters. */
  readonly key?: string | undefined;
  /** The space of calls without a separate client. @default 'common' */
  readonly space?: string | undefined;
  /** Timeout of an operation of the store, in milliseconds. @default 1000 */
  readonly timeoutMs?: number | undefined;
  /** Whether `oriel worker` processes, if there are any, do heavy work. Requires Redis or Valkey. @default false */
  readonly workers?: boolean | undefined;
}

export const DEFAULT_TIMEOUT_MS = 1_000;

const MIN_STATE_KEY_CHARACTERS = 32;

/**
 * Undefined for `file:`. Does not connect or load anything yet. Throws `BAD_INPUT`; of the URL only the scheme is in the
 * message.
 */
export function openState({
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
    throw new OrielError(
      'BAD_INPUT',
      `The state is file:, redis://HOST:PORT/NUMBER, rediss://, or postgres://HOST:PORT/DATABASE${kind ? '' : `, not ${scheme === '' ? 'what is no URL' : quote(scheme)}`}.`,
    );
  }
  if (key === undefined || key.length < MIN_STATE_KEY_CHARACTERS) {
    throw new OrielError(
      'BAD_INPUT',
      `A shared state needs a key of at least ${MIN_STATE_KEY_CHARACTERS} characters that all replicas have, for example from openssl rand -hex 32: without it, anyone who can write to the store could forge data. Use --state-key-file FILE.`,
    );
  }
  if (!(timeoutMs > 0 && timeoutMs <= 60_000)) {
    throw new OrielError('BAD_INPUT', 'The option state.timeoutMs is above 0, and at most 60000.');
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
  throw new OrielError(
    'BAD_INPUT',
    `Workers get their jobs through Redis or Valkey, not ${scheme}. Use --state redis://HOST:PORT.`,
  );
}

/** Throws `BAD_INPUT` if a package is missing: they are not installed with oriel, because most hosts do not need them. */
function refuseMissing(packages: readonly string[], scheme: string): void {
  const { resolve } = packageRequire();
  const missing = packages.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  throw new OrielError(
    'BAD_INPUT',
    `A state at ${scheme}// needs packages that are not installed. Use ${installCommand(packages.map((name) => `${name}${VERSIONS[name] ?? ''}`))}`,
  );
}

/** Throws `BAD_INPUT` if a package is older than required. `from`: the URL of the code that imports it, by default ours. */
export function refuseOlder(packages: readonly string[], scheme: string, from?: string): void {
  for (const name of packages) {
    const [version, least] = [installedVersion(name, from), OLDEST_STORE_VERSIONS[name]];
    if (version === undefined || least === undefined || !isOlder(version, least)) continue;
    throw new OrielError(
      'BAD_INPUT',
      `A state at ${scheme}// needs version ${least} of the package ${name}, or a newer one, and ${version} is installed. Use ${installCommand([`${name}${VERSIONS[name]}`])}`,
    );
  }
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

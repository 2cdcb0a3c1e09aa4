/** The table of backends for the shared store, by the scheme of the URL. A new backend is one file and one row here. */

import type { BackendOptions, StateBackend } from '../types/state.ts';

export interface BackendKind {
  /** Required packages, which are not installed with oriel. */
  readonly packages: readonly string[];
  /** The valid paths of its URL: with another one every operation would fail. */
  readonly path: RegExp;
  /** Loads the packages and opens the backend. */
  readonly open: (options: BackendOptions) => Promise<StateBackend>;
  /** Maximum concurrent operations. */
  readonly atOnce: number;
  /** Whether it can queue jobs for workers. */
  readonly hasQueues?: true;
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

/** The stores that replicas can share, by the scheme of their URL. A further one is a file beside this and a row here. */

import type { BackendOptions, StateBackend } from '../types/state.ts';

export interface BackendKind {
  /** Packages that it needs, which are not installed with oriel. */
  readonly packages: readonly string[];
  /** What the path of its URL matches: another one would fail with every use. */
  readonly path: RegExp;
  /** Its packages are loaded here, and nowhere before. */
  readonly open: (options: BackendOptions) => Promise<StateBackend>;
  /** Uses of it at a time. */
  readonly atOnce: number;
  /** Whether jobs for workers can be queued in it. */
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
  // Its connections: no use waits for one.
  atOnce: 8,
};

/** By the scheme of the URL, with its colon. */
export const backends: Readonly<Record<string, BackendKind>> = {
  'redis:': redis,
  'rediss:': redis,
  'postgres:': postgres,
  'postgresql:': postgres,
};

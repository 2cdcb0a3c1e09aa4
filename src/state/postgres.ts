/**
 * PostgreSQL as the shared store: `postgres://HOST:PORT/DATABASE`. The table `oriel_state` is made where it is missing;
 * what has expired is removed now and then.
 */

import type { KeyvPostgres } from '@keyv/postgres';
import type { Pool } from 'pg';
import type { BackendOptions, StateBackend } from '../types/state.ts';
import { MOST_SEALED } from './bounds.ts';
import { textsIn } from './texts.ts';

const TABLE = 'public.oriel_state';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS ${TABLE} (key VARCHAR(255) PRIMARY KEY, value TEXT);
  ALTER TABLE ${TABLE} ADD COLUMN IF NOT EXISTS expires BIGINT;
  CREATE INDEX IF NOT EXISTS oriel_state_expires ON ${TABLE} (expires)`;

/** There is no such table, or it is that of another program of Keyv, without a column for expiry. */
const MISSING: readonly unknown[] = ['42P01', '42703'];

/** Two processes that make the same table at once: one of them is told so. */
const MADE_MEANWHILE: readonly unknown[] = ['23505', '42P07', '42701', 'XX000'];

/** Uses of it at a time: no use waits for a connection. */
const CONNECTIONS = 8;

/** By the clock of the store: those of replicas may differ. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** After as many writes, or so many milliseconds, what has expired is removed, at most so many rows at once. */
const SWEEP_WRITES = 1_000;
const SWEEP_MS = 10 * 60_000;
const SWEEP_ROWS = 5_000;

type Query = (sql: string, values?: unknown) => Promise<Record<string, unknown>[]>;

export async function openPostgres(options: BackendOptions): Promise<StateBackend> {
  const [{ Keyv }, { KeyvPostgres }, { default: pg }] = await Promise.all([
    import('keyv'),
    import('@keyv/postgres'),
    import('pg'),
  ]);
  const pool = poolOf(pg, options);
  const query = queryIn(pool);
  const adapter = expiring(KeyvPostgres, query);
  const keyv = textsIn(Keyv, adapter);
  adapter.on('error', () => undefined);
  return {
    ping: async () => void (await query('SELECT 1')),
    get: (key) => keyv.get<string>(key),
    set: async (key, value, ttl) => void (await keyv.set(key, value, ttl)),
    remove: async (key) => void (await keyv.delete(key)),
    add: async (...given) => Number((await query(ADD, given))[0]?.['value']),
    isRefusal: (error) => error instanceof pg.DatabaseError && !ABOUT_THE_SERVER.test(error.code ?? ''),
    // Connections that do not answer end by their timeouts.
    reset: () => Promise.resolve(),
    close: () => pool.end(),
  };
}

function poolOf({ Pool }: Pick<typeof import('pg'), 'Pool'>, { url, timeoutMs }: BackendOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    // It does not keep the process alive.
    allowExitOnIdle: true,
  });
  // A server that ends closes idle connections: without a listener the process would end as well.
  pool.on('error', () => undefined);
  return pool;
}

/** Queries that wait until the table is there. */
function queryIn(pool: Pool): Query {
  let ready: Promise<unknown> | undefined;
  return async (sql, values) => {
    await (ready ??= makeTable(pool).catch((error: unknown) => {
      ready = undefined;
      throw error;
    }));
    return (await pool.query(sql, values as unknown[])).rows as Record<string, unknown>[];
  };
}

/** The adapter over a pool with a listener, where its own is one for the whole process and has none; and rows expire. */
function expiring(Adapter: typeof KeyvPostgres, query: Query): KeyvPostgres {
  class ExpiringTable extends Adapter {
    #writes = 0;
    #sweptAt = performance.now();

    override connect(): Promise<Query> {
      return Promise.resolve(query);
    }

    override async get(key: string): Promise<unknown> {
      return (await query(GET, [key]))[0]?.['value'];
    }

    override async set(key: string, value: unknown, ttl = 0): Promise<void> {
      await query(SET, [key, value, ttl]);
      this.#sweepNowAndThen();
    }

    #sweepNowAndThen(): void {
      this.#writes += 1;
      if (this.#writes < SWEEP_WRITES && performance.now() - this.#sweptAt < SWEEP_MS) return;
      this.#writes = 0;
      this.#sweptAt = performance.now();
      // What could not be removed is removed the next time.
      query(SWEEP).catch(() => undefined);
    }
  }
  return new ExpiringTable({ table: 'oriel_state' });
}

/** A value that is too long is not fetched whole. */
const GET = `SELECT left(value, ${MOST_SEALED + 1}) AS value FROM ${TABLE} WHERE key = $1 AND expires > ${NOW}`;

const SET = `
  INSERT INTO ${TABLE} (key, value, expires) VALUES ($1, $2, ${NOW} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`;

/** Key, number to add, number to begin at, milliseconds. A value that is no number, or has expired, is as if it were not there. */
const ADD = `
  INSERT INTO ${TABLE} AS t (key, value, expires)
  VALUES ($1, ($3::bigint + $2::bigint)::text, ${NOW} + $4::bigint)
  ON CONFLICT (key) DO UPDATE SET expires = excluded.expires,
    value = CASE WHEN t.expires > ${NOW} AND t.value ~ '^-?[0-9]{1,15}$' THEN (t.value::bigint + $2::bigint)::text ELSE excluded.value END
  RETURNING value`;

const SWEEP = `DELETE FROM ${TABLE} WHERE key IN (SELECT key FROM ${TABLE} WHERE expires < ${NOW} LIMIT ${SWEEP_ROWS})`;

/**
 * Classes of errors that are not about what was asked: of connections (08), of who may connect (28), of databases that are
 * not there (3D), of resources (53: but not a full disk), and of a server that ends or begins (57P).
 */
const ABOUT_THE_SERVER = /^(?:08|28|3D|53(?!100)|57P)/;

/** Who may only read and write the table need not be able to make one. What fails here says nothing about a single use. */
async function makeTable(pool: Pool): Promise<void> {
  try {
    await pool.query(`SELECT key, value, expires FROM ${TABLE} LIMIT 0`);
  } catch (error) {
    if (!MISSING.includes(codeOf(error))) throw outside(error);
    await addTable(pool).catch((failed: unknown) => {
      throw outside(failed);
    });
  }
}

async function addTable(pool: Pool): Promise<void> {
  try {
    await pool.query(SCHEMA);
  } catch (error) {
    if (!MADE_MEANWHILE.includes(codeOf(error))) throw error;
    await pool.query(SCHEMA);
  }
}

const codeOf = (error: unknown): unknown => (Object(error) as { code?: unknown }).code;

/** With its code, and not as an answer to one use. */
function outside(error: unknown): Error {
  return Object.assign(new Error('the table is not there', { cause: error }), { code: codeOf(error) });
}

/**
 * PostgreSQL as the shared store: `postgres://HOST:PORT/DATABASE`. The table `oriel_state` is created if it is missing;
 * expired rows are removed regularly.
 */

import type { KeyvPostgres } from '@keyv/postgres';
import type { Pool } from 'pg';
import type { BackendOptions, StateBackend } from '../../../../src/types/state.ts';
import { MAX_SEALED_VALUE_CHARACTERS, textsIn } from './values.ts';

const TABLE = 'public.oriel_state';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS ${TABLE} (key VARCHAR(255) PRIMARY KEY, value TEXT);
  ALTER TABLE ${TABLE} ADD COLUMN IF NOT EXISTS expires BIGINT;
  CREATE INDEX IF NOT EXISTS oriel_state_expires ON ${TABLE} (expires)`;

/** Errors if the table does not exist, or was made by Keyv itself without a column for expiry. */
const MISSING: readonly unknown[] = ['42P01', '42703'];

/** Errors if another process created the table at the same time. */
const MADE_MEANWHILE: readonly unknown[] = ['23505', '42P07', '42701', 'XX000'];

/** Size of the connection pool. */
const CONNECTIONS = 8;

/** Milliseconds since the epoch by the clock of the server, because the clocks of replicas may differ. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Expired rows are removed after this many writes or milliseconds, at most `SWEEP_ROWS` by one statement. */
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
    // Connections that do not answer are closed by their timeouts.
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
    // Idle connections do not keep the process alive.
    allowExitOnIdle: true,
  });
  // A server that stops closes idle connections. Without a listener this error would end the process.
  pool.on('error', () => undefined);
  return pool;
}

/** Returns a function for queries that first ensures that the table exists. */
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

/** Keyv's adapter with expiring rows and with our pool: its own pool is global to the process and has no error listener. */
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
      // After a failure the next sweep removes the rows.
      query(SWEEP).catch(() => undefined);
    }
  }
  return new ExpiringTable({ table: 'oriel_state' });
}

/** Values that are too long are truncated, so that they are not fetched whole. */
const GET = `SELECT left(value, ${MAX_SEALED_VALUE_CHARACTERS + 1}) AS value FROM ${TABLE} WHERE key = $1 AND expires > ${NOW}`;

const SET = `
  INSERT INTO ${TABLE} (key, value, expires) VALUES ($1, $2, ${NOW} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`;

/** Parameters: key, number to add, number to begin at, milliseconds. An invalid or expired number counts as missing. */
const ADD = `
  INSERT INTO ${TABLE} AS t (key, value, expires)
  VALUES ($1, ($3::bigint + $2::bigint)::text, ${NOW} + $4::bigint)
  ON CONFLICT (key) DO UPDATE SET expires = excluded.expires,
    value = CASE WHEN t.expires > ${NOW} AND t.value ~ '^-?[0-9]{1,15}$' THEN (t.value::bigint + $2::bigint)::text ELSE excluded.value END
  RETURNING value`;

const SWEEP = `DELETE FROM ${TABLE} WHERE key IN (SELECT key FROM ${TABLE} WHERE expires < ${NOW} LIMIT ${SWEEP_ROWS})`;

/**
 * Classes of errors that are about the server and not about the operation: connections (08), authorization (28), missing
 * databases (3D), resources (53, but not a full disk), a server that starts or stops (57P).
 */
const ABOUT_THE_SERVER = /^(?:08|28|3D|53(?!100)|57P)/;

/** Creates the table only if it is missing, so that no right to create tables is needed otherwise. Its errors count for all operations. */
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

/** An error with the same code that does not count as the reply to one operation. */
function outside(error: unknown): Error {
  return Object.assign(new Error('the table is not there', { cause: error }), { code: codeOf(error) });
}

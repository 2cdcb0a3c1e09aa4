/**
 * Loads the WASM build of SQLite, once per thread and without its log output.
 */

import type { Sqlite3Static as SqliteLibrary } from '@sqlite.org/sqlite-wasm';

export type { SqliteLibrary };

let loading: Promise<SqliteLibrary> | undefined;

/** `wasmBinary`: `wasm/sqlite3.wasm` of the build, which the bundled library does not find. */
export function loadLibrary(wasmBinary?: Uint8Array): Promise<SqliteLibrary> {
  return (loading ??= load(wasmBinary));
}

async function load(wasmBinary: Uint8Array | undefined): Promise<SqliteLibrary> {
  const silent = (): void => {};
  // The library reads this at its start; it prevents printing its log.
  Object.assign(globalThis, {
    sqlite3ApiConfig: { debug: silent, log: silent, warn: silent, error: silent },
  });
  const { default: init } = await import('@sqlite.org/sqlite-wasm');
  const found = wasmBinary && { wasmBinary, locateFile: (name: string) => name };
  // Its types know no options.
  const start: (options: object) => Promise<SqliteLibrary> = init;
  return start({ print: silent, printErr: silent, ...found });
}

// The settings and limits of a connection, for any database and any SQL.

/** The most bytes of one value; of a larger one only the size is read. */
export const VALUE_LIMIT = 8 * 1024 * 1024;

/** The most bytes that SQLite may allocate. A query that needs more fails. */
const HEAP_LIMIT = 64 * 1024 * 1024;

const PRAGMAS = [
  // Keeps the index of a write-ahead log in memory instead of in a `-shm` file.
  'locking_mode = exclusive',
  'temp_store = memory',
  'cell_size_check = 1',
  'mmap_size = 0',
  `hard_heap_limit = ${HEAP_LIMIT}`,
  'cache_size = -2000',
  'query_only = 1',
];

/** Applies the settings to an open database. Returns SQLite's code of the first failure, or 0. */
export function applySettings({ capi }: SqliteLibrary, db: number): number {
  for (const [option, value] of [
    [capi.SQLITE_DBCONFIG_DEFENSIVE, 1],
    // Views may not call functions with side effects.
    [capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0],
    [capi.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0],
    // Otherwise the last reader of a log would copy it into the database.
    [capi.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1],
  ] as const) {
    capi.sqlite3_db_config(db, option, value, 0);
  }
  for (const [limit, value] of [
    [capi.SQLITE_LIMIT_LENGTH, VALUE_LIMIT],
    [capi.SQLITE_LIMIT_SQL_LENGTH, 1_000_000],
    [capi.SQLITE_LIMIT_ATTACHED, 0],
    [capi.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000],
    [capi.SQLITE_LIMIT_EXPR_DEPTH, 500],
    [capi.SQLITE_LIMIT_COMPOUND_SELECT, 100],
    [capi.SQLITE_LIMIT_VDBE_OP, 1_000_000],
    [capi.SQLITE_LIMIT_VARIABLE_NUMBER, 100],
    [capi.SQLITE_LIMIT_TRIGGER_DEPTH, 1],
  ] as const) {
    capi.sqlite3_limit(db, limit, value);
  }
  for (const pragma of PRAGMAS) {
    const result = capi.sqlite3_exec(db, `pragma ${pragma}`, 0, 0, 0);
    if (result !== 0) return result;
  }
  return 0;
}

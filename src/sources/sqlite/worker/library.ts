/**
 * Loads the WASM build of SQLite, once per thread and without its log output, and adds missing types.
 */

import type init from '@sqlite.org/sqlite-wasm';

type Loaded = Awaited<ReturnType<typeof init>>;

/** The library, with a function that the package's types lack. */
export type Library = Loaded & { capi: { sqlite3_interrupt(db: number): void } };

let loading: Promise<Library> | undefined;

export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Library> {
  const silent = (): void => {};
  // The library reads this at its start; it prevents printing its log.
  Object.assign(globalThis, {
    sqlite3ApiConfig: { debug: silent, log: silent, warn: silent, error: silent },
  });
  const { default: init } = await import('@sqlite.org/sqlite-wasm');
  return (await init({ print: silent, printErr: silent })) as Library;
}

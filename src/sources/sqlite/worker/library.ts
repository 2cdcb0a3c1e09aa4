/**
 * Owns the seam to SQLite itself: the WASM build is loaded once a thread, silent, with the few calls used here
 * given narrow types.
 */

import type init from '@sqlite.org/sqlite-wasm';

type Loaded = Awaited<ReturnType<typeof init>>;

/** With what the package's types leave out. */
export type Library = Loaded & { capi: { sqlite3_interrupt(db: number): void } };

let loading: Promise<Library> | undefined;

export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Library> {
  const silent = (): void => {};
  // Read by the library when it starts: its log is not ours to print.
  Object.assign(globalThis, {
    sqlite3ApiConfig: { debug: silent, log: silent, warn: silent, error: silent },
  });
  const { default: init } = await import('@sqlite.org/sqlite-wasm');
  return (await init({ print: silent, printErr: silent })) as Library;
}

/**
 * Loads the WASM build of SQLite, once per thread and without its log output, and adds missing types.
 */

import type init from '@sqlite.org/sqlite-wasm';

type Loaded = Awaited<ReturnType<typeof init>>;

/** The library, with a function that the package's types lack. */
export type Library = Loaded & { capi: { sqlite3_interrupt(db: number): void } };

let loading: Promise<Library> | undefined;

/** `wasmBinary`: its code, where it cannot read its file. */
export function loadLibrary(wasmBinary?: Uint8Array): Promise<Library> {
  loading ??= load(wasmBinary);
  return loading;
}

async function load(wasmBinary: Uint8Array | undefined): Promise<Library> {
  const silent = (): void => {};
  // The library reads this at its start; it prevents printing its log.
  Object.assign(globalThis, {
    sqlite3ApiConfig: { debug: silent, log: silent, warn: silent, error: silent },
  });
  const { default: init } = await import('@sqlite.org/sqlite-wasm');
  const found = wasmBinary && { wasmBinary, locateFile: (name: string) => name };
  return (await init({ print: silent, printErr: silent, ...found } as Parameters<typeof init>[0])) as Library;
}

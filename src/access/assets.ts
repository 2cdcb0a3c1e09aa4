/** Reads the package's own data files, which are beside the built code. */

import { readFile } from 'node:fs/promises';

import { builtFile } from './package-files.ts';

/** The bytes of a file below `dist/`: `"grammars/go.wasm.br"`. */
export async function asset(path: string): Promise<Uint8Array> {
  return readFile(builtFile(path));
}

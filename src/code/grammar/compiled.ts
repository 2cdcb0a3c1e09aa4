/**
 * Compiles a grammar once for all threads that parse many files. Each thread that decompresses and compiles it itself would take
 * about 20 MiB that are never freed.
 */

import { createBrotliDecompress } from 'node:zlib';

/** A compiled WebAssembly module: it is shared when it is sent to another thread. */
export interface CompiledWasm {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module';
}

interface WasmApi {
  compile(bytes: Uint8Array): Promise<CompiledWasm>;
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi };

/**
 * Bytes reserved for a decompressed grammar. After freeing a block of up to 32 MiB, glibc keeps blocks of that size from
 * then on, in every thread. A larger block is returned to the system, and only its written pages are ever resident.
 */
const ROOM = 33 << 20;

/** `packed`: the compressed grammar, as it is in the package. */
export async function compiledWasm(packed: Uint8Array): Promise<CompiledWasm> {
  return wasm.compile(await unpacked(packed));
}

async function unpacked(packed: Uint8Array): Promise<Uint8Array> {
  const room = new Uint8Array(ROOM);
  let length = 0;
  const stream = createBrotliDecompress();
  stream.end(packed);
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    room.set(piece, length);
    length += piece.length;
  }
  return room.subarray(0, length);
}

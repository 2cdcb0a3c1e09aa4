/**
 * Compiles a grammar for all threads that parse many files. A thread that unpacks and compiles its own takes some twenty
 * MiB that are never given back, and so does each one after it.
 */

import { createBrotliDecompress } from 'node:zlib';

/** A compiled module of WebAssembly: threads share it when it is sent to them. */
export interface CompiledWasm {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module';
}

interface WasmApi {
  compile(bytes: Uint8Array): Promise<CompiledWasm>;
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi };

/**
 * Bytes for an unpacked grammar. When a block of up to 32 MiB is freed, glibc from then on keeps blocks of that size, in
 * every thread; a larger one goes back to the system, and of this one only what is written was ever taken from it.
 */
const ROOM = 33 << 20;

/** `packed` as it is in the package. */
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

/**
 * Counts newlines in a block and finds the k-th one. Uses WebAssembly SIMD, or JavaScript where that is not available;
 * both give the same results.
 */

import { queues } from '../queues/queue-table.ts';
import type { Scanner } from '../types/encoding.ts';
import { scanWasm } from './scan-wasm.ts';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  count(from: number, length: number): number;
  after(from: number, length: number, k: number): number;
}

/** Bytes of one read buffer; a scan uses two, so that reading and counting overlap. */
export const SCAN_BUFFER: number = 2 << 20;

/** Scans with SIMD. Bytes in its own `buffers` are scanned in place; other bytes are copied first. */
export class SimdScanner implements Scanner {
  readonly buffers: readonly [Uint8Array, Uint8Array];
  readonly #exports: Exports;
  readonly #copy: Uint8Array;

  constructor(exports: Exports) {
    this.#exports = exports;
    const { buffer } = exports.memory;
    this.buffers = [new Uint8Array(buffer, 0, SCAN_BUFFER), new Uint8Array(buffer, SCAN_BUFFER, SCAN_BUFFER)];
    this.#copy = new Uint8Array(buffer, 2 * SCAN_BUFFER);
  }

  count(bytes: Uint8Array): number {
    if (bytes.buffer === this.#copy.buffer) return this.#exports.count(bytes.byteOffset, bytes.length);
    let total = 0;
    for (let at = 0; at < bytes.length; at += this.#copy.length) {
      const part = bytes.subarray(at, at + this.#copy.length);
      this.#copy.set(part);
      total += this.#exports.count(this.#copy.byteOffset, part.length);
    }
    return total;
  }

  after(bytes: Uint8Array, k: number, from = 0): number {
    if (bytes.buffer !== this.#copy.buffer) return newlinesInBytes.after(bytes, k, from);
    const after = this.#exports.after(bytes.byteOffset + from, bytes.length - from, k);
    return after === -1 ? -1 : from + after;
  }
}

/** The same in JavaScript. */
export class PlainScanner implements Scanner {
  readonly buffers: readonly [Uint8Array, Uint8Array] = [
    new Uint8Array(SCAN_BUFFER),
    new Uint8Array(SCAN_BUFFER),
  ];

  count(bytes: Uint8Array): number {
    return newlinesInBytes.count(bytes);
  }

  after(bytes: Uint8Array, k: number, from = 0): number {
    return newlinesInBytes.after(bytes, k, from);
  }
}

export type BufferedScanner = SimdScanner | PlainScanner;

interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
}

let compiled: object | null | undefined;

/** A new scanner with its own buffers: with SIMD if WebAssembly supports it. */
export function createScanner(): BufferedScanner {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly?: WebAssemblyApi };
  try {
    if (!wasm || compiled === null) return new PlainScanner();
    compiled ??= new wasm.Module(Buffer.from(scanWasm, 'base64'));
    return new SimdScanner(new wasm.Instance(compiled).exports);
  } catch {
    compiled = null;
    return new PlainScanner();
  }
}

const idle: BufferedScanner[] = [];

/** Runs `use` with a scanner of the pool. `use` may only wait for the reads that fill the buffers. */
export function withScanner<T>(
  use: (scanner: BufferedScanner) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return queues.scans.run(
    async () => {
      const scanner = idle.pop() ?? createScanner();
      try {
        return await use(scanner);
      } finally {
        idle.push(scanner);
      }
    },
    { signal },
  );
}

/** Scans bytes of any buffer for newlines. */
export const newlinesInBytes: Scanner = {
  count(bytes) {
    let total = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) total += 1;
    return total;
  },
  after(bytes, k, from = 0) {
    let at = from - 1;
    for (let left = k; left > 0; left -= 1) {
      at = bytes.indexOf(10, at + 1);
      if (at === -1) return -1;
    }
    return at + 1;
  },
};

/** Scans code units of `unit` bytes for newlines; `bytes` and `from` begin on a unit. */
export function newlinesInUnits(unit: 2 | 4, bigEndian: boolean): Scanner {
  /** The position of the 0x0A within the unit; all other bytes of it are zero. */
  const low = bigEndian ? unit - 1 : 0;
  const next = (bytes: Uint8Array, from: number): number => {
    for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
      const start = at - (at % unit);
      if (at % unit !== low || start + unit > bytes.length) continue;
      let zeros = true;
      for (let i = start; i < start + unit; i += 1) zeros &&= i === at || bytes[i] === 0;
      if (zeros) return start;
    }
    return -1;
  };
  return {
    count(bytes) {
      let total = 0;
      for (let at = next(bytes, 0); at !== -1; at = next(bytes, at + unit)) total += 1;
      return total;
    },
    after(bytes, k, from = 0) {
      let at = from - unit;
      for (let left = k; left > 0; left -= 1) {
        at = next(bytes, at + unit);
        if (at === -1) return -1;
      }
      return at + unit;
    },
  };
}

/** Bytes below which a call into WebAssembly costs more than it saves. */
const SHORT = 512;

let shared: BufferedScanner | undefined;

/** The number of newlines in `bytes`. */
export function countNewlines(bytes: Uint8Array): number {
  if (bytes.length < SHORT) return newlinesInBytes.count(bytes);
  shared ??= createScanner();
  return shared.count(bytes);
}

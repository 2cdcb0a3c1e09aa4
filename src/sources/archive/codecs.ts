/** Unpacks one compressed stream: gzip and deflate with node:zlib, which has its own threads, the others in a worker. */

import { createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from 'node:zlib';
import { OrielError } from '../../errors.ts';
import { type Budget, metered } from './budget.ts';
import { type PackedInput, pullFromWorker } from './unpack.ts';

export type Codec = 'gzip' | 'deflate' | 'bzip2' | 'xz' | 'zstd' | 'lz4';

/** Bytes of memory that a decoder takes until it ends: the window of zlib, or a worker with its heap and dictionary. */
export const WORKING: Record<Codec, number> = {
  gzip: 1 << 20,
  deflate: 1 << 20,
  bzip2: 48 << 20,
  xz: 48 << 20,
  zstd: 48 << 20,
  lz4: 48 << 20,
};

/**
 * Yields the unpacked bytes of `packed`. The buffer of a chunk is reused for the next one. Throws OrielError (`CORRUPT`,
 * `LIMIT`, `UNSUPPORTED`) after the last good byte. Ending the iteration early ends the decoder.
 */
export function unpacked(
  codec: Codec,
  packed: PackedInput,
  budget: Budget,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  let fed = 0;
  const counted: PackedInput = {
    size: packed.size,
    async *read() {
      fed = 0;
      for await (const chunk of packed.read()) {
        fed += chunk.length;
        yield chunk;
      }
    },
  };
  return metered(decode(codec, counted, signal), () => fed, budget);
}

function decode(codec: Codec, packed: PackedInput, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (codec === 'gzip') return inflate(createGunzip({ chunkSize: 64 << 10 }), packed.read(), signal);
  if (codec === 'deflate') return inflate(createInflateRaw({ chunkSize: 64 << 10 }), packed.read(), signal);
  return pullFromWorker<Uint8Array>({ do: codec }, packed, signal);
}

/** Packed bytes per write to zlib. Deflate expands at most 1,032 times, so this bounds the queued output at 16 MiB. */
const FEED_BYTES = 16 << 10;

/** Reads zlib's stream by events, because `for await` would drop bytes that were unpacked before an error. */
async function* inflate(
  engine: Gunzip | InflateRaw,
  packed: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let over = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const settle = (error?: Error): void => {
    over = true;
    failure = error;
    wake?.();
  };
  engine.on('data', (chunk: Uint8Array) => ready.push(chunk));
  engine.once('end', () => settle());
  engine.once('error', settle);
  // zlib never calls back for input after the end of a deflate stream; the `end` event resolves the promise then.
  const send = (piece: Uint8Array | undefined): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      if (piece) engine.write(piece, () => resolve());
      else engine.end();
      if (over) resolve();
    });
  try {
    for await (const piece of sliced(packed)) {
      signal.throwIfAborted();
      await send(piece);
      yield* ready.splice(0);
      if (over) break;
    }
    if (!over) await send(undefined);
    yield* ready.splice(0);
    if (failure) throw damaged(failure);
  } finally {
    engine.destroy();
  }
}

async function* sliced(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += FEED_BYTES) yield chunk.subarray(at, at + FEED_BYTES);
  }
}

function damaged(failure: Error): OrielError {
  const early = 'code' in failure && failure.code === 'Z_BUF_ERROR';
  return new OrielError('CORRUPT', early ? 'its packed data ends early' : 'its packed data is damaged');
}

/** Decodes the bytes of one image in a pooled child process. */

import { ChildPool } from '../../access/isolate-pool.ts';
import { builtFile } from '../../access/package-files.ts';
import { queues } from '../../queues/queue-table.ts';
import type { DecodeReply, DecodeRequest } from './decode.ts';
import { MOST_MEMORY, MOST_SECONDS } from './pixel-limits.ts';

/** The built entry file, relative to `dist/`. */
export const DECODER = 'sources/image/decode-child.js';

/** The child has its own timeout; after this many seconds more it is killed. */
const SPARE_SECONDS = 3;

export interface EncodedImage {
  /** The image: exactly `bytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
}

/** Returns the unchecked reply of the child. Throws ChildFailure, `BUSY` and the reason of the signal. */
export function decodeInChild(
  request: DecodeRequest,
  { body, bytes }: EncodedImage,
  signal: AbortSignal,
  decoder: URL = builtFile(DECODER),
): Promise<{ readonly head: unknown; readonly body: Buffer }> {
  const job = {
    head: request,
    body,
    bytes,
    maxOutput: (request.budget?.bytes ?? 0) + 64 * 1024,
    maxMemory: MOST_MEMORY + bytes,
    maxMs: 1000 * (MOST_SECONDS + SPARE_SECONDS),
  };
  return decodersAt(decoder).run(job, { signal });
}

const MIB = 1024 * 1024;

const pools = new Map<string, ChildPool>();

/** The pool of child processes for an entry file; usually there is only the package's own. */
function decodersAt(entry: URL): ChildPool {
  const known = pools.get(entry.href);
  const pool =
    known ??
    new ChildPool({
      entry: () => entry,
      queue: queues.images,
      idleMs: 20_000,
      heapMb: 64,
      // After an image of 60 MB it holds 130 to 165 MiB.
      keepUpTo: 200 * MIB,
      // With its libraries.
      fresh: 80 * MIB,
      // After a timeout its threads still run, so the child is not reused.
      keeps: (reply) => (Object(reply) as DecodeReply).refusal !== 'slow',
    });
  if (!known) pools.set(entry.href, pool);
  return pool;
}

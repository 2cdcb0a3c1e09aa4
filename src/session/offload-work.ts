/** Runs heavy work on bytes in a remote worker and caches the result where all replicas find it. */

import { createHash } from 'node:crypto';
import { chunksOf, readAt } from '../access/bytes.ts';
import { MOST_INPUT } from '../state/work-values.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { WorkHandler, WorkOutcome } from '../types/work.ts';

/** The call that needs the result. Its signal may be shared by several calls that wait for the same result. */
export type OffloadCall = Pick<Call, 'session' | 'signal' | 'deadline'>;

export interface HeavyWork extends Pick<WorkHandler, 'kind' | 'version'> {
  /** Everything that affects the result except the bytes; plain JSON. */
  readonly head: unknown;
  readonly source: ByteSource;
}

/** Bytes that are hashed per step. */
const PIECE = 256 << 10;

/**
 * The cache key contains the digest of the bytes, so the result is found whichever name they were read under. Half of the
 * remaining time is reserved for doing the work locally. Throws the reason of the signal, and what the source throws.
 */
export async function offloadWork(
  { kind, version, head, source }: HeavyWork,
  { session: { work, disk }, signal, deadline }: OffloadCall,
): Promise<WorkOutcome> {
  const { size } = source;
  if (!work || !disk || size === undefined || size > MOST_INPUT) return { is: 'here' };
  // Asked before hashing, because reading all bytes costs more.
  if (!(await work.hasWorkers({ kind, version }))) return { is: 'here' };
  const hash = createHash('sha256');
  for await (const piece of chunksOf(source, 0, size, PIECE, signal)) hash.update(piece);
  const sha256 = hash.digest('hex');
  const key = JSON.stringify([kind, version, sha256, head]);
  const known = await disk.get(key);
  if (known) return { is: 'done', result: known, isCached: true };
  const read = (start: number, length: number): Promise<Uint8Array> => readAt(source, start, length, signal);
  const now = performance.now();
  const outcome = await work.run(
    { kind, version, key, head, bytes: size, read, sha256 },
    { signal, giveUpAt: now + (deadline - now) / 2 },
  );
  // If the worker has not cached the result, it is cached here.
  if (outcome.is === 'done' && !outcome.isCached) disk.put(key, [outcome.result]);
  return outcome;
}

/** Has heavy work on bytes done by another machine, and keeps what comes back where all replicas find it. */

import { createHash } from 'node:crypto';
import { chunksOf, readAt } from '../access/bytes.ts';
import { MOST_INPUT } from '../state/work-values.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { WorkHandler, WorkOutcome } from '../types/work.ts';

/** The call that wants it. Its signal may be that of several calls which wait for the same. */
export type Wanting = Pick<Call, 'session' | 'signal' | 'deadline'>;

export interface HeavyWork extends Pick<WorkHandler, 'kind' | 'version'> {
  /** All that shapes the result, beside the bytes; plain JSON. */
  readonly head: unknown;
  readonly source: ByteSource;
}

/** Bytes that are hashed at once. */
const PIECE = 256 << 10;

/**
 * The result is found by the digest of the bytes, under whichever name they are read. Half of the time is left to do it
 * here. Throws the reason of the signal, and what the source throws.
 */
export async function workElsewhere(
  { kind, version, head, source }: HeavyWork,
  { session: { work, disk }, signal, deadline }: Wanting,
): Promise<WorkOutcome> {
  const { size } = source;
  if (!work || !disk || size === undefined || size > MOST_INPUT) return { is: 'here' };
  // To read all of it costs more than to ask.
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
  // What the shared cache does not take is kept on this machine.
  if (outcome.is === 'done' && !outcome.isCached) disk.put(key, [outcome.result]);
  return outcome;
}

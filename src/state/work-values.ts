/** Heavy work that is sent to workers through the shared store, and values in it as JSON. */

import { createHash } from 'node:crypto';
import { ChildFailure } from '../process/node-child.ts';
import { chunksOf, readAt } from '../text/bytes.ts';
import { encodeFrame, type PipeFrame, wholeFrame } from '../text/frames.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { StateName, StateSpace, WorkFailure, WorkHandler } from '../types/state.ts';

/** Maximum bytes of the input of remote work. */
export const MAX_WORK_INPUT_BYTES: number = 32 << 20;

/** Reads a JSON value. */
export async function readJson<T>(space: StateSpace, name: StateName): Promise<T | 'away' | undefined> {
  const bytes = await space.get(name);
  // It is authentic: a replica or a worker wrote it, so its form is not validated.
  return bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as T) : bytes;
}

export function putJson(space: StateSpace, name: StateName, value: object, ttl: number): Promise<boolean> {
  return space.put(name, Buffer.from(JSON.stringify(value)), ttl);
}

// Runs heavy work on bytes in a remote worker and caches the result where all replicas find it.

/** The call that needs the result. Its signal may be shared by several calls that wait for the same result. */
export type OffloadCall = Pick<Call, 'session' | 'signal' | 'deadline'>;

interface HeavyWork extends Pick<WorkHandler, 'kind' | 'version'> {
  /** Everything that affects the result except the bytes; plain JSON. */
  readonly head: unknown;
  readonly source: ByteSource;
}

/** `here`: no worker did it, so do it in this process. `failed`: a worker found that it cannot be done. */
export type OffloadOutcome =
  | ({ readonly kind: 'done' } & PipeFrame)
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'here' };

/** The failure of a worker that would have another result than the replica, which does it itself. */
export const NOT_HERE: WorkFailure = { why: 'here', isLasting: true };

/** Failures of a child process that another attempt would not change. */
const LASTING: ReadonlySet<string> = new Set(['slow', 'memory', 'output']);

/** How a worker does the work of `offloadWork`: the head and the body of the result, or why there is none. */
export function frameHandler(
  kind: string,
  version: () => string,
  run: (
    ...job: Parameters<WorkHandler['run']>
  ) => Promise<{ readonly head: unknown; readonly body: Uint8Array } | WorkFailure>,
): WorkHandler {
  return {
    kind,
    get version() {
      return version();
    },
    async run(...job) {
      try {
        const made = await run(...job);
        return 'why' in made ? made : Buffer.concat(encodeFrame(made.head, made.body));
      } catch (error) {
        if (!(error instanceof ChildFailure)) throw error;
        return { why: error.why, isLasting: LASTING.has(error.why) };
      }
    },
  };
}

/** Bytes that are hashed per step. */
const HASHED_PIECE_BYTES = 256 << 10;

/**
 * The cache key contains the digest of the bytes, so the result is found whichever name they were read under. Half of the
 * remaining time is reserved for doing the work locally. Throws the reason of the signal, and what the source throws.
 */
export async function offloadWork(
  { kind, version, head, source }: HeavyWork,
  { session: { work, disk }, signal, deadline }: OffloadCall,
): Promise<OffloadOutcome> {
  const { size } = source;
  if (!work || !disk || size === undefined || size > MAX_WORK_INPUT_BYTES) return { kind: 'here' };
  // Asked before hashing, because reading all bytes costs more.
  if (!(await work.hasWorkers({ kind, version }))) return { kind: 'here' };
  const hash = createHash('sha256');
  for await (const piece of chunksOf(source, 0, size, HASHED_PIECE_BYTES, signal)) hash.update(piece);
  const sha256 = hash.digest('hex');
  const key = JSON.stringify([kind, version, sha256, head]);
  const known = await disk.get(key);
  const found = known && wholeFrame(known);
  if (found) return { kind: 'done', ...found };
  const read = (start: number, length: number): Promise<Uint8Array> => readAt(source, start, length, signal);
  const now = performance.now();
  const outcome = await work.run(
    { kind, version, key, head, bytes: size, read, sha256 },
    { signal, giveUpAt: now + (deadline - now) / 2 },
  );
  if (outcome.kind !== 'done') return outcome;
  const made = wholeFrame(outcome.result);
  return made ? { kind: 'done', ...made } : { kind: 'here' };
}

// Timeouts for operations of the store.

/** Maximum milliseconds that a session waits for the store when it closes. */
const CLOSE_MS = 2_000;

/** Resolves when `work` is done or has failed, or after two seconds. */
export async function beforeClose(work: Promise<unknown>): Promise<void> {
  await inTime(work, CLOSE_MS).catch(() => undefined);
}

/** The result of `work`; rejects with `no answer within MS ms` at the timeout. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

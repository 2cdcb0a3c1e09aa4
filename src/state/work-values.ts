/** The values that replicas keep in the shared store, in pieces where they are large, and work that is sent through it. */

import { createHash, randomBytes } from 'node:crypto';
import { ChildFailure } from '../process/node-child.ts';
import { chunksOf, readAt } from '../text/bytes.ts';
import { encodeFrame, type PipeFrame, wholeFrame } from '../text/frames.ts';
import type { ByteSource } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { StateName, StateSpace, WorkFailure, WorkHandler } from '../types/state.ts';

/** Maximum bytes of the input of remote work. */
export const MAX_WORK_INPUT_BYTES: number = 32 << 20;

/** Expiry of a cached value, in milliseconds. */
export const CACHE_MS: number = 7 * 24 * 60 * 60_000;

export const cacheName = (key: string): StateName => ({ kind: 'cache', of: [key] });

/** Reads a JSON value. */
export async function readJson<T>(space: StateSpace, name: StateName): Promise<T | 'away' | undefined> {
  const bytes = await space.get(name);
  // It is authentic: a replica or a worker wrote it, so its form is not validated.
  return bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as T) : bytes;
}

export function putJson(space: StateSpace, name: StateName, value: object, ttl: number): Promise<boolean> {
  return space.put(name, Buffer.from(JSON.stringify(value)), ttl);
}

/** Stores a value of `bytes` bytes in pieces; false if the store does not accept all of them. */
export async function putPieces(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  read: (start: number, length: number) => Promise<Uint8Array>,
  bytes: number,
  ttl: number,
): Promise<boolean> {
  for (const batch of valuePieceBatches(bytes)) {
    const puts = batch.map(async (index) => {
      const length = valuePieceLength(index, bytes);
      const piece = await read(index * VALUE_PIECE_BYTES, length);
      return piece.length === length && space.put(nameOf(index), piece, ttl);
    });
    if ((await Promise.all(puts)).includes(false)) return false;
  }
  return true;
}

/** The pieces in order. Throws `MissingPiece` if one is missing. */
export async function* piecesOf(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  bytes: number,
): AsyncGenerator<Buffer> {
  for (const batch of valuePieceBatches(bytes)) {
    const pieces = await Promise.all(batch.map((index) => space.get(nameOf(index))));
    for (const [i, piece] of pieces.entries()) {
      if (!(piece instanceof Uint8Array) || piece.length !== valuePieceLength(batch[i] as number, bytes))
        throw new MissingPiece('a piece is missing');
      yield piece;
    }
  }
}

/** A piece expired or was removed, or the store is unavailable. */
export class MissingPiece extends Error {}

export async function removePieces(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  bytes: number,
): Promise<void> {
  for (const batch of valuePieceBatches(bytes))
    await Promise.all(batch.map((index) => space.remove(nameOf(index))));
}

// A value of any size: whole under its name where it fits, otherwise in pieces, of which the name has the index.

/** The first byte of what is stored under the name. */
const [WHOLE, IN_PIECES] = [Buffer.from([0]), Buffer.from([1])];

interface PieceIndex {
  readonly id: string;
  readonly bytes: number;
}

const largePieceName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['value', id, index] });

/**
 * Replaces a value. False if the store does not accept all of it: then there is none. The pieces are stored before their
 * index, so that the value is found completely or not at all.
 */
export async function putLarge(
  space: StateSpace,
  name: StateName,
  read: (start: number, length: number) => Promise<Uint8Array>,
  bytes: number,
  ttl: number,
): Promise<boolean> {
  await removeLarge(space, name);
  if (bytes < MAX_STATE_VALUE_BYTES)
    return space.put(name, Buffer.concat([WHOLE, await read(0, bytes)]), ttl);
  const index: PieceIndex = { id: randomBytes(12).toString('base64url'), bytes };
  const written = Buffer.concat([IN_PIECES, Buffer.from(JSON.stringify(index))]);
  const pieceName = largePieceName(index.id);
  const isPut =
    (await putPieces(space, pieceName, read, bytes, ttl)) && (await space.put(name, written, ttl));
  if (!isPut) await removePieces(space, pieceName, bytes);
  return isPut;
}

/** The value in pieces, which throw `MissingPiece`; undefined if there is none or the store is unavailable. */
export async function getLarge(
  space: StateSpace,
  name: StateName,
): Promise<AsyncIterable<Buffer> | Iterable<Buffer> | undefined> {
  const value = await space.get(name);
  if (!(value instanceof Uint8Array)) return undefined;
  const index = indexIn(value);
  return index ? piecesOf(space, largePieceName(index.id), index.bytes) : [value.subarray(1)];
}

/** Removes the value and its pieces, which could not be found without it. */
export async function removeLarge(space: StateSpace, name: StateName): Promise<void> {
  const value = await space.get(name);
  await space.remove(name);
  const index = value instanceof Uint8Array ? indexIn(value) : undefined;
  if (index) await removePieces(space, largePieceName(index.id), index.bytes);
}

function indexIn(value: Buffer): PieceIndex | undefined {
  return value[0] === IN_PIECES[0] ? (JSON.parse(value.subarray(1).toString()) as PieceIndex) : undefined;
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

// Splits values that are too large for one entry of the shared store into pieces.

/** Bytes of a piece; the last one may be shorter. */
const VALUE_PIECE_BYTES: number = 512 << 10;

/** Pieces that are sent or read concurrently. */
const AT_ONCE = 4;

/** Bytes of the piece at `index` (0-based) of a value of `bytes` bytes. */
function valuePieceLength(index: number, bytes: number): number {
  return Math.min(VALUE_PIECE_BYTES, bytes - index * VALUE_PIECE_BYTES);
}

/** The indexes of all pieces in order, in groups that are sent or read concurrently. */
function* valuePieceBatches(bytes: number): Generator<readonly number[]> {
  const count = Math.ceil(bytes / VALUE_PIECE_BYTES);
  for (let from = 0; from < count; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
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

// Maximum sizes of a value in the shared store.

/** The most bytes of a cached value that stays; a larger result of a worker expires soon. */
export const MAX_SHARED_VALUE_BYTES: number = 16 << 20;

/** Maximum bytes of a value before encryption. */
export const MAX_STATE_VALUE_BYTES: number = 2 << 20;

/** Maximum characters of an encrypted value: base64 takes four for three bytes, plus a header. Longer ones are not fetched. */
export const MAX_SEALED_VALUE_CHARACTERS: number = Math.ceil(MAX_STATE_VALUE_BYTES / 3) * 4 + 256;

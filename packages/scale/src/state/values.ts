/** The values that replicas and workers exchange in the shared store, in pieces where they are large; and texts in Keyv. */

import { randomBytes } from 'node:crypto';
import type { Keyv } from 'keyv';
import type { StateName, StateSpace } from '../../../../src/types/state.ts';

/** The space of all these values. The names of orders include the space of the replica. */
export const WORK_SPACE = 'work';

/** Maximum bytes of a result. */
export const MAX_WORK_RESULT_BYTES: number = 32 << 20;

/** Expiry in milliseconds: of an order with its input, and of a record with a large result. */
export const ORDER_MS: number = 2 * 60_000;
export const RECORD_MS: number = 10 * 60_000;

/** Milliseconds between two announcements that a worker is alive, and their expiry. */
export const ALIVE_MS = 2_000;
export const DEAD_MS = 15_000;

/** Milliseconds between two heartbeats of a running job. */
export const BEAT_MS = 500;

/** Maximum attempts of a job. */
export const MAX_JOB_ATTEMPTS = 3;

/** Expiry of a cached value, in milliseconds. */
export const CACHE_MS: number = 7 * 24 * 60 * 60_000;

export interface StoredOrder {
  readonly space: string;
  readonly kind: string;
  readonly key: string;
  readonly head: unknown;
  readonly bytes: number;
  readonly sha256: string;
}

/** The state of a job. `at`: milliseconds since the epoch; an old record is ignored, because someone may have restored it. */
export type JobRecord =
  | { readonly kind: 'working'; readonly attempt: number; readonly beat: number; readonly at: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string; readonly at: number };

export function isFresh({ at }: { readonly at: number }, now: number = Date.now()): boolean {
  return Math.abs(now - at) <= RECORD_MS;
}

export const cacheName = (key: string): StateName => ({ kind: 'cache', of: [key] });
export const orderName = (id: string): StateName => ({ kind: 'order', of: [id] });
export const jobRecordName = (id: string): StateName => ({ kind: 'job', of: [id] });
export const inputName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['input', id, index] });
/** The announcement that a worker of this queue is alive. */
export const aliveName = (queue: string): StateName => ({ kind: 'worker', of: [queue] });

/** The queue of a kind of work in one version of its code. */
export function workQueueName({
  kind,
  version,
}: {
  readonly kind: string;
  readonly version: string;
}): string {
  return `work-${kind}-${version.slice(0, 16)}`;
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

// Maximum sizes of a value in the shared store.

/** The most bytes of a cached value that stays; a larger result of a worker expires soon. */
export const MAX_SHARED_VALUE_BYTES: number = 16 << 20;

/** Maximum bytes of a value before encryption. */
export const MAX_STATE_VALUE_BYTES: number = 2 << 20;

/** Maximum characters of an encrypted value: base64 takes four for three bytes, plus a header. Longer ones are not fetched. */
export const MAX_SEALED_VALUE_CHARACTERS: number = Math.ceil(MAX_STATE_VALUE_BYTES / 3) * 4 + 256;

// A Keyv for plain texts, over an adapter that handles expiry itself.

type Options = NonNullable<ConstructorParameters<typeof Keyv<string>>[0]>;

/** `library` is passed in, because it is loaded lazily. Errors are thrown by the operations. */
export function textsIn(
  library: typeof Keyv,
  store: NonNullable<Extract<Options, { store?: unknown }>['store']>,
): Keyv<string> {
  const keyv = new library<string>({
    store,
    useKeyPrefix: false,
    throwOnErrors: true,
    emitErrors: false,
    serialize: ({ value }) => value as string,
    deserialize: (text) => ({ value: text as never }),
  });
  keyv.on('error', () => undefined);
  // Keys are complete.
  keyv.namespace = undefined;
  return keyv;
}

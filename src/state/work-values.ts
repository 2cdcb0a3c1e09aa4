/** What replicas and workers leave for each other in the shared store: orders, their bytes, records of jobs, results. */

import type { StateName, StateSpace } from '../types/state.ts';
import { batchesOf, lengthOf, PIECE } from './value-pieces.ts';

/** The space in which all of it is. Names of orders hold the space of the replica. */
export const WORK_SPACE = 'work';

/** Bytes of one input, and of one result, that go through the store. */
export const MOST_INPUT: number = 32 << 20;
export const MOST_RESULT: number = 32 << 20;

/** Milliseconds that an order and its bytes wait for a worker, and that a record and a large result are kept. */
export const ORDER_MS: number = 2 * 60_000;
export const RECORD_MS: number = 10 * 60_000;

/** A worker says so often that it is there, and is believed for so long. */
export const ALIVE_MS = 2_000;
export const DEAD_MS = 15_000;

/** So often a worker says that it still works on a job. */
export const BEAT_MS = 500;

/** Times that a job is begun; a further one ends it. */
export const MOST_ATTEMPTS = 3;

/** How long a value of the cache is kept. */
export const CACHE_MS: number = 7 * 24 * 60 * 60_000;

export interface StoredOrder {
  readonly space: string;
  readonly kind: string;
  readonly key: string;
  readonly head: unknown;
  readonly bytes: number;
  readonly sha256: string;
}

/** How far a job is. Times in milliseconds since the epoch: an old record may have been put back by somebody. */
export type JobRecord =
  /** `isOver`: the worker has told how that attempt ended, so it has not ended the worker. */
  | {
      readonly is: 'working';
      readonly attempt: number;
      readonly beat: number;
      readonly at: number;
      readonly isOver?: true;
    }
  /** `bytes`: of a result that is too large for the cache of the store, and is beside it. */
  | { readonly is: 'done'; readonly bytes?: number }
  | { readonly is: 'failed'; readonly why: string; readonly at: number };

export function isFresh({ at }: { readonly at: number }, now: number = Date.now()): boolean {
  return Math.abs(now - at) <= RECORD_MS;
}

export const cacheName = (key: string): StateName => ({ kind: 'cache', of: [key] });
/** Where the pieces of a value are that is too large for one. */
export const largeName = (key: string): StateName => ({ kind: 'cache', of: [key, 'pieces'] });
export const orderName = (id: string): StateName => ({ kind: 'order', of: [id] });
export const recordName = (id: string): StateName => ({ kind: 'job', of: [id] });
export const inputName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['input', id, index] });
export const resultName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['result', id, index] });
/** There is a worker for this queue. */
export const aliveName = (queue: string): StateName => ({ kind: 'worker', of: [queue] });

/** The queue of a kind of work in one version of its code. */
export function queueOf({ kind, version }: { readonly kind: string; readonly version: string }): string {
  return `work-${kind}-${version.slice(0, 16)}`;
}

/** What was put under `name` as JSON. */
export async function readJson<T>(space: StateSpace, name: StateName): Promise<T | 'away' | undefined> {
  const bytes = await space.get(name);
  // It was sealed by a replica or a worker: its form needs no check.
  return bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as T) : bytes;
}

export function putJson(space: StateSpace, name: StateName, value: object, ttl: number): Promise<boolean> {
  return space.put(name, Buffer.from(JSON.stringify(value)), ttl);
}

/** Puts `bytes` bytes in pieces; false if the store does not take them all. */
export async function putPieces(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  read: (start: number, length: number) => Promise<Uint8Array>,
  bytes: number,
  ttl: number,
): Promise<boolean> {
  for (const batch of batchesOf(bytes)) {
    const puts = batch.map(async (index) => {
      const length = lengthOf(index, bytes);
      const piece = await read(index * PIECE, length);
      return piece.length === length && space.put(nameOf(index), piece, ttl);
    });
    if ((await Promise.all(puts)).includes(false)) return false;
  }
  return true;
}

/** The pieces in order. Ends with an error where one is missing. */
export async function* piecesOf(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  bytes: number,
): AsyncGenerator<Buffer> {
  for (const batch of batchesOf(bytes)) {
    const pieces = await Promise.all(batch.map((index) => space.get(nameOf(index))));
    for (const [i, piece] of pieces.entries()) {
      if (!(piece instanceof Uint8Array) || piece.length !== lengthOf(batch[i] as number, bytes))
        throw new MissingPiece('a piece is missing');
      yield piece;
    }
  }
}

/** They expired, were evicted or removed, or the store is unavailable. */
export class MissingPiece extends Error {}

export async function removePieces(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  bytes: number,
): Promise<void> {
  for (const batch of batchesOf(bytes)) await Promise.all(batch.map((index) => space.remove(nameOf(index))));
}

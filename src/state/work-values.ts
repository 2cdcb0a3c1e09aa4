/** The values that replicas and workers exchange in the shared store: orders, inputs, records of jobs, results. */

import type { StateName, StateSpace } from '../types/state.ts';
import { batchesOf, lengthOf, PIECE } from './value-pieces.ts';

/** The space of all these values. The names of orders include the space of the replica. */
export const WORK_SPACE = 'work';

/** Maximum bytes of an input and of a result. */
export const MOST_INPUT: number = 32 << 20;
export const MOST_RESULT: number = 32 << 20;

/** Expiry in milliseconds: of an order with its input, and of a record with a large result. */
export const ORDER_MS: number = 2 * 60_000;
export const RECORD_MS: number = 10 * 60_000;

/** Milliseconds between two announcements that a worker is alive, and their expiry. */
export const ALIVE_MS = 2_000;
export const DEAD_MS = 15_000;

/** Milliseconds between two heartbeats of a running job. */
export const BEAT_MS = 500;

/** Maximum attempts of a job. */
export const MOST_ATTEMPTS = 3;

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
  /** `isOver`: the attempt has ended, so it did not crash the worker. */
  | {
      readonly is: 'working';
      readonly attempt: number;
      readonly beat: number;
      readonly at: number;
      readonly isOver?: true;
    }
  /** `bytes`: the size of a result that is stored in separate pieces, because it is too large for one value. */
  | { readonly is: 'done'; readonly bytes?: number }
  | { readonly is: 'failed'; readonly why: string; readonly at: number };

export function isFresh({ at }: { readonly at: number }, now: number = Date.now()): boolean {
  return Math.abs(now - at) <= RECORD_MS;
}

export const cacheName = (key: string): StateName => ({ kind: 'cache', of: [key] });
/** The name of the description of a value that is stored in pieces. */
export const largeName = (key: string): StateName => ({ kind: 'cache', of: [key, 'pieces'] });
export const orderName = (id: string): StateName => ({ kind: 'order', of: [id] });
export const recordName = (id: string): StateName => ({ kind: 'job', of: [id] });
export const inputName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['input', id, index] });
export const resultName =
  (id: string) =>
  (index: number): StateName => ({ kind: 'piece', of: ['result', id, index] });
/** The announcement that a worker of this queue is alive. */
export const aliveName = (queue: string): StateName => ({ kind: 'worker', of: [queue] });

/** The queue of a kind of work in one version of its code. */
export function queueOf({ kind, version }: { readonly kind: string; readonly version: string }): string {
  return `work-${kind}-${version.slice(0, 16)}`;
}

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

/** The pieces in order. Throws `MissingPiece` if one is missing. */
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

/** A piece expired or was removed, or the store is unavailable. */
export class MissingPiece extends Error {}

export async function removePieces(
  space: StateSpace,
  nameOf: (index: number) => StateName,
  bytes: number,
): Promise<void> {
  for (const batch of batchesOf(bytes)) await Promise.all(batch.map((index) => space.remove(nameOf(index))));
}

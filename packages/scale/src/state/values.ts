/** The values that replicas and workers exchange in the shared store: orders, inputs, records of jobs; and texts in Keyv. */

import type { Keyv } from 'keyv';
import type { StateName } from '../../../../src/types/state.ts';

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

/** Runs the jobs of a worker: reads the encrypted order, does the work, and stores the result and a record. */

import { createHash, type Hash } from 'node:crypto';
import type { SharedState, StateSpace } from '../types/state.ts';
import type { WorkEvent, WorkFailure, WorkHandler } from '../types/work.ts';
import { MOST_VALUE } from './bounds.ts';
import type { SharedLock } from './shared-lock.ts';
import {
  BEAT_MS,
  CACHE_MS,
  cacheName,
  inputName,
  isFresh,
  type JobRecord,
  MissingPiece,
  MOST_ATTEMPTS,
  MOST_RESULT,
  orderName,
  piecesOf,
  putJson,
  putPieces,
  readJson,
  RECORD_MS,
  recordName,
  removePieces,
  resultName,
  type StoredOrder,
  WORK_SPACE,
} from './work-values.ts';

export interface JobRunnerOptions {
  readonly handler: WorkHandler;
  readonly state: SharedState;
  /** Shared by all runners of a process: a job that may have crashed a worker before runs alone. */
  readonly lock: SharedLock;
  readonly log: (event: WorkEvent) => void;
}

type Ended = Pick<WorkEvent, 'outcome' | 'why'>;

export class JobRunner {
  readonly #handler: WorkHandler;
  readonly #state: SharedState;
  readonly #work: StateSpace;
  readonly #lock: SharedLock;
  readonly #log: (event: WorkEvent) => void;
  /** Current attempts, by the id of the job. */
  readonly #attempts = new Map<string, { readonly attempt: number; readonly beats: Beats }>();
  #running = 0;

  constructor({ handler, state, lock, log }: JobRunnerOptions) {
    this.#handler = handler;
    this.#state = state;
    this.#work = state.space(WORK_SPACE);
    this.#lock = lock;
    this.#log = log;
  }

  /** Number of running jobs. */
  get running(): number {
    return this.#running;
  }

  /** Runs the job. Throws if BullMQ should retry it. */
  async run(id: string): Promise<void> {
    this.#running += 1;
    try {
      const began = performance.now();
      const ended = await this.#ended(id);
      const ms = Math.round(performance.now() - began);
      this.#log({ event: 'job', kind: this.#handler.kind, ms, ...ended });
      if (ended.outcome === 'retry') throw new Error(ended.why ?? 'it failed');
    } finally {
      this.#running -= 1;
    }
  }

  /** The process ends before its jobs: these attempts do not count. */
  async giveBack(): Promise<void> {
    const given = Array.from(this.#attempts, async ([id, { attempt, beats }]) => {
      await beats.stop();
      await this.#begun(id, attempt - 1);
    });
    await Promise.all(given);
  }

  async #ended(id: string): Promise<Ended> {
    const order = await readJson<StoredOrder>(this.#work, orderName(id));
    if (order === 'away') return { outcome: 'retry', why: 'store' };
    // Without an order the job is not from a replica, or no replica waits for it any more.
    if (order?.kind !== this.#handler.kind) return { outcome: 'dropped', why: 'no order' };
    const cache = this.#state.space(order.space);
    if ((await cache.get(cacheName(order.key))) instanceof Uint8Array) {
      await this.#record(id, { is: 'done' });
      return { outcome: 'known' };
    }
    const record = await readJson<JobRecord>(this.#work, recordName(id));
    if (record === 'away') return { outcome: 'retry', why: 'store' };
    if (record?.is === 'failed' && isFresh(record)) return { outcome: 'known' };
    if (record?.is === 'done' && (await this.#hasLarge(id))) return { outcome: 'known' };
    const last = record?.is === 'working' && isFresh(record) ? record : undefined;
    const before = last?.attempt ?? 0;
    if (before >= MOST_ATTEMPTS) return this.#fail(id, 'worker');
    const attempt = (): Promise<Ended> => this.#attempt(id, order, cache, before + 1);
    // The last attempt did not report its end: it may have crashed its worker, with all other jobs there.
    const isSuspect = before > 0 && last?.isOver !== true;
    return isSuspect ? this.#lock.alone(attempt) : this.#lock.shared(attempt);
  }

  async #attempt(id: string, order: StoredOrder, cache: StateSpace, attempt: number): Promise<Ended> {
    const beats = new Beats((beat) => this.#begun(id, attempt, beat));
    this.#attempts.set(id, { attempt, beats });
    await beats.start();
    let result: Buffer | WorkFailure;
    try {
      result = await this.#do(id, order);
    } catch (error) {
      await beats.stop();
      if (!(error instanceof MissingPiece)) return this.#retry(id, attempt, 'error');
      // So that the replica does not wait longer.
      await this.#fail(id, 'here');
      return { outcome: 'dropped', why: error.message };
    } finally {
      this.#attempts.delete(id);
    }
    await beats.stop();
    if (!Buffer.isBuffer(result)) {
      const { why, isLasting } = result;
      return isLasting ? this.#fail(id, why) : this.#retry(id, attempt, why);
    }
    if (result.length > MOST_RESULT) return this.#fail(id, 'large');
    const isKept = await this.#keep(id, order, cache, result);
    if (!isKept) return this.#retry(id, attempt, 'store');
    await this.#work.remove(orderName(id));
    await removePieces(this.#work, inputName(id), order.bytes);
    return { outcome: 'done' };
  }

  async #do(id: string, { head, bytes, sha256 }: StoredOrder): Promise<Buffer | WorkFailure> {
    const hash = createHash('sha256');
    const body = hashed(piecesOf(this.#work, inputName(id), bytes), hash);
    const result = await this.#handler.run(head, { body, bytes }, NEVER);
    // The file changed while it was sent: the result would be cached under the key of other bytes.
    if (Buffer.isBuffer(result) && hash.digest('hex') !== sha256) throw new MissingPiece('other bytes');
    return result;
  }

  /** Stores a small result in the cache of the replicas, a large one as separate pieces for a limited time. */
  async #keep(id: string, order: StoredOrder, cache: StateSpace, result: Buffer): Promise<boolean> {
    if (result.length <= MOST_VALUE) {
      const put = await cache.put(cacheName(order.key), result, CACHE_MS);
      return put && this.#record(id, { is: 'done' });
    }
    const read = (start: number, length: number): Promise<Uint8Array> =>
      Promise.resolve(result.subarray(start, start + length));
    const put = await putPieces(this.#work, resultName(id), read, result.length, RECORD_MS);
    return put && this.#record(id, { is: 'done', bytes: result.length });
  }

  /** Checks only the first piece: a replica that misses another piece removes the record. */
  async #hasLarge(id: string): Promise<boolean> {
    return (await this.#work.get(resultName(id)(0))) instanceof Uint8Array;
  }

  async #retry(id: string, attempt: number, why: string): Promise<Ended> {
    if (attempt >= MOST_ATTEMPTS) return this.#fail(id, why);
    await this.#record(id, { is: 'working', attempt, beat: -1, at: Date.now(), isOver: true });
    return { outcome: 'retry', why };
  }

  async #fail(id: string, why: string): Promise<Ended> {
    await this.#record(id, { is: 'failed', why, at: Date.now() });
    return { outcome: 'failed', why };
  }

  #begun(id: string, attempt: number, beat = 0): Promise<boolean> {
    return this.#record(id, { is: 'working', attempt, beat, at: Date.now() });
  }

  #record(id: string, record: JobRecord): Promise<boolean> {
    return putJson(this.#work, recordName(id), record, RECORD_MS);
  }
}

const NEVER: AbortSignal = new AbortController().signal;

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Heartbeats of a running job. */
class Beats {
  readonly #say: (beat: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #said: Promise<unknown> = Promise.resolve();
  #beat = 0;

  constructor(say: (beat: number) => Promise<unknown>) {
    this.#say = say;
  }

  /** Resolves when the first heartbeat is stored, so that a crash from now on is counted. */
  async start(): Promise<void> {
    await this.#say(this.#beat);
    this.#timer = setInterval(() => {
      this.#beat += 1;
      this.#said = this.#said.then(() => this.#say(this.#beat));
    }, BEAT_MS);
  }

  /** No heartbeat is sent after it resolves. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#said;
  }
}

/** A worker: takes jobs from the queues of BullMQ, does what their sealed orders say, and leaves the result in the shared store. */

import { createHash, type Hash } from 'node:crypto';
import type { Queue, Worker } from 'bullmq';
import type { SharedState, StateSpace } from '../types/state.ts';
import type { WorkEvent, WorkFailure, WorkHandler } from '../types/work.ts';
import { MOST_VALUE } from './bounds.ts';
import { inTime } from './in-time.ts';
import { PREFIX } from './work-queue.ts';
import {
  ALIVE_MS,
  aliveName,
  BEAT_MS,
  CACHE_MS,
  cacheName,
  DEAD_MS,
  inputName,
  type JobRecord,
  MissingPiece,
  MOST_ATTEMPTS,
  MOST_RESULT,
  orderName,
  piecesOf,
  putJson,
  putPieces,
  queueOf,
  readJson,
  RECORD_MS,
  recordName,
  removePieces,
  resultName,
  type StoredOrder,
  WORK_SPACE,
} from './work-values.ts';

/** A worker that says nothing for so long is dead: another one takes its job. */
const LOCK_MS = 5_000;

export interface JobsOptions {
  readonly url: string;
  readonly state: SharedState;
  readonly handlers: readonly WorkHandler[];
  /** Jobs at once, of each kind. */
  readonly jobs: number;
  readonly log: (event: WorkEvent) => void;
  /** Ends the wait for a store that is away. */
  readonly signal?: AbortSignal;
}

export interface Jobs {
  /** Jobs under way, by their kind. */
  running(): ReadonlyMap<string, number>;
  /** Jobs that wait in the queues, by their kind; nothing of a queue that does not answer within a second. Never throws. */
  waiting(): Promise<ReadonlyMap<string, number>>;
  /** Takes no more jobs, and waits for those that run. */
  close(): Promise<void>;
}

/** Waits for the store. Undefined where the signal comes first. */
export async function runJobs({
  url,
  state,
  handlers,
  jobs,
  log,
  signal,
}: JobsOptions): Promise<Jobs | undefined> {
  const { Queue, Worker } = await import('bullmq');
  const work = state.space(WORK_SPACE);
  const running = new Map(handlers.map(({ kind }) => [kind, 0]));
  const count = (kind: string, by: number): void => void running.set(kind, (running.get(kind) ?? 0) + by);
  const workers = handlers.map((handler) => {
    const { kind } = handler;
    const job = new JobRunner(handler, state, log);
    const run = async (id: string): Promise<void> => {
      count(kind, 1);
      await job.run(id).finally(() => count(kind, -1));
    };
    const worker = new Worker(queueOf(handler), ({ id }) => run(id ?? ''), {
      connection: { url, skipVersionCheck: true },
      prefix: PREFIX,
      concurrency: jobs,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS / 2,
      // The runner counts too, and ends a job that ends its workers: it leaves a record of that.
      maxStalledCount: MOST_ATTEMPTS,
      // After an error of the connection.
      runRetryDelay: 1_000,
    });
    // It connects again by itself.
    worker.on('error', () => undefined);
    return worker;
  });
  /** Those whose jobs were counted. */
  const queues = new Map<string, Queue>();
  const queueFor = (handler: WorkHandler): Queue => {
    const name = queueOf(handler);
    const queue =
      queues.get(name) ?? new Queue(name, { connection: { url }, prefix: PREFIX, skipVersionCheck: true });
    if (!queues.has(name)) queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  const sayAlive = async (): Promise<void> => {
    const says = handlers.map((handler) =>
      putJson(work, aliveName(queueOf(handler)), { at: Date.now() }, DEAD_MS),
    );
    await Promise.all(says);
  };
  const ready = Promise.all(workers.map((worker) => worker.waitUntilReady().catch(() => undefined)));
  if (!(await before(signal, ready))) {
    // They would wait for their connections.
    for (const worker of workers) worker.close(true).catch(() => undefined);
    return undefined;
  }
  await sayAlive();
  const alive = setInterval(() => void sayAlive(), ALIVE_MS);
  return {
    running: () => running,
    async waiting() {
      const counts = await Promise.all(
        handlers.map(async (handler) => [handler.kind, await waitingIn(queueFor(handler))] as const),
      );
      return new Map(counts.filter((one): one is readonly [string, number] => one[1] !== undefined));
    },
    async close() {
      clearInterval(alive);
      await Promise.all([...workers, ...queues.values()].map(closed));
    },
  };
}

/** Whether `work` is done before the signal aborts. */
async function before(signal: AbortSignal | undefined, work: Promise<unknown>): Promise<boolean> {
  if (signal?.aborted) return false;
  const aborted = new Promise<false>((resolve) => {
    signal?.addEventListener('abort', () => resolve(false), { once: true });
  });
  return Promise.race([work.then(() => true), aborted]);
}

/** Milliseconds. */
const COUNT_MS = 1_000;

/** Undefined where the queue does not answer in time. */
function waitingIn(queue: Queue): Promise<number | undefined> {
  return inTime(queue.getWaitingCount(), COUNT_MS).catch(() => undefined);
}

/** Without a store it waits for nothing. */
async function closed(worker: Worker | Queue): Promise<void> {
  await worker.close().catch(() => undefined);
}

type Ended = Pick<WorkEvent, 'outcome' | 'why'>;

class JobRunner {
  readonly #handler: WorkHandler;
  readonly #state: SharedState;
  readonly #work: StateSpace;
  readonly #log: (event: WorkEvent) => void;

  constructor(handler: WorkHandler, state: SharedState, log: (event: WorkEvent) => void) {
    this.#handler = handler;
    this.#state = state;
    this.#work = state.space(WORK_SPACE);
    this.#log = log;
  }

  /** Throws for what BullMQ is to try again. */
  async run(id: string): Promise<void> {
    const began = performance.now();
    const ended = await this.#ended(id);
    const ms = Math.round(performance.now() - began);
    this.#log({ event: 'job', kind: this.#handler.kind, ms, ...ended });
    if (ended.outcome === 'retry') throw new Error(ended.why ?? 'it failed');
  }

  async #ended(id: string): Promise<Ended> {
    const order = await readJson<StoredOrder>(this.#work, orderName(id));
    if (order === 'away') return { outcome: 'retry', why: 'store' };
    // Without an order it is no job of a replica, or nobody waits for it any more.
    if (order?.kind !== this.#handler.kind) return { outcome: 'dropped', why: 'no order' };
    const cache = this.#state.space(order.space);
    if ((await cache.get(cacheName(order.key))) instanceof Uint8Array) {
      await this.#record(id, { is: 'done' });
      return { outcome: 'known' };
    }
    const record = await readJson<JobRecord>(this.#work, recordName(id));
    if (record === 'away') return { outcome: 'retry', why: 'store' };
    if (record?.is === 'failed' && Math.abs(Date.now() - record.at) < RECORD_MS) return { outcome: 'known' };
    if (record?.is === 'done' && (await this.#hasLarge(id))) return { outcome: 'known' };
    const attempt = record?.is === 'working' ? record.attempt + 1 : 1;
    // Each attempt before has ended its worker.
    if (attempt > MOST_ATTEMPTS) return this.#fail(id, 'worker');
    return this.#attempt(id, order, cache, attempt);
  }

  async #attempt(id: string, order: StoredOrder, cache: StateSpace, attempt: number): Promise<Ended> {
    const beats = new Beats((beat) => this.#record(id, { is: 'working', attempt, beat }));
    await beats.start();
    let result: Buffer | WorkFailure;
    try {
      result = await this.#do(id, order);
    } catch (error) {
      await beats.stop();
      if (!(error instanceof MissingPiece)) return this.#retry(id, attempt, 'error');
      // Who waits for it need not wait longer.
      await this.#fail(id, 'here');
      return { outcome: 'dropped', why: error.message };
    }
    await beats.stop();
    if (!Buffer.isBuffer(result)) {
      const { why, isLasting } = result;
      return isLasting ? this.#fail(id, why) : this.#retry(id, attempt, why);
    }
    if (result.length > MOST_RESULT) return this.#fail(id, 'large');
    const isKept = await this.#keep(id, order, cache, result);
    if (!isKept) return { outcome: 'retry', why: 'store' };
    await this.#work.remove(orderName(id));
    await removePieces(this.#work, inputName(id), order.bytes);
    return { outcome: 'done' };
  }

  async #do(id: string, { head, bytes, sha256 }: StoredOrder): Promise<Buffer | WorkFailure> {
    const hash = createHash('sha256');
    const body = hashed(piecesOf(this.#work, inputName(id), bytes), hash);
    const result = await this.#handler.run(head, { body, bytes }, NEVER);
    // The file has changed while it was sent: the result would be kept under the name of other bytes.
    if (Buffer.isBuffer(result) && hash.digest('hex') !== sha256) throw new MissingPiece('other bytes');
    return result;
  }

  /** A small result goes into the cache of the replicas, a large one lies beside it for a while. */
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

  async #hasLarge(id: string): Promise<boolean> {
    return (await this.#work.get(resultName(id)(0))) instanceof Uint8Array;
  }

  async #retry(id: string, attempt: number, why: string): Promise<Ended> {
    return attempt >= MOST_ATTEMPTS ? this.#fail(id, why) : { outcome: 'retry', why };
  }

  async #fail(id: string, why: string): Promise<Ended> {
    await this.#record(id, { is: 'failed', why, at: Date.now() });
    return { outcome: 'failed', why };
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

/** Says now and then that a job is worked on. */
class Beats {
  readonly #say: (beat: number) => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #said: Promise<unknown> = Promise.resolve();
  #beat = 0;

  constructor(say: (beat: number) => Promise<unknown>) {
    this.#say = say;
  }

  /** Resolves when the first one is there: what ends this process now is counted. */
  async start(): Promise<void> {
    await this.#say(this.#beat);
    this.#timer = setInterval(() => {
      this.#beat += 1;
      this.#said = this.#said.then(() => this.#say(this.#beat));
    }, BEAT_MS);
  }

  /** Nothing is said after it resolves. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#said;
  }
}

/** The main part of a worker: takes jobs from the BullMQ queue of each kind of work, and announces that it is alive. */

import { createHash, type Hash } from 'node:crypto';
import type { Queue, Worker } from 'bullmq';
import type { WorkerSettings } from '../../../../src/faces/cli/serve-command.ts';
import type {
  SharedState,
  StateSpace,
  WorkEvent,
  WorkFailure,
  WorkHandler,
} from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import { PREFIX } from './remote-work.ts';
import {
  ALIVE_MS,
  aliveName,
  BEAT_MS,
  CACHE_MS,
  cacheName,
  DEAD_MS,
  inputName,
  isFresh,
  type JobRecord,
  jobRecordName,
  MAX_JOB_ATTEMPTS,
  MAX_SHARED_VALUE_BYTES,
  MAX_WORK_RESULT_BYTES,
  MissingPiece,
  orderName,
  piecesOf,
  putLarge,
  RECORD_MS,
  removePieces,
  type StoredOrder,
  WORK_SPACE,
  workQueueName,
} from './values.ts';

/** A worker without a sign of life for this long counts as dead, and another one takes its job. */
const LOCK_MS = 5_000;

/** Timeout for counting the jobs of a queue, in milliseconds. */
const COUNT_MS = 1_000;

export interface JobsOptions extends Pick<WorkerSettings, 'handlers' | 'jobs'> {
  readonly url: string;
  readonly state: SharedState;
  readonly perMinute?: number | undefined;
  readonly log: (event: WorkEvent) => void;
  /** Ends the wait for a store that is unavailable. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningJobs {
  /** Number of running jobs by kind. */
  running(): ReadonlyMap<string, number>;
  /** Number of waiting jobs by kind, without queues that do not answer within a second. Never throws. */
  waiting(): Promise<ReadonlyMap<string, number>>;
  /** Takes no more jobs, and waits for the running ones. */
  close(): Promise<void>;
  /** The process ends now: the attempts of running jobs do not count. */
  giveBack(): Promise<void>;
}

/** Waits for the store. Undefined if the signal aborts first. */
export async function runJobs(options: JobsOptions): Promise<RunningJobs | undefined> {
  const library = await import('bullmq');
  const kinds = options.handlers.map((handler) => new KindOfJobs(handler, options, library));
  if (!(await before(options.signal, Promise.all(kinds.map((kind) => kind.ready()))))) {
    for (const kind of kinds) kind.end();
    return undefined;
  }
  const stopSaying = await sayAlive(options);
  return {
    running: () => new Map(kinds.map(({ name, runner }) => [name, runner.running])),
    async waiting() {
      const counts = await Promise.all(kinds.map(async (kind) => [kind.name, await kind.waiting()] as const));
      return new Map(counts.filter((one): one is readonly [string, number] => one[1] !== undefined));
    },
    async close() {
      await Promise.all([stopSaying(), ...kinds.map((kind) => kind.close())]);
    },
    giveBack: async () => void (await Promise.all(kinds.map(({ runner }) => runner.giveBack()))),
  };
}

type Library = typeof import('bullmq');

/** The jobs of one kind of work. */
class KindOfJobs {
  readonly name: string;
  readonly runner: JobRunner;
  readonly #library: Library;
  readonly #at: string;
  readonly #url: string;
  readonly #worker: Worker;
  /** Created when its jobs are first counted. */
  #queue: Queue | undefined;

  constructor(handler: WorkHandler, { url, state, jobs, perMinute, log }: JobsOptions, library: Library) {
    this.name = handler.kind;
    this.runner = new JobRunner({ handler, state, log });
    this.#library = library;
    this.#at = workQueueName(handler);
    this.#url = url;
    this.#worker = new library.Worker(
      this.#at,
      ({ deduplicationId }) => this.runner.run(deduplicationId ?? ''),
      {
        connection: { url, skipVersionCheck: true },
        prefix: PREFIX,
        concurrency: jobs,
        ...(perMinute !== undefined && { limiter: { max: perMinute, duration: 60_000 } }),
        lockDuration: LOCK_MS,
        stalledInterval: LOCK_MS / 2,
        // The runner counts attempts too, and records the failure of a job that crashes its workers.
        maxStalledCount: MAX_JOB_ATTEMPTS,
        // Delay after a connection error.
        runRetryDelay: 1_000,
      },
    );
    // The client reconnects by itself.
    this.#worker.on('error', () => undefined);
  }

  async ready(): Promise<void> {
    await this.#worker.waitUntilReady().catch(() => undefined);
  }

  /** Undefined if the queue does not answer in time. */
  waiting(): Promise<number | undefined> {
    return oriel.inTime(this.#counted().getWaitingCount(), COUNT_MS).catch(() => undefined);
  }

  /** Waits for running jobs. Never throws. */
  async close(): Promise<void> {
    const open = [this.#worker, this.#queue].map((one) => one?.close().catch(() => undefined));
    await Promise.all(open);
  }

  /** Closes without waiting for a connection. */
  end(): void {
    this.#worker.close(true).catch(() => undefined);
  }

  #counted(): Queue {
    if (this.#queue) return this.#queue;
    const options = { connection: { url: this.#url }, prefix: PREFIX, skipVersionCheck: true };
    this.#queue = new this.#library.Queue(this.#at, options);
    this.#queue.on('error', () => undefined);
    return this.#queue;
  }
}

/** Announces regularly that workers are alive. The returned function removes the entry; other workers renew it soon. */
async function sayAlive({ state, handlers }: JobsOptions): Promise<() => Promise<void>> {
  const work = state.space(WORK_SPACE);
  const names = handlers.map((handler) => aliveName(workQueueName(handler)));
  const say = (): Promise<unknown> =>
    Promise.all(names.map((name) => oriel.putJson(work, name, { at: Date.now() }, DEAD_MS)));
  let said = say();
  await said;
  const timer = setInterval(() => (said = said.then(say)), ALIVE_MS);
  return async () => {
    clearInterval(timer);
    await said;
    await Promise.all(names.map((name) => work.remove(name)));
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

// Runs the jobs of a worker: reads the encrypted order, does the work, and stores the result and a record.

interface JobRunnerOptions {
  readonly handler: WorkHandler;
  readonly state: SharedState;
  readonly log: (event: WorkEvent) => void;
}

type Ended = Pick<WorkEvent, 'outcome' | 'why'>;

class JobRunner {
  readonly #handler: WorkHandler;
  readonly #state: SharedState;
  readonly #work: StateSpace;
  readonly #log: (event: WorkEvent) => void;
  /** Current attempts, by the id of the job. */
  readonly #attempts = new Map<string, { readonly attempt: number; readonly beats: Beats }>();
  #running = 0;

  constructor({ handler, state, log }: JobRunnerOptions) {
    this.#handler = handler;
    this.#state = state;
    this.#work = state.space(WORK_SPACE);
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
    const order = await oriel.readJson<StoredOrder>(this.#work, orderName(id));
    if (order === 'away') return { outcome: 'retry', why: 'store' };
    // Without an order the job is not from a replica, or no replica waits for it any more.
    if (order?.kind !== this.#handler.kind) return { outcome: 'dropped', why: 'no order' };
    const cache = this.#state.space(order.space);
    if ((await cache.get(cacheName(order.key))) instanceof Uint8Array) {
      await this.#record(id, { kind: 'done' });
      return { outcome: 'known' };
    }
    const record = await oriel.readJson<JobRecord>(this.#work, jobRecordName(id));
    if (record === 'away') return { outcome: 'retry', why: 'store' };
    if (record?.kind === 'failed' && isFresh(record)) return { outcome: 'known' };
    const before = record?.kind === 'working' && isFresh(record) ? record.attempt : 0;
    if (before >= MAX_JOB_ATTEMPTS) return this.#fail(id, 'worker');
    return this.#attempt(id, order, cache, before + 1);
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
    if (result.length > MAX_WORK_RESULT_BYTES) return this.#fail(id, 'large');
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

  /** Stores the result in the cache of the replicas, one that they do not share for a limited time. */
  async #keep(id: string, order: StoredOrder, cache: StateSpace, result: Buffer): Promise<boolean> {
    const read = (start: number, length: number): Promise<Uint8Array> =>
      Promise.resolve(result.subarray(start, start + length));
    const ttl = result.length <= MAX_SHARED_VALUE_BYTES ? CACHE_MS : RECORD_MS;
    const put = await putLarge(cache, cacheName(order.key), read, result.length, ttl);
    return put && this.#record(id, { kind: 'done' });
  }

  async #retry(id: string, attempt: number, why: string): Promise<Ended> {
    if (attempt >= MAX_JOB_ATTEMPTS) return this.#fail(id, why);
    await this.#record(id, { kind: 'working', attempt, beat: -1, at: Date.now() });
    return { outcome: 'retry', why };
  }

  async #fail(id: string, why: string): Promise<Ended> {
    await this.#record(id, { kind: 'failed', why, at: Date.now() });
    return { outcome: 'failed', why };
  }

  #begun(id: string, attempt: number, beat = 0): Promise<boolean> {
    return this.#record(id, { kind: 'working', attempt, beat, at: Date.now() });
  }

  #record(id: string, record: JobRecord): Promise<boolean> {
    return oriel.putJson(this.#work, jobRecordName(id), record, RECORD_MS);
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

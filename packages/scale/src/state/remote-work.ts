/**
 * Sends work to remote workers: stores an encrypted order and its input in the shared store, adds a job to a queue, and
 * polls the record of the job. If the result is late or not authentic, the work is done in this process.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type {
  RemoteWork,
  SharedState,
  StateSpace,
  WorkOrder,
  WorkOutcome,
} from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import {
  aliveName,
  cacheName,
  DEAD_MS,
  getLarge,
  inputName,
  isFresh,
  type JobRecord,
  jobRecordName,
  MAX_JOB_ATTEMPTS,
  MissingPiece,
  ORDER_MS,
  orderName,
  putPieces,
  RECORD_MS,
  removeLarge,
  type StoredOrder,
  WORK_SPACE,
  workQueueName,
} from './values.ts';

/** Maximum concurrent orders of this process; further work is done here. */
const MAX_SENT_ORDERS = 8;

/** After this many milliseconds without a heartbeat of a worker the work is done here. */
const SILENCE_MS = 4_000;

/** Milliseconds between two polls of a record: at first, and at most. */
const INITIAL_POLL_MS = 10;
const MAX_POLL_MS = 200;

type Options = Parameters<RemoteWork['run']>[1];

const HERE: WorkOutcome = { kind: 'here' };

/** A piece that is too short, which ends the sending. */
const NOTHING = new Uint8Array(0);

/** Reasons of a worker for which the replica does the work itself: the result is too large, or would not be valid for it. */
const LOCAL: ReadonlySet<string> = new Set(['large', 'here']);

interface SenderOptions {
  readonly state: Pick<SharedState, 'space' | 'nameOf'>;
  readonly queue: WorkQueue;
}

export class WorkSender {
  readonly #state: SenderOptions['state'];
  readonly #queue: WorkQueue;
  readonly #work: StateSpace;
  #sent = 0;

  constructor({ state, queue }: SenderOptions) {
    this.#state = state;
    this.#queue = queue;
    this.#work = state.space(WORK_SPACE);
  }

  /** The remote work of a session whose cache is in that space. */
  of(space: string): RemoteWork {
    return {
      hasWorkers: (work) => this.#hasWorkers(work),
      run: (order, options) => this.#run(space, order, options),
    };
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #run(space: string, order: WorkOrder, options: Options): Promise<WorkOutcome> {
    if (this.#sent >= MAX_SENT_ORDERS || order.bytes > oriel.MAX_WORK_INPUT_BYTES) return HERE;
    this.#sent += 1;
    try {
      if (!(await this.#hasWorkers(order))) return HERE;
      const id = this.#state.nameOf(JSON.stringify(['work', space, order.kind, order.version, order.key]));
      const cache = this.#state.space(space);
      const earlier = await this.#outcome(id, cache, order, options);
      if (earlier) return earlier;
      if (!(await this.#send(id, space, order, options))) return HERE;
      return await this.#follow(id, cache, order, options);
    } finally {
      this.#sent -= 1;
    }
  }

  /** An entry that is too old is ignored: someone may have put it back into the store. */
  async #hasWorkers(work: Parameters<RemoteWork['hasWorkers']>[0]): Promise<boolean> {
    const alive = await oriel.readJson<{ at: number }>(this.#work, aliveName(workQueueName(work)));
    return alive !== undefined && alive !== 'away' && Math.abs(Date.now() - alive.at) < RECORD_MS + DEAD_MS;
  }

  /** False if the store refuses it or it takes too long. */
  async #send(id: string, space: string, order: WorkOrder, { signal, giveUpAt }: Options): Promise<boolean> {
    const { kind, key, head, bytes, sha256 } = order;
    const read = (start: number, length: number): Promise<Uint8Array> => {
      signal.throwIfAborted();
      return isLate(giveUpAt) ? Promise.resolve(NOTHING) : order.read(start, length);
    };
    const stored: StoredOrder = { space, kind, key, head, bytes, sha256 };
    return (
      (await putPieces(this.#work, inputName(id), read, bytes, ORDER_MS)) &&
      (await oriel.putJson(this.#work, orderName(id), stored, ORDER_MS)) &&
      this.#queue.add(workQueueName(order), id)
    );
  }

  async #follow(id: string, cache: StateSpace, order: WorkOrder, options: Options): Promise<WorkOutcome> {
    const { signal, giveUpAt } = options;
    let [heardAt, heard, wait] = [performance.now(), '', INITIAL_POLL_MS];
    for (;;) {
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
      wait = Math.min(wait * 1.5, MAX_POLL_MS);
      const record = await oriel.readJson<JobRecord>(this.#work, jobRecordName(id));
      if (record === 'away') return HERE;
      const outcome = record && (await this.#outcomeOf(record, id, cache, order, options));
      if (outcome) return outcome;
      const now = performance.now();
      const sign = JSON.stringify(record);
      if (sign !== heard) [heardAt, heard] = [now, sign];
      if (now - heardAt <= SILENCE_MS && !isLate(giveUpAt)) continue;
      // Removes the order of a job that was not begun: a worker drops a job without an order, so it is not done twice.
      if (record === undefined) await this.#work.remove(orderName(id));
      return HERE;
    }
  }

  async #outcome(
    id: string,
    cache: StateSpace,
    order: WorkOrder,
    options: Options,
  ): Promise<WorkOutcome | undefined> {
    const record = await oriel.readJson<JobRecord>(this.#work, jobRecordName(id));
    return record && record !== 'away' ? this.#outcomeOf(record, id, cache, order, options) : undefined;
  }

  /** Undefined if there is no outcome yet, or if its result is gone. */
  async #outcomeOf(
    record: JobRecord,
    id: string,
    cache: StateSpace,
    { key }: WorkOrder,
    { giveUpAt }: Options,
  ): Promise<WorkOutcome | undefined> {
    if (record.kind === 'working') return undefined;
    if (record.kind === 'failed') {
      if (!isFresh(record)) return undefined;
      return LOCAL.has(record.why) ? HERE : { kind: 'failed', why: record.why };
    }
    const result = await this.#result(cache, key, giveUpAt);
    if (result === 'late') return HERE;
    if (result) return { kind: 'done', result };
    // A piece is missing. A worker that finds the record or the rest would take the job for done.
    await Promise.all([this.#work.remove(jobRecordName(id)), removeLarge(cache, cacheName(key))]);
    return undefined;
  }

  async #result(cache: StateSpace, key: string, giveUpAt: number): Promise<Buffer | 'late' | undefined> {
    const found: Buffer[] = [];
    try {
      const pieces = await getLarge(cache, cacheName(key));
      if (!pieces) return undefined;
      for await (const piece of pieces) {
        if (isLate(giveUpAt)) return 'late';
        found.push(piece);
      }
    } catch (error) {
      if (error instanceof MissingPiece) return undefined;
      throw error;
    }
    return Buffer.concat(found);
  }
}

function isLate(giveUpAt: number): boolean {
  return performance.now() > giveUpAt;
}

// Adds jobs to the BullMQ queues in the Redis of the shared store. A job has only an id; its encrypted order is stored separately.

/** Prefix of the keys of the queues. */
export const PREFIX = 'oriel';

/** Maximum waiting jobs of a queue; above that, replicas do the work themselves. */
const MAX_WAITING_JOBS = 64;

/** Maximum number and age in seconds of ended jobs that BullMQ keeps. */
const ENDED = { count: 100, age: 24 * 60 * 60 };

/** After a failure no job is added for this many milliseconds. */
const REST_MS = 5_000;

interface WorkQueueOptions {
  readonly url: string;
  /** Timeout of an operation, in milliseconds. */
  readonly timeoutMs: number;
}

interface Connected {
  readonly redis: Redis;
  readonly queues: Map<string, Queue>;
  readonly library: typeof import('bullmq');
  readonly ready: Promise<void>;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  #connected: Promise<Connected> | undefined;
  #restsUntil = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Returns false if the job was not added. A job that is in the queue already is not added twice. Never throws. */
  async add(name: string, id: string): Promise<boolean> {
    if (performance.now() < this.#restsUntil) return false;
    try {
      const connected = await (this.#connected ??= this.#connect());
      const added = connected.ready.then(() => addTo(openQueue(connected, name), id));
      return await oriel.inTime(added, this.#options.timeoutMs);
    } catch {
      this.#restsUntil = performance.now() + REST_MS;
      await this.close();
      return false;
    }
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    connected?.redis.disconnect();
  }

  /** Loading the packages does not count for the timeout. */
  async #connect(): Promise<Connected> {
    const { url, timeoutMs } = this.#options;
    const [library, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: timeoutMs,
      // After a connection error there are no retries; the next job connects again.
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
    });
    redis.on('error', () => undefined);
    // An idle connection does not keep the process alive. The timer of a pending operation does.
    const ready = redis.connect().then(() => void redis.stream.unref());
    ready.catch(() => undefined);
    return { redis, queues: new Map(), library, ready };
  }
}

function openQueue({ redis, queues, library }: Connected, name: string): Queue {
  let queue = queues.get(name);
  if (!queue) {
    queue = new library.Queue(name, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
    queue.on('error', () => undefined);
    queues.set(name, queue);
  }
  return queue;
}

async function addTo(queue: Queue, id: string): Promise<boolean> {
  if ((await queue.getWaitingCount()) >= MAX_WAITING_JOBS) return false;
  await queue.add(
    'job',
    {},
    // `deduplication` instead of a job id: an ended job that is still kept must not prevent the same job.
    { deduplication: { id }, attempts: MAX_JOB_ATTEMPTS, removeOnComplete: ENDED, removeOnFail: ENDED },
  );
  return true;
}

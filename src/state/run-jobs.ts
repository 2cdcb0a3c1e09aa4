/** The main part of a worker: takes jobs from the BullMQ queue of each kind of work, and announces that it is alive. */

import type { Queue, Worker } from 'bullmq';
import type { SharedState } from '../types/state.ts';
import type { WorkEvent, WorkHandler } from '../types/work.ts';
import { inTime } from './in-time.ts';
import { JobRunner } from './job-runner.ts';
import { SharedLock } from './shared-lock.ts';
import { PREFIX } from './work-queue.ts';
import { ALIVE_MS, aliveName, DEAD_MS, MOST_ATTEMPTS, putJson, queueOf, WORK_SPACE } from './work-values.ts';

/** A worker without a sign of life for this long counts as dead, and another one takes its job. */
const LOCK_MS = 5_000;

/** Timeout for counting the jobs of a queue, in milliseconds. */
const COUNT_MS = 1_000;

export interface JobsOptions {
  readonly url: string;
  readonly state: SharedState;
  readonly handlers: readonly WorkHandler[];
  /** Maximum concurrent jobs of each kind. */
  readonly jobs: number;
  /** Maximum jobs of each kind that all workers together start per minute. @default no limit */
  readonly perMinute?: number | undefined;
  readonly log: (event: WorkEvent) => void;
  /** Ends the wait for a store that is unavailable. */
  readonly signal?: AbortSignal;
}

export interface Jobs {
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
export async function runJobs(options: JobsOptions): Promise<Jobs | undefined> {
  const library = await import('bullmq');
  const lock = new SharedLock();
  const kinds = options.handlers.map((handler) => new KindOfJobs(handler, options, library, lock));
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

  constructor(
    handler: WorkHandler,
    { url, state, jobs, perMinute, log }: JobsOptions,
    library: Library,
    lock: SharedLock,
  ) {
    this.name = handler.kind;
    this.runner = new JobRunner({ handler, state, lock, log });
    this.#library = library;
    this.#at = queueOf(handler);
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
        maxStalledCount: MOST_ATTEMPTS,
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
    return inTime(this.#counted().getWaitingCount(), COUNT_MS).catch(() => undefined);
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
  const names = handlers.map((handler) => aliveName(queueOf(handler)));
  const say = (): Promise<unknown> =>
    Promise.all(names.map((name) => putJson(work, name, { at: Date.now() }, DEAD_MS)));
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

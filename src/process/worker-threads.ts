/** A pool of worker threads for untrusted input: a queue limits how many run, and idle ones end after a while. */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';
import type { Queue, QueueClaim } from '../queues/queue.ts';
import { endingOf, LOADED } from './worker-ending.ts';
import { cpuWaitMeter, startOwnTimer } from './cpu-timeout.ts';
import { type WorkerStartOptions, startWorker, isOutgrown, isStartFailure } from './worker-start.ts';

export interface PoolOptions extends WorkerStartOptions {
  /** Each running thread holds one of its slots. */
  readonly queue: Queue;
  /** An idle thread ends after this many milliseconds, which frees its memory. */
  readonly idleMs: number;
}

/**
 * Lets the lent worker do a job. `until`: the deadline on the clock of `performance.now()`. It is extended by the time that
 * the thread waited for a CPU, up to `latest` if that is given.
 */
export type AskWorker<Job, Reply> = (
  job: Job,
  until: number,
  signal: AbortSignal,
  latest?: number,
) => Promise<Reply>;

export class WorkerPool<Job, Reply> {
  readonly #options: PoolOptions;
  readonly #idle: WorkerThread<Job, Reply>[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Waits for a worker and lends it to `act`. Open descriptors in `act`, because a thousand calls may be waiting for a
   * worker; but do slow preparation before. Throws the signal's reason when it aborts, and `BUSY`.
   */
  async lend<T>(claim: QueueClaim, act: (ask: AskWorker<Job, Reply>) => Promise<T>): Promise<T> {
    return this.#options.queue.run(async () => {
      let thread: WorkerThread<Job, Reply> | undefined;
      try {
        return await act((job, until, asked, latest) => {
          if (!thread?.alive) thread = this.#wake() ?? new WorkerThread(this.#options);
          return thread.ask(job, until, asked, latest);
        });
      } finally {
        if (thread?.alive) this.#rest(thread);
      }
    }, claim);
  }

  /** Whether there is an idle thread. */
  get hasIdle(): boolean {
    return this.#idle.some(({ alive }) => alive);
  }

  /** Ends all idle threads. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }

  /** An idle thread that is still alive. */
  #wake(): WorkerThread<Job, Reply> | undefined {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) if (thread.alive) return thread;
    return undefined;
  }

  #rest(thread: WorkerThread<Job, Reply>): void {
    this.#idle.push(thread);
    thread.rest(this.#options.idleMs, () => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
    });
  }
}

// A worker thread that does one job at a time. At a timeout or a cancellation it is asked to stop, and terminated if it
// does not. It receives descriptors and bytes, never paths.

/** Milliseconds that a thread has to stop by itself. */
const GRACE_MS = 40;

/** Values of `stop`, which is 0 while the job should continue. */
const CANCELLED = 1;
const OUT_OF_TIME = 2;

/** Its entry answers each message `{ job, stop }` with `{ reply, retire? }`, and soon when `stop[0]` becomes non-zero. */
export class WorkerThread<Job, Reply> {
  alive = true;
  readonly #worker: Worker;
  readonly #end: () => Promise<void>;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #settle: { resolve(reply: Reply): void; reject(error: unknown): void } | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(options: WorkerStartOptions) {
    this.#worker = startWorker(options);
    this.#end = endingOf(this.#worker);
    this.#worker.on('message', (message: typeof LOADED | { reply: Reply; retire?: boolean }) => {
      if (message === LOADED) return;
      this.#settle?.resolve(message.reply);
      if (message.retire) void this.end();
    });
    this.#worker.on('error', (error) => this.#fail(workerFailure(error)));
    this.#worker.on('exit', () =>
      this.#fail(new OrielError('INTERNAL', 'The worker ended before it answered.')),
    );
  }

  /** Does a job; only one at a time. `latest`: see AskWorker. */
  async ask(job: Job, until: number, signal: AbortSignal, latest: number = until): Promise<Reply> {
    clearTimeout(this.#restTimer);
    signal.throwIfAborted();
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 0);
    const { promise, resolve, reject } = withResolvers<Reply>();
    this.#settle = { resolve, reject };
    let timer: NodeJS.Timeout | undefined;
    const stop = (why: number, reason: unknown): void => {
      Atomics.store(this.#stop, 0, why);
      stopTimer();
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The caller closes the thread's descriptors next, so the thread must end before this rejects.
        this.#settle = undefined;
        void this.end().then(() => reject(reason));
      }, GRACE_MS);
    };
    const cancel = (): void => stop(CANCELLED, signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    const now = performance.now();
    const stopTimer = startOwnTimer(
      Math.max(0, until - now),
      latest > until ? cpuWaitMeter(process.pid) : () => Promise.resolve(0),
      () => stop(OUT_OF_TIME, outOfTime()),
      Math.max(0, latest - now),
    );
    try {
      this.#worker.postMessage({ job, stop: this.#stop });
      return await promise;
    } finally {
      stopTimer();
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#settle = undefined;
      this.#worker.unref();
    }
  }

  /** Makes the thread idle: it does not keep the process alive, and ends after `idleMs` without a job. */
  rest(idleMs: number, gone: () => void): void {
    this.#restTimer = setTimeout(() => {
      gone();
      void this.end();
    }, idleMs);
    this.#restTimer.unref();
  }

  async end(): Promise<void> {
    this.alive = false;
    clearTimeout(this.#restTimer);
    await this.#end();
  }

  #fail(error: OrielError): void {
    this.alive = false;
    this.#settle?.reject(error);
  }
}

function outOfTime(): OrielError {
  return new OrielError('TIMEOUT', 'The work took too long and was stopped.');
}

function workerFailure(error: unknown): OrielError {
  if (isOutgrown(error))
    return new OrielError('LIMIT', 'The work needs more memory than it may have.', { cause: error });
  if (isStartFailure(error))
    return new OrielError('BUSY', 'No worker thread could be started. Call again.', { cause: error });
  return new OrielError('INTERNAL', 'The worker thread failed.', { cause: error });
}

function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

// Runs streaming work that may hang or take too much memory on hostile input in a worker thread, which exchanges messages
// and can be terminated at any time.

interface StreamOptions extends WorkerStartOptions {
  readonly signal: AbortSignal;
}

export interface WorkerConversation {
  /** `transfer` moves to the worker instead of being copied. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** The next message of the worker. Throws if the worker ends before it. */
  next(): Promise<unknown>;
  /** Terminates the worker, even in the middle of its work. */
  end(): Promise<void>;
  /** Makes a worker idle: it does not keep the process alive, and ends after `idleMs`. */
  rest(idleMs: number, gone: () => void): void;
  /** Uses an idle worker again, with another signal. False if it has ended. */
  wake(signal: AbortSignal): boolean;
}

/** Starts a worker. The caller must limit their number, because it knows which are idle. */
export function startConversation({ signal: first, ...options }: StreamOptions): WorkerConversation {
  first.throwIfAborted();
  let signal = first;
  let restTimer: NodeJS.Timeout | undefined;
  const worker = startWorker({ youngMb: 4, ...options });
  const arrived: unknown[] = [];
  let failure: unknown;
  let asked: { resolve(message: unknown): void; reject(error: unknown): void } | undefined;
  const fail = (error: unknown): void => {
    failure ??= error;
    asked?.reject(failure);
    asked = undefined;
  };
  const end = endingOf(worker);
  const abort = (): void => {
    fail(signal.reason);
    void end();
  };
  worker.on('message', (message) => {
    if (message === LOADED) return;
    if (asked) asked.resolve(message);
    else arrived.push(message);
    asked = undefined;
  });
  worker.on('error', (error) => fail(worded(error)));
  worker.once('exit', () => {
    clearTimeout(restTimer);
    signal.removeEventListener('abort', abort);
    fail(new OrielError('INTERNAL', 'the isolated worker has ended'));
  });
  signal.addEventListener('abort', abort, { once: true });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    next() {
      if (arrived.length > 0) return Promise.resolve(arrived.shift());
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        asked = { resolve, reject };
      });
    },
    end,
    rest(idleMs, gone) {
      signal.removeEventListener('abort', abort);
      worker.unref();
      restTimer = setTimeout(() => {
        gone();
        void end();
      }, idleMs).unref();
    },
    wake(next) {
      clearTimeout(restTimer);
      if (failure !== undefined) return false;
      signal = next;
      signal.addEventListener('abort', abort, { once: true });
      worker.ref();
      return true;
    },
  };
}

/** The error as the second half of a sentence; the caller adds the name of the input. */
function worded(error: unknown): unknown {
  if (isOutgrown(error))
    return new OrielError('LIMIT', 'it needs more memory than is allowed', { cause: error });
  return isStartFailure(error)
    ? new OrielError('BUSY', 'no worker thread could be started for it', { cause: error })
    : error;
}

/**
 * A worker thread that does one job at a time. At a timeout or a cancellation it is asked to stop, and terminated if it
 * does not. It receives descriptors and bytes, never paths.
 */

import type { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';
import { isOutgrown, isStartFailure, type StartOptions, startWorker } from './isolate-start.ts';
import { startOwnTimer, waitingOf } from './own-time.ts';
import { endingOf, LOADED } from './worker-loading.ts';

/** Milliseconds that a thread has to stop by itself. */
const GRACE_MS = 40;

/** Values of `stop`, which is 0 while the job should continue. */
const CANCELLED = 1;
const OUT_OF_TIME = 2;

/** Its entry answers each message `{ job, stop }` with `{ reply, retire? }`, and soon when `stop[0]` becomes non-zero. */
export class Thread<Job, Reply> {
  alive = true;
  readonly #worker: Worker;
  readonly #end: () => Promise<void>;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #settle: { resolve(reply: Reply): void; reject(error: unknown): void } | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(options: StartOptions) {
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
      latest > until ? waitingOf(process.pid) : () => Promise.resolve(0),
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

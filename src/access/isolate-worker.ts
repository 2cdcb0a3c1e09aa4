/**
 * Owns worker threads that do dangerous work one job at a time: a small pool, a queue before it, and the last
 * resort of ending a thread that does not stop. Workers get descriptors and bytes, never paths.
 */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';

export interface PoolOptions {
  /**
   * The built entry. It answers each `{ job, stop }` with one `{ reply, retire? }`, soon once `stop[0]` is not 0.
   */
  readonly entry: URL;
  /** The most threads. */
  readonly size: number;
  /** An unused thread ends after this long, and gives its memory back. */
  readonly idleMs: number;
  /** MiB of JavaScript heap of one thread. */
  readonly heapMb: number;
}

/** What a thread may take to stop by itself once it was told to. */
const GRACE_MS = 40;

/** What `stop` holds when the job is no longer wanted; before, it holds 0. */
export const CANCELLED = 1;
export const OUT_OF_TIME = 2;

/** Asks the lent worker to do one job. `until` is on the clock of `performance.now()`. */
export type Ask<Job, Reply> = (job: Job, until: number, signal: AbortSignal) => Promise<Reply>;

export class WorkerPool<Job, Reply> {
  readonly #options: PoolOptions;
  readonly #idle: Thread<Job, Reply>[] = [];
  readonly #waiting: (() => void)[] = [];
  #lent = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Waits for a worker and lends it to `act`. What a job needs (descriptors) is best opened in there: a thousand
   * calls may be waiting. Throws the signal's reason when it aborts.
   */
  async lend<T>(signal: AbortSignal, act: (ask: Ask<Job, Reply>) => Promise<T>): Promise<T> {
    await this.#turn(signal);
    let thread: Thread<Job, Reply> | undefined;
    try {
      return await act((job, until, asked) => {
        if (!thread?.alive) thread = this.#idle.pop() ?? new Thread(this.#options);
        return thread.ask(job, until, asked);
      });
    } finally {
      if (thread?.alive) this.#rest(thread);
      this.#lent -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Ends all threads that do nothing. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#lent >= this.#options.size) {
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          reject(signal.reason as Error);
        };
        this.#waiting.push(go);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    this.#lent += 1;
  }

  #rest(thread: Thread<Job, Reply>): void {
    this.#idle.push(thread);
    thread.rest(this.#options.idleMs, () => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
    });
  }
}

class Thread<Job, Reply> {
  alive = true;
  readonly #worker: Worker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #settle: { resolve(reply: Reply): void; reject(error: unknown): void } | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor({ entry, heapMb }: PoolOptions) {
    this.#worker = new Worker(entry, {
      env: {},
      execArgv: [],
      // Kept from this process's own output.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#worker.on('message', ({ reply, retire }: { reply: Reply; retire?: boolean }) => {
      this.#settle?.resolve(reply);
      if (retire) void this.end();
    });
    this.#worker.on('error', (error) => this.#fail(workerFailure(error)));
    this.#worker.on('exit', () =>
      this.#fail(new OrielError('INTERNAL', 'The worker ended before it answered.')),
    );
  }

  /** One job at a time. */
  async ask(job: Job, until: number, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    clearTimeout(this.#restTimer);
    this.#worker.ref();
    Atomics.store(this.#stop, 0, 0);
    const { promise, resolve, reject } = withResolvers<Reply>();
    this.#settle = { resolve, reject };
    let timer: NodeJS.Timeout | undefined;
    const stop = (why: number, reason: unknown): void => {
      Atomics.store(this.#stop, 0, why);
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The descriptors it reads through are closed next, so it must be gone before the answer is.
        this.#settle = undefined;
        void this.end().then(() => reject(reason));
      }, GRACE_MS);
    };
    const cancel = (): void => stop(CANCELLED, signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    timer = setTimeout(stop, Math.max(0, until - performance.now()), OUT_OF_TIME, outOfTime());
    try {
      this.#worker.postMessage({ job, stop: this.#stop });
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#settle = undefined;
      this.#worker.unref();
    }
  }

  /** Waits for the next job, for `idleMs` at most, without keeping the process alive. */
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
    await this.#worker.terminate();
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
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new OrielError('LIMIT', 'The work needs more memory than it may have.');
  return new OrielError(
    'INTERNAL',
    `The worker failed: ${error instanceof Error ? error.message : String(error)}.`,
  );
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

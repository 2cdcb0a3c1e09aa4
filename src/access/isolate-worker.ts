/** A pool of worker threads for untrusted input: a queue limits how many run, and idle ones end after a while. */

import type { Claim, Queue } from '../queues/queue.ts';
import type { StartOptions } from './isolate-start.ts';
import { Thread } from './isolate-thread.ts';

export interface PoolOptions extends StartOptions {
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
  readonly #idle: Thread<Job, Reply>[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Waits for a worker and lends it to `act`. Open descriptors in `act`, because a thousand calls may be waiting for a
   * worker; but do slow preparation before. Throws the signal's reason when it aborts, and `BUSY`.
   */
  async lend<T>(claim: Claim, act: (ask: AskWorker<Job, Reply>) => Promise<T>): Promise<T> {
    return this.#options.queue.run(async () => {
      let thread: Thread<Job, Reply> | undefined;
      try {
        return await act((job, until, asked, latest) => {
          if (!thread?.alive) thread = this.#wake() ?? new Thread(this.#options);
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
  #wake(): Thread<Job, Reply> | undefined {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) if (thread.alive) return thread;
    return undefined;
  }

  #rest(thread: Thread<Job, Reply>): void {
    this.#idle.push(thread);
    thread.rest(this.#options.idleMs, () => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
    });
  }
}

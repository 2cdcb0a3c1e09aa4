/** A pool of worker threads for untrusted input: a queue limits how many run, and idle ones end after a while. */

import type { Claim, Queue } from '../queues/queue.ts';
import type { StartOptions } from './isolate-start.ts';
import { Thread } from './isolate-thread.ts';

export interface PoolOptions extends StartOptions {
  /** Each running thread holds one of its slots. */
  readonly queue: Queue;
  /** An unused thread ends after this long, and gives its memory back. */
  readonly idleMs: number;
}

/**
 * Asks the lent worker to do one job. `until` is on the clock of `performance.now()`; time in which the machine has no
 * processor for us does not count up to `latest`, where it is given.
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
   * Waits for a worker and lends it to `act`. What a job needs (descriptors) is best opened in there, since a thousand
   * calls may be waiting; what has to be waited for, before. Throws the signal's reason when it aborts, and `BUSY`.
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

  /** Whether a thread is there that does nothing: it answers at once. */
  get rests(): boolean {
    return this.#idle.some(({ alive }) => alive);
  }

  /** Ends all threads that do nothing. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }

  /** A thread that rests and has not died meanwhile. */
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

/**
 * A pool of child processes for work that may crash, hang or take all memory on hostile bytes. They are reused between
 * jobs. A child receives and returns bytes; it can read only the package's own code, and it is killed at every limit.
 */

import type { Queue, QueueClaim } from '../queues/queue.ts';
import { IdleWorkers } from './idle-workers.ts';
import { RUNTIME } from './runtime.ts';
import { type ChildJob, type ChildReply, WarmChild, type WarmChildOptions } from './warm-child.ts';

export interface ChildPoolOptions extends WarmChildOptions {
  /** Each running job holds one of its slots. */
  readonly queue: Queue;
  /** An idle child ends after this many milliseconds. */
  readonly idleMs: number;
  /** A child with more resident bytes after a job is not reused. */
  readonly keepUpTo: number;
  /** Whether a child is reused after this reply; always when absent. */
  readonly keeps?: (head: unknown) => boolean;
}

export class ChildPool {
  readonly #options: ChildPoolOptions;
  readonly #idle: IdleWorkers<WarmChild>;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
    this.#idle = new IdleWorkers(options.idleMs);
  }

  /** Waits for a slot and runs the job in a child. Throws ChildFailure, `BUSY`, and the reason of the signal. */
  run(job: ChildJob, claim: QueueClaim & { readonly signal: AbortSignal }): Promise<ChildReply> {
    return this.#options.queue.run(async () => {
      const child = this.#idle.take() ?? new WarmChild(this.#options);
      try {
        const reply = await child.ask(job, claim.signal);
        if (this.#options.keeps?.(reply.head) === false) child.kill();
        return reply;
      } finally {
        this.#rest(child);
      }
    }, claim);
  }

  /** Kills all idle children. */
  close(): void {
    void this.#idle.close();
  }

  #rest(child: WarmChild): void {
    // Elsewhere what a job changes in its realm (`job-realm.ts`) might reach the next.
    if (RUNTIME !== 'node' || child.resident() > this.#options.keepUpTo) child.kill();
    this.#idle.add(child);
  }
}

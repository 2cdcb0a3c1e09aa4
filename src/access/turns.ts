/** Owns waiting in line where only so many may go on at once: a burst waits instead of filling memory. */

export class Turns {
  readonly #most: number;
  #taken = 0;
  /** First come, first served. */
  readonly #line = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for a turn; each one taken is given back. Rejects with the signal's reason when that is aborted before. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#line.delete(go);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#line.add(go);
    });
  }

  /** Handed over to the next in line: a call that comes just now must not overtake those that wait. */
  give(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#line.delete(next);
    next();
  }

  /** Runs `work` when its turn has come. Rejects with the signal's reason when that is aborted before. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.take(signal);
    try {
      // It may have been aborted between the hand-over and now.
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.give();
    }
  }
}

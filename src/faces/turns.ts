/** Owns how many calls a server works on at once: a burst waits in line instead of filling memory. */

/** High enough that calls which hang do not stop others, low enough that all their buffers fit in memory. */
const AT_ONCE = 64;

export class Turns {
  readonly #most: number;
  #running = 0;
  /** First come, first served. */
  readonly #line = new Set<() => void>();

  constructor(most: number = AT_ONCE) {
    this.#most = most;
  }

  /** Runs `work` when its turn has come. Rejects with the signal's reason when that is aborted before. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running >= this.#most) await this.#wait(signal);
    signal?.throwIfAborted();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#line.delete(go);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return leave();
      signal?.addEventListener('abort', leave, { once: true });
      this.#line.add(go);
    });
  }

  #next(): void {
    const [go] = this.#line;
    if (go === undefined) return;
    this.#line.delete(go);
    go();
  }
}

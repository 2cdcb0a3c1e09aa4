/** Idle worker threads or child processes, which are reused for the next job and end after a while. */

interface IdleWorker {
  readonly alive: boolean;
  end(): Promise<void>;
}

export class IdleWorkers<T extends IdleWorker> {
  readonly #idleMs: number;
  readonly #timers = new Map<T, NodeJS.Timeout>();

  /** An idle worker ends after `idleMs`, which frees its memory. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Number of those that are alive. */
  get size(): number {
    return [...this.#timers.keys()].filter(({ alive }) => alive).length;
  }

  /** The one that was added last and is still alive. */
  take(): T | undefined {
    for (const worker of [...this.#timers.keys()].toReversed()) {
      this.#remove(worker);
      if (worker.alive) return worker;
    }
    return undefined;
  }

  add(worker: T): void {
    if (!worker.alive) return;
    const end = (): void => {
      this.#remove(worker);
      void worker.end();
    };
    this.#timers.set(worker, setTimeout(end, this.#idleMs).unref());
  }

  /** Ends all idle workers. */
  async close(): Promise<void> {
    const workers = [...this.#timers.keys()];
    for (const worker of workers) this.#remove(worker);
    await Promise.all(workers.map((worker) => worker.end()));
  }

  #remove(worker: T): void {
    clearTimeout(this.#timers.get(worker));
    this.#timers.delete(worker);
  }
}

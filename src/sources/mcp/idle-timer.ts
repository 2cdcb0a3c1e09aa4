/** Closes a resource that was not used for a while, but never while it is in use. */

export class IdleTimer {
  readonly #ms: number;
  readonly #end: () => void;
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Calls `end` when the resource was not used for `ms` milliseconds. */
  constructor(ms: number, end: () => void) {
    this.#ms = ms;
    this.#end = end;
  }

  async during<T>(use: () => Promise<T>): Promise<T> {
    this.#uses += 1;
    clearTimeout(this.#timer);
    try {
      return await use();
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0 && !this.#stopped) this.#timer = setTimeout(this.#end, this.#ms).unref();
    }
  }

  /** Stops the timer, because the resource was closed by other means. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

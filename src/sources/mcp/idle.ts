/** Closes a resource that was not used for a while, but never while it is in use. */

export class Idle {
  readonly #ms: number;
  readonly #end: () => void;
  #uses = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `end` is called once nobody has used it for `ms` milliseconds. */
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

  /** It has ended by other means. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

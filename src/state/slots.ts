/** A semaphore for the operations of the store; waiting ones start in order. */

export class Slots {
  /** Each starts a waiting operation, and returns false if that does not wait any more. */
  readonly #waiting: (() => boolean)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Returns `late`, without calling `use`, if no slot is free within `within` milliseconds. */
  async run<T, L>(use: () => Promise<T>, within: number, late: L): Promise<T | L> {
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(within))) return late;
    try {
      return await use();
    } finally {
      this.#next();
    }
  }

  #turn(within: number): Promise<boolean> {
    return new Promise((resolve) => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        resolve(false);
      }, within);
      this.#waiting.push(() => {
        if (isOver) return false;
        clearTimeout(timer);
        resolve(true);
        return true;
      });
    });
  }

  #next(): void {
    for (let begin = this.#waiting.shift(); begin; begin = this.#waiting.shift()) if (begin()) return;
    this.#free += 1;
  }
}

/** A condition variable: wakes everything that waits for a change of state. */

export class Condition {
  #waiting: (() => void)[] = [];

  notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves at the next `notify`. Check the condition directly before the call. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

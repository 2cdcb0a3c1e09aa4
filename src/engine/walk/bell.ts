/** A condition variable: wakes everything that waits for a change of state. */

export class Bell {
  #waiting: (() => void)[] = [];

  ring(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves at the next ring. Check the condition directly before the call. */
  heard(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

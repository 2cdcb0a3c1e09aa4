/** A condition variable: wakes all that wait for something to change. */

export class Bell {
  #waiting: (() => void)[] = [];

  ring(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Until the next ring. Look once more at what may have changed, right before. */
  heard(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

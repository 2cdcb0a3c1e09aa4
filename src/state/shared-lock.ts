/** What runs together with others, and what runs while nothing else does. All begin in the order in which they came. */

import { inTime } from './in-time.ts';

/** Milliseconds that something waits until it is alone; then it runs beside what still runs. */
const WAIT_MS = 5_000;

export class SharedLock {
  /** The end of all that was asked for so far. */
  #all: Promise<unknown> = Promise.resolve();
  /** The end of the last one that runs alone. */
  #alone: Promise<unknown> = Promise.resolve();

  shared<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#alone.then(act);
    this.#all = settled([this.#all, done]);
    return done;
  }

  alone<T>(act: () => Promise<T>): Promise<T> {
    const others = inTime(this.#all, WAIT_MS).catch(() => undefined);
    const done = Promise.all([others, this.#alone]).then(act);
    this.#alone = settled([done]);
    this.#all = settled([this.#all, done]);
    return done;
  }
}

/** Holds nothing of what they came to: the next one would hold that too, and so on for as long as the process lives. */
function settled(all: readonly Promise<unknown>[]): Promise<void> {
  return Promise.allSettled(all).then(() => undefined);
}

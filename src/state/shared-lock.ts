/**
 * A lock for shared and exclusive work, granted in order. The wait is limited, so that the requester does not
 * take its worker for dead.
 */

import { inTime } from './in-time.ts';

/** Milliseconds that something waits for its turn; then it runs beside what still runs. */
const WAIT_MS = 3_000;

export class SharedLock {
  readonly #waitMs: number;
  /** The end of all that was asked for so far. */
  #all: Promise<void> = Promise.resolve();
  /** The end of all that runs alone. */
  #alone: Promise<void> = Promise.resolve();

  constructor(waitMs: number = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  shared<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#after(this.#alone).then(act);
    this.#all = settled([this.#all, done]);
    return done;
  }

  alone<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#after(this.#all).then(act);
    this.#alone = settled([this.#alone, done]);
    this.#all = settled([this.#all, done]);
    return done;
  }

  #after(others: Promise<void>): Promise<void> {
    return inTime(others, this.#waitMs).catch(() => undefined);
  }
}

/** Holds nothing of what they came to: the next one would hold that too, and so on for as long as the process lives. */
function settled(all: readonly Promise<unknown>[]): Promise<void> {
  return Promise.allSettled(all).then(() => undefined);
}

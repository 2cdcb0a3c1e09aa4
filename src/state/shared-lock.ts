/**
 * A lock for shared and exclusive work (readers-writer lock), granted in order. The wait is limited, because a replica
 * would take a worker that waits too long for dead.
 */

import { inTime } from './in-time.ts';

/** Maximum milliseconds to wait for the lock; after that the work runs without it. */
const WAIT_MS = 3_000;

export class SharedLock {
  readonly #waitMs: number;
  /** The end of all work so far. */
  #all: Promise<void> = Promise.resolve();
  /** The end of all exclusive work. */
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

/** Drops the results, which would otherwise be retained in a chain of promises. */
function settled(all: readonly Promise<unknown>[]): Promise<void> {
  return Promise.allSettled(all).then(() => undefined);
}

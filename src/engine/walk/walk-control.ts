/**
 * Shared memory between a walk's worker threads and the call: counters for backpressure and for released files. The
 * constants are indices into the array.
 */

/** Incremented with every change of another counter, to wake waiting threads. */
const SIGNAL = 0;
/** The number of blocks that the helper has read. */
const READ = 1;
/** Per thread: KiB of texts that the call has not released. */
const UNREAD = 2;
/** Per thread: the number of large files that the call has released. */
const RELEASED = 4;

/** The numbers of the walking thread and of the helper thread. */
export const WALKER = 0;
export const HELPER = 1;

export class WalkControl {
  readonly numbers: Int32Array;

  constructor(numbers: Int32Array = new Int32Array(new SharedArrayBuffer(6 * 4))) {
    this.numbers = numbers;
  }

  get blocksRead(): number {
    return Atomics.load(this.numbers, READ);
  }

  unread(thread: number): number {
    return Atomics.load(this.numbers, UNREAD + thread);
  }

  released(thread: number): number {
    return Atomics.load(this.numbers, RELEASED + thread);
  }

  noteBlockRead(): void {
    this.#add(READ, 1);
  }

  /** Adds to the unreleased bytes of a thread; negative when texts are released. */
  noteUnread(thread: number, bytes: number): void {
    this.#add(UNREAD + thread, Math.trunc(bytes / 1024));
  }

  noteReleased(thread: number): void {
    this.#add(RELEASED + thread, 1);
  }

  /** Blocks the thread until the condition holds, or until the thread is terminated. */
  waitUntil(holds: () => boolean): void {
    for (;;) {
      const seen = Atomics.load(this.numbers, SIGNAL);
      if (holds()) return;
      Atomics.wait(this.numbers, SIGNAL, seen);
    }
  }

  /** Blocks the thread for `ms` milliseconds or until the next change. */
  pause(ms: number): void {
    Atomics.wait(this.numbers, SIGNAL, Atomics.load(this.numbers, SIGNAL), ms);
  }

  #add(index: number, by: number): void {
    Atomics.add(this.numbers, index, by);
    Atomics.add(this.numbers, SIGNAL, 1);
    Atomics.notify(this.numbers, SIGNAL);
  }
}

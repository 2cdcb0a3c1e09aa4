/**
 * Shared memory between a walk's worker threads and the call: counters for backpressure, and files that may
 * be closed.
 */

/** Index: changes whenever anything else does, for those that wait. */
const SIGNAL = 0;
/** Blocks that the helper has read. */
const READ = 1;
/** By thread: KiB of texts that nobody has released. */
const UNREAD = 2;
/** By thread: large files that nobody reads any more. */
const RELEASED = 4;

/** The thread that walks, and its helper. */
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

  /** Adds to the unused bytes of a thread; negative when texts were used. */
  noteUnread(thread: number, bytes: number): void {
    this.#add(UNREAD + thread, Math.trunc(bytes / 1024));
  }

  noteReleased(thread: number): void {
    this.#add(RELEASED + thread, 1);
  }

  /** Blocks the thread until the condition holds. Ended with the thread. */
  waitUntil(holds: () => boolean): void {
    for (;;) {
      const seen = Atomics.load(this.numbers, SIGNAL);
      if (holds()) return;
      Atomics.wait(this.numbers, SIGNAL, seen);
    }
  }

  /** Blocks the thread. */
  pause(ms: number): void {
    Atomics.wait(this.numbers, SIGNAL, Atomics.load(this.numbers, SIGNAL), ms);
  }

  #add(index: number, by: number): void {
    Atomics.add(this.numbers, index, by);
    Atomics.add(this.numbers, SIGNAL, 1);
    Atomics.notify(this.numbers, SIGNAL);
  }
}

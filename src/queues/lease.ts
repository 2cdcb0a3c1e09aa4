/**
 * A slot for work that comes in short pieces with pauses between them, such as a decoder whose consumer asks for the next
 * page later, or never. During a pause it is given back when another entry waits for it.
 */

import type { Queue, QueueClaim, QueueSlot } from './queue.ts';

/**
 * Milliseconds of pause after which the slot may be given back. Starting the work again is expensive, so a short pause does
 * not count. The time doubles each time the same lease gives its slot back, so that slow work finishes in the end.
 */
const REST_MS = 500;

export class SlotLease {
  #restMs = REST_MS;
  #timer: NodeJS.Timeout | undefined;
  #slot: QueueSlot | undefined;
  readonly #queue: Queue;
  readonly #claim: QueueClaim;
  readonly #close: () => Promise<void>;

  /** A lease without a slot; `work` acquires one. `close` stops the work of the slot and must be idempotent. */
  constructor(queue: Queue, claim: QueueClaim, close: () => Promise<void>) {
    this.#queue = queue;
    this.#claim = claim;
    this.#close = close;
  }

  /** Resolves when the lease has a slot, which it holds until `rest` or `end`. Throws as `Queue.acquire` does. */
  async work(): Promise<void> {
    clearInterval(this.#timer);
    this.#slot ??= await this.#queue.acquire(this.#claim);
  }

  /** Begins a pause until the next `work`. */
  rest(): void {
    if (!this.#slot) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.#queue.waiting === 0) return;
      this.#restMs *= 2;
      // A failed close leaks a resource of this process; no answer depends on it.
      this.end().catch(() => undefined);
    }, this.#restMs).unref();
  }

  /** Stops the work and releases the slot, even if the close fails. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const slot = this.#slot;
    this.#slot = undefined;
    try {
      await this.#close();
    } finally {
      slot?.release();
    }
  }
}

/**
 * Slots for work that comes in short pieces with pauses between them, such as a decoder whose consumer asks for the
 * next page later, or never. Such a slot can be revoked during a pause when another entry waits for it.
 */

import { Queue, type QueueClaim, type QueueSlot } from './queue.ts';

/**
 * Milliseconds of pause after which a lease may be revoked. Starting the work again is expensive, so a short pause does
 * not count. The time doubles each time the same lease is revoked, so that slow work finishes in the end.
 */
const REST_MS = 500;

export class LeaseQueue extends Queue {
  readonly #resting = new Set<SlotLease>();
  #timer: NodeJS.Timeout | undefined;
  /** Leases that are being revoked now. */
  #taking = 0;

  /** Creates a lease without a slot; `work` acquires one. `close` stops the work of the slot and must be idempotent. */
  lease(claim: QueueClaim, close: () => Promise<void>): SlotLease {
    return new SlotLease(this, claim, close);
  }

  rest(lease: SlotLease): void {
    this.#resting.add(lease);
    this.#watch();
  }

  rouse(lease: SlotLease): void {
    this.#resting.delete(lease);
  }

  protected override onWait(): void {
    this.#watch();
  }

  /** While entries wait, sets a timer for the moment when the next lease may be revoked. */
  #watch(): void {
    const first = this.#nextDue();
    if (this.#timer || !first || this.waiting <= this.#taking) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#takeBack();
        this.#watch();
      },
      Math.max(0, first.dueAt - performance.now()),
    );
  }

  async #takeBack(): Promise<void> {
    const first = this.#nextDue();
    // Timers may fire a fraction of a millisecond early.
    if (!first || first.dueAt > performance.now() + 1 || this.waiting <= this.#taking) return;
    this.#resting.delete(first);
    this.#taking += 1;
    // A failed close leaks a resource of this process; no answer depends on it.
    await first.takeBack().catch(() => undefined);
    this.#taking -= 1;
    this.#watch();
  }

  #nextDue(): SlotLease | undefined {
    let first: SlotLease | undefined;
    for (const lease of this.#resting) if (!first || lease.dueAt < first.dueAt) first = lease;
    return first;
  }
}

export class SlotLease {
  /** When the lease may be revoked, in milliseconds of `performance.now()`. */
  dueAt = 0;
  #restMs = REST_MS;
  #slot: QueueSlot | undefined;
  readonly #queue: LeaseQueue;
  readonly #claim: QueueClaim;
  readonly #close: () => Promise<void>;

  constructor(queue: LeaseQueue, claim: QueueClaim, close: () => Promise<void>) {
    this.#queue = queue;
    this.#claim = claim;
    this.#close = close;
  }

  /** Resolves when the lease has a slot, which it holds until `rest` or `end`. Throws as `Queue.acquire` does. */
  async work(): Promise<void> {
    this.#queue.rouse(this);
    this.#slot ??= await this.#queue.acquire(this.#claim);
  }

  /** Begins a pause until the next `work`; the slot may be revoked meanwhile. */
  rest(): void {
    if (!this.#slot) return;
    this.dueAt = performance.now() + this.#restMs;
    this.#queue.rest(this);
  }

  /** Stops the work and releases the slot, even if the close fails. The lease must not be used again. */
  async end(): Promise<void> {
    this.#queue.rouse(this);
    await this.#giveBack();
  }

  /** Revokes the slot: stops the work and releases the slot. The next `work` acquires another one. */
  async takeBack(): Promise<void> {
    this.#restMs *= 2;
    await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    const slot = this.#slot;
    this.#slot = undefined;
    try {
      await this.#close();
    } finally {
      slot?.release();
    }
  }
}

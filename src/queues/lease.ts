/**
 * Slots for work that comes in short pieces with pauses between them: a decoder whose consumer asks for the next page
 * later, or never. Such a slot can be revoked in a pause, when another entry waits for it.
 */

import { type Claim, Queue, type Slot } from './queue.ts';

/**
 * Milliseconds of pause after which a lease may be revoked: to begin the work again costs more than a moment. It doubles
 * each time a lease is revoked, so that slow work gets done in the end.
 */
const REST_MS = 500;

export class LeaseQueue extends Queue {
  readonly #resting = new Set<Lease>();
  #timer: NodeJS.Timeout | undefined;
  /** Leases being taken back. */
  #taking = 0;

  /** A lease without a slot: `work` takes one. `close` ends what the slot stands for; it may be called again. */
  lease(claim: Claim, close: () => Promise<void>): Lease {
    return new Lease(this, claim, close);
  }

  rest(lease: Lease): void {
    this.#resting.add(lease);
    this.#watch();
  }

  rouse(lease: Lease): void {
    this.#resting.delete(lease);
  }

  protected override onWait(): void {
    this.#watch();
  }

  /** While entries wait, looks again when the next lease has rested for long enough. */
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
    // What could not be closed is lost to this process only, and no answer depends on it.
    await first.takeBack().catch(() => undefined);
    this.#taking -= 1;
    this.#watch();
  }

  #nextDue(): Lease | undefined {
    let first: Lease | undefined;
    for (const lease of this.#resting) if (!first || lease.dueAt < first.dueAt) first = lease;
    return first;
  }
}

export class Lease {
  /** When it has rested for long enough, on the clock of `performance.now()`. */
  dueAt = 0;
  #restMs = REST_MS;
  #slot: Slot | undefined;
  readonly #queue: LeaseQueue;
  readonly #claim: Claim;
  readonly #close: () => Promise<void>;

  constructor(queue: LeaseQueue, claim: Claim, close: () => Promise<void>) {
    this.#queue = queue;
    this.#claim = claim;
    this.#close = close;
  }

  /** Resolves when the lease has a slot, which it holds until `rest` or `end`. Throws as `Queue.acquire` does. */
  async work(): Promise<void> {
    this.#queue.rouse(this);
    this.#slot ??= await this.#queue.acquire(this.#claim);
  }

  /** Begins a pause until the next `work`: the slot may be taken back meanwhile. */
  rest(): void {
    if (!this.#slot) return;
    this.dueAt = performance.now() + this.#restMs;
    this.#queue.rest(this);
  }

  /** Closes what the slot stands for, and releases it also where that fails. The lease is not used again. */
  async end(): Promise<void> {
    this.#queue.rouse(this);
    await this.#giveBack();
  }

  /** Closes what the slot stands for and releases it; the next `work` takes another one. */
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

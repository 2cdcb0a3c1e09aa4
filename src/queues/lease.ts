/**
 * Slots for what is held over many short pieces of work with pauses between them: a decoder whose consumer asks for
 * the next page or never does. Such a slot can be taken back in a pause, when somebody else waits for it.
 */

import { type Claim, Queue, type Slot } from './queue.ts';

/** A pause of this many milliseconds is long enough to end what rests: to begin it again costs more than a moment. */
const REST_MS = 500;

export class LeaseQueue extends Queue {
  /** The one that rests for longest first. */
  readonly #resting = new Set<Lease>();
  #timer: NodeJS.Timeout | undefined;
  /** Leases being taken back. */
  #taking = 0;

  /** A lease without a slot: `work` takes one. `close` ends what the slot stands for when it is taken back. */
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

  /** While somebody waits, looks again when the next lease will have rested for long enough. */
  #watch(): void {
    const [first] = this.#resting;
    if (this.#timer || !first || this.waiting <= this.#taking) return;
    const left = first.restedAt + REST_MS - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#takeBack();
        this.#watch();
      },
      Math.max(0, left),
    );
  }

  async #takeBack(): Promise<void> {
    const [first] = this.#resting;
    const isDue = first && first.restedAt + REST_MS <= performance.now() + 1;
    if (!isDue || this.waiting <= this.#taking) return;
    this.#resting.delete(first);
    this.#taking += 1;
    await first.takeBack();
    this.#taking -= 1;
    this.#watch();
  }
}

export class Lease {
  restedAt = 0;
  #slot: Slot | undefined;
  readonly #queue: LeaseQueue;
  readonly #claim: Claim;
  readonly #close: () => Promise<void>;

  constructor(queue: LeaseQueue, claim: Claim, close: () => Promise<void>) {
    this.#queue = queue;
    this.#claim = claim;
    this.#close = close;
  }

  /** Until `rest` or `end` the slot is held. Resolves when there is one. Throws as `Queue.acquire` does. */
  async work(): Promise<void> {
    this.#queue.rouse(this);
    this.#slot ??= await this.#queue.acquire(this.#claim);
  }

  /** Nothing happens in the slot until the next `work`: it may be taken back. */
  rest(): void {
    if (!this.#slot) return;
    this.restedAt = performance.now();
    this.#queue.rest(this);
  }

  /** For good. */
  end(): void {
    this.#queue.rouse(this);
    this.#slot?.release();
    this.#slot = undefined;
  }

  async takeBack(): Promise<void> {
    const slot = this.#slot;
    this.#slot = undefined;
    try {
      await this.#close();
    } finally {
      slot?.release();
    }
  }
}

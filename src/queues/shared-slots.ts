/** One slot for everything that a call does in one queue: parts of it feed each other, and must not wait for each other. */

import type { Queue, Slot } from './queue.ts';

interface Shared {
  readonly slot: Slot | Promise<Slot>;
  users: number;
}

export class SharedSlots {
  readonly #queue: Queue;
  readonly #shared = new WeakMap<AbortSignal, Shared>();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /**
   * Takes a slot, or shares the one that the call of `signal` holds already. The slot is released when every share is.
   * Rejects as `Queue.acquire` does.
   */
  async take(signal?: AbortSignal): Promise<Slot> {
    if (!signal) return this.#queue.acquire();
    const shared = this.#shared.get(signal) ?? { slot: this.#queue.acquire({ signal }), users: 0 };
    this.#shared.set(signal, shared);
    shared.users += 1;
    let slot: Slot | undefined;
    const release = (): void => {
      shared.users -= 1;
      if (shared.users > 0) return;
      this.#shared.delete(signal);
      slot?.release();
    };
    try {
      slot = await shared.slot;
    } catch (error) {
      release();
      throw error;
    }
    let held = true;
    return {
      release() {
        if (held) release();
        held = false;
      },
    };
  }
}

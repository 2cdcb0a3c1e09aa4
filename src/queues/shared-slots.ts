/** One slot for all that a call does of one kind at a time, where parts of it feed each other. */

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
   * Takes a slot, or a part in the one that the call of `signal` holds already: two processes of one search must not
   * wait for each other. It is given back when all have released their part. Rejects as `Queue.acquire` does.
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

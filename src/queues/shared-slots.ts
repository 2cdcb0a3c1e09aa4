/**
 * One slot per call in a queue. Parts of a call that use the same queue share it: if one part waited for a slot that
 * another part of the same call holds, they would deadlock.
 */

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
   * Acquires a slot, or shares the one that the call of `signal` already holds. The slot is released when all its users
   * have released it. Rejects as `Queue.acquire` does.
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

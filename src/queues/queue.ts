/**
 * A semaphore with a bounded, fair queue: a limited number of slots, a limited number of entries that wait for one, and
 * callers served in turn.
 *
 * Libraries that were tried: p-queue 9.3.5, the last version for Node 20, has no fairness between callers and no bound
 * on waiting entries. It releases a slot when the signal aborts, although the child process of that slot still runs.
 * Taking a free slot costs 3.3 µs of CPU there (with a signal) and 0.2 µs here. cockatiel 3.2.1 keeps entries whose
 * signal was aborted in its queue; bottleneck 2.19.5 and async-mutex 0.5.0 accept no signal. None knows callers.
 */

import { OrielError } from '../errors.ts';
import { type Caller, callerOf, isDeadlineReason, onAbort, pauseClocks } from './caller.ts';

export interface QueueLimits {
  /** The concurrency limit: slots that may be held at the same time. */
  readonly limit: number;
  /** Entries that may wait for a slot; more are refused with `BUSY`. */
  readonly waiting: number;
  /** The share of the slots (0 to 1) that one caller may hold; all slots when absent. */
  readonly share?: number | undefined;
}

interface QueueStats {
  readonly running: number;
  readonly waiting: number;
  /** Entries refused because too many waited. */
  readonly refused: number;
}

/** One unit of the semaphore, held until it is released. */
export interface QueueSlot {
  /** A second call does nothing. */
  release(): void;
}

export interface QueueClaim {
  /** Aborting it ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The caller of the signal when absent. */
  readonly caller?: Caller | undefined;
  /** Waiting counts towards the timeout of the work. If the timeout passes first, the entry is refused with `BUSY`. */
  readonly timed?: boolean | undefined;
}

interface Waiter {
  grant(slot: QueueSlot): void;
  refuse(error: Error): void;
}

/** `BUSY`: too many entries wait, or one has waited too long. */
export class QueueFull extends OrielError {
  constructor(message: string) {
    super('BUSY', message);
  }
}

/** The caller of entries that have neither a caller nor a signal. */
const NOBODY: Caller = {};

export class Queue {
  readonly name: string;
  /** May be lowered and raised while slots are held; a held slot is never taken back. */
  limit: number;
  readonly #what: string;
  /** Entries that may wait. */
  readonly maxWaiting: number;
  readonly #share: number | undefined;
  readonly #list = new WaitingList<Waiter>();
  /** Held slots by caller; empty if the queue has no `share`. */
  readonly #held = new Map<Caller, number>();
  readonly #paused = new Set<Caller>();
  #running = 0;
  #refused = 0;

  /** `what` describes the work in messages, as a plural with its verb: "images are decoded". */
  constructor(name: string, what: string, { limit, waiting, share }: QueueLimits) {
    this.name = name;
    this.#what = what;
    this.limit = limit;
    this.maxWaiting = waiting;
    this.#share = share;
  }

  get stats(): QueueStats {
    return {
      running: this.#running,
      waiting: this.#list.size,
      refused: this.#refused,
    };
  }

  get waiting(): number {
    return this.#list.size;
  }

  /**
   * Returns a slot synchronously if one is free, otherwise a promise of one. Throws or rejects with `BUSY` if too many entries
   * wait or the timeout has passed, and with the reason of the signal if that aborts.
   */
  acquire({ signal, caller = signal ? callerOf(signal) : NOBODY, timed = false }: QueueClaim = {}):
    | QueueSlot
    | Promise<QueueSlot> {
    signal?.throwIfAborted();
    // If a slot is free although entries wait, the callers of all those entries are paused or hold their full share.
    if (this.#running < this.limit && this.#mayHold(caller)) return this.#take(caller);
    return this.#wait(caller, signal, timed);
  }

  /** Runs `work` in a slot. Rejects as `acquire` and as `work` do. */
  run<T>(work: () => Promise<T>, claim: QueueClaim = {}): Promise<T> {
    try {
      const slot = this.acquire(claim);
      return slot instanceof Promise
        ? slot.then((granted) => within(granted, work, claim))
        : within(slot, work, claim);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** Until `resume` no entry of `caller` gets a slot; its entries stay in the queue. */
  pause(caller: Caller): void {
    this.#paused.add(caller);
  }

  resume(caller: Caller): void {
    if (this.#paused.delete(caller)) this.#serve();
  }

  #mayHold(caller: Caller): boolean {
    if (this.#paused.has(caller)) return false;
    return this.#share === undefined || (this.#held.get(caller) ?? 0) < Math.ceil(this.limit * this.#share);
  }

  #hold(caller: Caller, more: number): void {
    if (this.#share === undefined) return;
    const held = (this.#held.get(caller) ?? 0) + more;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }

  #take(caller: Caller): QueueSlot {
    this.#running += 1;
    this.#hold(caller, 1);
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#running -= 1;
        this.#hold(caller, -1);
        this.#serve();
      },
    };
  }

  #serve(): void {
    while (this.#running < this.limit && this.#list.size > 0) {
      const next = this.#list.takeNext((waiting) => this.#mayHold(waiting));
      if (!next) return;
      next.entry.grant(this.#take(next.caller));
    }
  }

  #wait(caller: Caller, signal: AbortSignal | undefined, timed: boolean): Promise<QueueSlot> {
    if (this.#list.size >= this.maxWaiting) this.#makeRoom(caller);
    return new Promise((resolve, reject) => {
      const resume = pauseClocks(timed ? undefined : signal);
      const unlisten =
        signal &&
        onAbort(signal, () => {
          this.#list.remove(caller, waiter);
          const isLate = timed && isDeadlineReason(signal.reason);
          waiter.refuse(isLate ? this.#tooLate() : (signal.reason as Error));
        });
      const waiter: Waiter = {
        grant(slot) {
          resume();
          unlisten?.();
          resolve(slot);
        },
        refuse(error) {
          resume();
          unlisten?.();
          reject(error);
        },
      };
      this.#list.add(caller, waiter);
    });
  }

  #tooLate(): QueueFull {
    this.#refused += 1;
    return new QueueFull(
      `No slot was free in time: ${this.limit} ${this.#what} at a time. Make the same call again in a moment.`,
    );
  }

  /** Refuses the newest entry of the caller with the most entries. That may be the new entry of `caller`; then it throws. */
  #makeRoom(caller: Caller): void {
    this.#refused += 1;
    const full = new QueueFull(
      `Too many calls wait: ${this.limit} ${this.#what} at a time and ${this.maxWaiting} wait already. Make the same call again in a moment.`,
    );
    const newest = this.#list.takeNewest(caller);
    if (!newest) throw full;
    newest.refuse(full);
  }
}

async function within<T>(slot: QueueSlot, work: () => Promise<T>, { signal }: QueueClaim): Promise<T> {
  try {
    // The signal may have been aborted after the slot was granted.
    signal?.throwIfAborted();
    return await work();
  } finally {
    slot.release();
  }
}

// The waiting entries of a queue. The caller that was served longest ago is served next; the entries of one caller are
// first in, first out.

class WaitingList<Entry> {
  readonly #callers = new Map<Caller, Set<Entry>>();
  /** When each caller was served last, since entries began to wait. */
  readonly #served = new Map<Caller, number>();
  #now = 0;
  /** How many entries wait. */
  size = 0;

  add(caller: Caller, entry: Entry): void {
    const entries = this.#callers.get(caller) ?? new Set();
    this.#callers.set(caller, entries.add(entry));
    this.size += 1;
  }

  remove(caller: Caller, entry: Entry): void {
    const entries = this.#callers.get(caller);
    if (!entries?.delete(entry)) return;
    this.size -= 1;
    if (entries.size === 0) this.#callers.delete(caller);
    if (this.size === 0) this.#served.clear();
  }

  /** Removes and returns the first entry of the next caller that `isServed` accepts. */
  takeNext(isServed: (caller: Caller) => boolean): { caller: Caller; entry: Entry } | undefined {
    let next: { caller: Caller; at: number } | undefined;
    for (const caller of this.#callers.keys()) {
      const at = this.#served.get(caller) ?? 0;
      if ((!next || at < next.at) && isServed(caller)) next = { caller, at };
    }
    const [entry] = (next && this.#callers.get(next.caller)) ?? [];
    if (!next || entry === undefined) return undefined;
    this.#now += 1;
    this.#served.set(next.caller, this.#now);
    this.remove(next.caller, entry);
    return { caller: next.caller, entry };
  }

  /**
   * Makes room for a new entry of `caller`: removes the newest entry of the caller with the most entries if that has more than
   * `caller` would have with the new one. Otherwise undefined: the new entry itself is the one to refuse.
   */
  takeNewest(caller: Caller): Entry | undefined {
    let most = (this.#callers.get(caller)?.size ?? 0) + 1;
    let from: [Caller, Set<Entry>] | undefined;
    for (const one of this.#callers) {
      if (one[1].size < most || (!from && one[1].size === most)) continue;
      most = one[1].size;
      from = one;
    }
    const newest = from && [...from[1]].at(-1);
    if (from && newest !== undefined) this.remove(from[0], newest);
    return newest;
  }
}

// A slot for work that comes in short pieces with pauses between them, such as a decoder whose consumer asks for the next
// page later, or never. During a pause it is given back when another entry waits for it.

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

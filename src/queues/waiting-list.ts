/** Entries that wait, by caller: callers are served in turn, the entries of one in the order in which they came. */

import type { Caller } from './caller.ts';

export class WaitingList<Entry> {
  /** The caller to be served next first. */
  readonly #callers = new Map<Caller, Set<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(caller: Caller, entry: Entry): void {
    const entries = this.#callers.get(caller) ?? new Set();
    this.#callers.set(caller, entries.add(entry));
    this.#size += 1;
  }

  remove(caller: Caller, entry: Entry): void {
    const entries = this.#callers.get(caller);
    if (!entries?.delete(entry)) return;
    this.#size -= 1;
    if (entries.size === 0) this.#callers.delete(caller);
  }

  /** Takes out the first entry of the next caller that `isServed`, and puts that caller last. */
  takeNext(isServed: (caller: Caller) => boolean): { caller: Caller; entry: Entry } | undefined {
    for (const [caller, entries] of this.#callers) {
      const [entry] = entries;
      if (entry === undefined || !isServed(caller)) continue;
      this.remove(caller, entry);
      if (entries.size > 0) {
        this.#callers.delete(caller);
        this.#callers.set(caller, entries);
      }
      return { caller, entry };
    }
    return undefined;
  }

  /** Takes out the newest entry of the caller that has more than `caller` with one more; none where nobody has. */
  takeNewest(caller: Caller): Entry | undefined {
    let most: Caller | undefined;
    let count = (this.#callers.get(caller)?.size ?? 0) + 1;
    for (const [other, { size }] of this.#callers) if (size > count) [most, count] = [other, size];
    const newest = most && [...(this.#callers.get(most) ?? [])].at(-1);
    if (most && newest) this.remove(most, newest);
    return newest;
  }
}

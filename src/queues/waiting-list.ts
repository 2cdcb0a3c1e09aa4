/**
 * The waiting entries of a queue, by address and caller. Addresses are served round robin, as are the callers of one
 * address; the entries of one caller are first in, first out. An entry may wait for several callers.
 */

import { type Caller, type Origin, originOf } from './caller.ts';

interface Place {
  readonly origin: Origin;
  readonly caller: Caller;
}

type Callers<Entry> = Map<Caller, Set<Entry>>;

export class WaitingList<Entry> {
  /** In the order of service: the address, and within it the caller, that is served next comes first. */
  readonly #origins = new Map<Origin, Callers<Entry>>();
  readonly #places = new Map<Entry, Place[]>();

  get size(): number {
    return this.#places.size;
  }

  add(callers: readonly Caller[], entry: Entry): void {
    const places = this.#places.get(entry) ?? [];
    this.#places.set(entry, places);
    for (const caller of callers) {
      const origin = originOf(caller);
      const known = this.#origins.get(origin) ?? new Map<Caller, Set<Entry>>();
      this.#origins.set(origin, known);
      known.set(caller, (known.get(caller) ?? new Set()).add(entry));
      places.push({ origin, caller });
    }
  }

  remove(entry: Entry): void {
    for (const place of this.#places.get(entry) ?? []) this.#leave(place, entry);
    this.#places.delete(entry);
  }

  /** The entry no longer waits for `caller`, only for its other callers. */
  leave(caller: Caller, entry: Entry): void {
    const places = this.#places.get(entry);
    const at = places?.findIndex((place) => place.caller === caller) ?? -1;
    if (places && at !== -1) this.#leave(places.splice(at, 1)[0] as Place, entry);
  }

  /** Removes and returns the first entry of the next caller that `isServed` accepts; that caller and its address move last. */
  takeNext(isServed: (caller: Caller) => boolean): { caller: Caller; entry: Entry } | undefined {
    for (const [origin, callers] of this.#origins) {
      for (const [caller, entries] of callers) {
        const [entry] = entries;
        if (entry === undefined || !isServed(caller)) continue;
        this.remove(entry);
        moveToEnd(callers, caller);
        moveToEnd(this.#origins, origin);
        return { caller, entry };
      }
    }
    return undefined;
  }

  /**
   * Makes room for a new entry of `caller`: removes the newest entry of the address with the most entries if that has
   * more than the address of `caller` would have with the new one. Otherwise the same is done between the callers of that
   * address. Undefined if neither has more: then the new entry itself is the one to refuse.
   */
  takeNewest(caller: Caller): Entry | undefined {
    const own = this.#origins.get(originOf(caller));
    const fullest = heaviest(this.#origins, countOf) ?? own;
    const isOther = fullest !== own && fullest && countOf(fullest) > (own ? countOf(own) : 0) + 1;
    const entries = isOther ? heaviest(fullest, sizeOf) : own && heaviest(own, sizeOf);
    const isMore = isOther || sizeOf(entries) > sizeOf(own?.get(caller)) + 1;
    const newest = isMore ? [...(entries ?? [])].at(-1) : undefined;
    if (newest !== undefined) this.remove(newest);
    return newest;
  }

  #leave({ origin, caller }: Place, entry: Entry): void {
    const callers = this.#origins.get(origin);
    const entries = callers?.get(caller);
    if (!callers || !entries?.delete(entry) || entries.size > 0) return;
    callers.delete(caller);
    if (callers.size === 0) this.#origins.delete(origin);
  }
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

const sizeOf = (entries: ReadonlySet<unknown> | undefined): number => entries?.size ?? 0;

function countOf(callers: Callers<unknown>): number {
  let count = 0;
  for (const entries of callers.values()) count += entries.size;
  return count;
}

/** The value with the highest weight; of equal ones the last. */
function heaviest<V>(map: ReadonlyMap<unknown, V>, weigh: (value: V) => number): V | undefined {
  let heaviest: V | undefined;
  for (const value of map.values()) {
    if (heaviest === undefined || weigh(value) >= weigh(heaviest)) heaviest = value;
  }
  return heaviest;
}

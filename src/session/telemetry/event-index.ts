/** An index of the positions of each task's events in a file: eight bytes per event. */

import { parseEvent } from '../../telemetry/parse-event.ts';
import type { TaskFigures } from '../../telemetry/task-figures.ts';
import type { EventsPage, TelemetryEvent } from '../../types/telemetry.ts';

/** The most indexed events of all tasks; beyond it the first events of the longest task are dropped. */
const MOST_EVENTS = 4_000_000;

/** The share of a task's events that is dropped at a time. */
const FORGOTTEN = 0.1;

/** Packs a position and a length into one number: lengths are below 2^17, so positions may be up to 2^36 (64 GiB). */
const LENGTHS = 2 ** 17;

/** Bytes that are read and parsed without giving control back to the event loop. */
const WINDOW = 128 << 10;

/** Bytes of events after which a page ends: a page is written as JSON in one step, which blocks the event loop. */
export const PAGE_BYTES: number = 512 << 10;

/** Fills `into` from offset `at` and returns the number of bytes read. */
export type ReadBytes = (at: number, into: Buffer) => Promise<number>;

interface Places {
  packed: number[];
  forgotten: number;
}

export class EventIndex {
  readonly #most: number;
  readonly #places = new Map<TaskFigures, Places>();
  #total = 0;

  constructor(most: number = MOST_EVENTS) {
    this.#most = most;
  }

  of(task: TaskFigures): { readonly total: number; readonly forgotten: number } {
    const { packed, forgotten } = this.#of(task);
    return { total: forgotten + packed.length, forgotten };
  }

  add(task: TaskFigures, at: number, length: number): void {
    this.#of(task).packed.push(at * LENGTHS + length);
    this.#total += 1;
    if (this.#total > this.#most) this.#forgetSome();
  }

  /** Drops all events before offset `at`. */
  forgetBefore(at: number): void {
    for (const places of this.#places.values()) {
      const kept = places.packed.findIndex((packed) => packed >= at * LENGTHS);
      this.#forget(places, kept === -1 ? places.packed.length : kept);
    }
  }

  /** A page of events from number `from`: at most `most` and about 512 KiB. Lines that are no longer events are left out. */
  async read(task: TaskFigures, from: number, most: number, bytes: ReadBytes): Promise<EventsPage> {
    const { packed, forgotten } = this.#of(task);
    const start = Math.max(0, from - forgotten);
    const places = pageOf(packed, start, most);
    const events: TelemetryEvent[] = [];
    const window = Buffer.allocUnsafe(WINDOW);
    for (let i = 0; i < places.length;) {
      const [first = 0] = places[i] ?? [];
      const got = await bytes(first, window);
      const begun = i;
      for (; i < places.length; i += 1) {
        const [at, length] = places[i] as readonly [number, number];
        if (at + length > first + WINDOW) break;
        const event = parseEvent(window.toString('utf8', at - first, Math.min(got, at - first + length)));
        if (event) events.push(event);
      }
      if (i === begun) i += 1;
    }
    return { events, next: forgotten + start + places.length };
  }

  #of(task: TaskFigures): Places {
    let places = this.#places.get(task);
    if (!places) this.#places.set(task, (places = { packed: [], forgotten: 0 }));
    return places;
  }

  #forgetSome(): void {
    let longest: Places = { packed: [], forgotten: 0 };
    for (const places of this.#places.values())
      if (places.packed.length > longest.packed.length) longest = places;
    this.#forget(longest, Math.ceil(longest.packed.length * FORGOTTEN));
  }

  #forget(places: Places, count: number): void {
    if (count === 0) return;
    places.packed = places.packed.slice(count);
    places.forgotten += count;
    this.#total -= count;
  }
}

/** Positions and lengths from index `start` on, at most `most` and at most `PAGE_BYTES` plus one event. */
function pageOf(packed: readonly number[], start: number, most: number): (readonly [number, number])[] {
  const places: (readonly [number, number])[] = [];
  let bytes = 0;
  for (let i = start; i < packed.length && places.length < most && bytes < PAGE_BYTES; i += 1) {
    const one = packed[i] as number;
    places.push([Math.floor(one / LENGTHS), one % LENGTHS]);
    bytes += one % LENGTHS;
  }
  return places;
}

/** The last events of a task, in order: new ones are added at the end, and the oldest ones go. */

import type { TelemetryEvent } from '../types/telemetry.ts';

/** Places of events that have gone, at the front: they are removed together, for to move all others each time costs more than a call's figures. */
const MOST_EMPTY = 1_024;

export class EventQueue implements Iterable<TelemetryEvent> {
  readonly #places: (TelemetryEvent | undefined)[] = [];
  #empty = 0;

  get length(): number {
    return this.#places.length - this.#empty;
  }

  /** Counted from the oldest one that is kept. */
  at(index: number): TelemetryEvent | undefined {
    return this.#places[this.#empty + index];
  }

  push(event: TelemetryEvent): void {
    this.#places.push(event);
  }

  /** Removes the oldest one. */
  shift(): TelemetryEvent | undefined {
    const event = this.#places[this.#empty];
    if (!event) return undefined;
    this.#places[this.#empty] = undefined;
    this.#empty += 1;
    if (this.#empty === MOST_EMPTY) {
      this.#places.splice(0, MOST_EMPTY);
      this.#empty = 0;
    }
    return event;
  }

  *[Symbol.iterator](): Iterator<TelemetryEvent> {
    for (let i = 0; i < this.length; i += 1) yield this.at(i) as TelemetryEvent;
  }
}

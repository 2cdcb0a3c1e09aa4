/** The tasks of a telemetry file by client and name. Bounded: further tasks are counted together, then reads are dropped. */

import type { TelemetryEvent } from '../types/telemetry.ts';
import { type PlacedEvent, TaskFigures } from './task-figures.ts';

/** Maximum tasks that are distinguished. */
const MOST_TASKS = 10_000;

/** Maximum sum of `TaskFigures.weight`: about 200 MB. */
const MOST_WEIGHT = 1_500_000;

const OTHERS = 'others';

export interface NamedTaskBounds {
  readonly tasks: number;
  readonly weight: number;
}

export class NamedTasks {
  readonly #bounds: NamedTaskBounds;
  readonly #tasks = new Map<string, TaskFigures>();
  #weight = 0;
  #withoutReads = 0;

  constructor(bounds: NamedTaskBounds = { tasks: MOST_TASKS, weight: MOST_WEIGHT }) {
    this.#bounds = bounds;
  }

  get all(): readonly TaskFigures[] {
    return [...this.#tasks.values()];
  }

  /** Number of events whose reads were not counted because of the maximum weight. */
  get withoutReads(): number {
    return this.#withoutReads;
  }

  add(event: TelemetryEvent): readonly [TaskFigures, PlacedEvent] {
    const figures = this.#of(event);
    const full = this.#weight >= this.#bounds.weight && event.kind === 'call' && event.reads !== undefined;
    if (full) this.#withoutReads += 1;
    const before = figures.weight;
    const placed = figures.add(full ? { ...event, reads: [] } : event);
    this.#weight += figures.weight - before;
    return [figures, placed];
  }

  #of({ task, client }: TelemetryEvent): TaskFigures {
    const named = JSON.stringify([client, task]);
    const isNamed = this.#tasks.has(named) || this.#tasks.size < this.#bounds.tasks;
    const key = isNamed ? named : OTHERS;
    let figures = this.#tasks.get(key);
    if (!figures)
      this.#tasks.set(key, (figures = isNamed ? new TaskFigures(task, client) : new TaskFigures(OTHERS)));
    return figures;
  }
}

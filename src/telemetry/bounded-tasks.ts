/**
 * The tasks of a server with their last events. The number of tasks, and the memory of their events and figures are bounded.
 * At a bound, data of the client that uses most is evicted.
 */

import type { TelemetryEvent } from '../types/telemetry.ts';
import { type PlacedEvent, TaskFigures } from './task-figures.ts';

interface TaskBounds {
  readonly tasks: number;
  readonly eventsOfTask: number;
  /** Maximum weight of all events (`weightOf`), and of all figures (`TaskFigures.weight`). */
  readonly eventWeight: number;
  readonly weight: number;
}

const TASK_BOUNDS: TaskBounds = {
  tasks: 256,
  eventsOfTask: 5_000,
  eventWeight: 100_000,
  weight: 100_000,
};

export interface TrackedTask {
  readonly figures: TaskFigures;
  /** The last ones, the oldest first. */
  readonly events: readonly TelemetryEvent[];
  /** Number of evicted events, which came before those in `events`. */
  readonly dropped: number;
}

interface OwnedTask<Owner> extends TrackedTask {
  readonly owner: Owner;
  readonly events: TelemetryEvent[];
  dropped: number;
  eventWeight: number;
}

export class BoundedTasks<Owner> {
  readonly #bounds: TaskBounds;
  /** By owner and by name; the least recently used first for each owner. */
  readonly #owners = new Map<Owner, Map<string, OwnedTask<Owner>>>();
  #tasks = 0;
  #weight = 0;
  #eventWeight = 0;

  constructor(bounds: TaskBounds = TASK_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Most recently used first. */
  of(owner: Owner): readonly TrackedTask[] {
    return [...(this.#owners.get(owner)?.values() ?? [])].reverse();
  }

  all(): readonly TrackedTask[] {
    return [...this.#owners.values()]
      .flatMap((tasks) => [...tasks.values()])
      .sort((a, b) => b.figures.last - a.figures.last);
  }

  find(owner: Owner, name: string): TrackedTask | undefined {
    return this.#owners.get(owner)?.get(name);
  }

  /** Adds an event. Returns how it relates to the earlier events of its task. */
  add(owner: Owner, event: TelemetryEvent): PlacedEvent {
    const task = this.#taken(owner, event);
    const before = task.figures.weight;
    const placed = task.figures.add(event);
    this.#weight += task.figures.weight - before;
    task.events.push(event);
    this.#weighEvents(task, weightOf(event));
    const { tasks, eventsOfTask, eventWeight, weight } = this.#bounds;
    // Several together: finding the task looks at all of them, and taking one from a long list moves the others.
    if (task.events.length > eventsOfTask) this.#dropEvents(task, Math.ceil(eventsOfTask / 20));
    while (this.#eventWeight > eventWeight) {
      const most = this.#heaviest((one) => one.eventWeight);
      this.#dropEvents(most, Math.ceil(most.events.length / 20));
    }
    if (this.#tasks > tasks) this.#drop(this.#heaviest((one) => (one === task ? 0 : 1)));
    while (this.#weight > weight) this.#drop(this.#heaviest(({ figures }) => figures.weight));
    return placed;
  }

  #taken(owner: Owner, { task: name, client }: TelemetryEvent): OwnedTask<Owner> {
    let tasks = this.#owners.get(owner);
    if (!tasks) this.#owners.set(owner, (tasks = new Map()));
    let task = tasks.get(name);
    if (task) tasks.delete(name);
    else {
      task = { owner, figures: new TaskFigures(name, client), events: [], dropped: 0, eventWeight: 0 };
      this.#tasks += 1;
    }
    tasks.set(name, task);
    return task;
  }

  #weighEvents(task: OwnedTask<Owner>, more: number): void {
    task.eventWeight += more;
    this.#eventWeight += more;
  }

  #dropEvents(task: OwnedTask<Owner>, count: number): void {
    for (const event of task.events.splice(0, count)) this.#weighEvents(task, -weightOf(event));
    task.dropped += count;
  }

  #drop(task: OwnedTask<Owner>): void {
    const tasks = this.#owners.get(task.owner);
    tasks?.delete(task.figures.id);
    if (tasks?.size === 0) this.#owners.delete(task.owner);
    this.#tasks -= 1;
    this.#weight -= task.figures.weight;
    this.#weighEvents(task, -task.eventWeight);
  }

  /** The first task with most of the owner whose tasks have most together. There must be a task. */
  #heaviest(of: (task: OwnedTask<Owner>) => number): OwnedTask<Owner> {
    const sum = (tasks: Iterable<OwnedTask<Owner>>): number =>
      Array.from(tasks, of).reduce((all, one) => all + one, 0);
    const owners = Array.from(this.#owners.values(), (tasks) => [...tasks.values()]);
    const most = owners.reduce((one, other) => (sum(other) > sum(one) ? other : one));
    return most.reduce((one, other) => (of(other) > of(one) ? other : one));
  }
}

/** This many characters of a name weigh as much as a range. */
const NAME_WEIGHT = 32;

/** A measure of memory: a call may read 20 sources with 16 ranges each. */
function weightOf(event: TelemetryEvent): number {
  let weight = 1;
  if (event.kind !== 'call' || !event.reads) return weight;
  for (const { source, lines, bytes } of event.reads)
    weight += 1 + (lines?.length ?? 0) + (bytes?.length ?? 0) + Math.ceil(source.length / NAME_WEIGHT);
  return weight;
}

// The tasks of a telemetry file by client and name. Bounded: further tasks are counted together, then reads are dropped.

const MAX_NAMED_TASKS = 10_000;

/** Maximum sum of `TaskFigures.weight`: about 200 MB. */
const MAX_NAMED_TASKS_WEIGHT = 1_500_000;

const OTHERS = 'others';

interface NamedTaskBounds {
  readonly tasks: number;
  readonly weight: number;
}

export class NamedTasks {
  readonly #bounds: NamedTaskBounds;
  readonly #tasks = new Map<string, TaskFigures>();
  #weight = 0;
  #withoutReads = 0;

  constructor(bounds: NamedTaskBounds = { tasks: MAX_NAMED_TASKS, weight: MAX_NAMED_TASKS_WEIGHT }) {
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

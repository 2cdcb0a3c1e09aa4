/**
 * The tasks of a server with their last events. The number of tasks, the number of events and the memory of the figures are
 * bounded. At a bound, data of the client that uses most is evicted.
 */

import type { TelemetryEvent } from '../types/telemetry.ts';
import { EventQueue } from './event-queue.ts';
import { type PlacedEvent, TaskFigures } from './task-figures.ts';

export interface TaskBounds {
  readonly tasks: number;
  /** Maximum events of all tasks, and of one task. */
  readonly events: number;
  readonly eventsOfTask: number;
  /** Maximum weight of all events: a call may read 20 sources with 16 ranges each. */
  readonly eventWeight: number;
  /** Maximum sum of `TaskFigures.weight`. */
  readonly weight: number;
}

export const TASK_BOUNDS: TaskBounds = {
  tasks: 256,
  events: 20_000,
  eventsOfTask: 5_000,
  eventWeight: 400_000,
  weight: 100_000,
};

export interface Task {
  readonly figures: TaskFigures;
  /** The last ones, the oldest first. */
  readonly events: EventQueue;
  /** Number of evicted events, which came before those in `events`. */
  dropped: number;
}

/** The maximum share of all events that one eviction removes. */
const DROPPED_SHARE = 1 / 200;

export class BoundedTasks<Owner> {
  readonly #bounds: TaskBounds;
  /** By owner and by name; the least recently used first for each owner. */
  readonly #owners = new Map<Owner, Map<string, Task>>();
  #tasks = 0;
  #events = 0;
  #weight = 0;
  #eventWeight = 0;
  /** The most recently used task of all owners. */
  #lastTask: Task | undefined;
  #lastOwner: Owner | undefined;

  constructor(bounds: TaskBounds = TASK_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Most recently used first. */
  of(owner: Owner): readonly Task[] {
    return [...(this.#owners.get(owner)?.values() ?? [])].reverse();
  }

  all(): readonly Task[] {
    return [...this.#owners.values()]
      .flatMap((tasks) => [...tasks.values()])
      .sort((a, b) => b.figures.last - a.figures.last);
  }

  find(owner: Owner, name: string): Task | undefined {
    return this.#owners.get(owner)?.get(name);
  }

  /** Adds an event. Returns how it relates to the earlier events of its task. */
  add(owner: Owner, event: TelemetryEvent): PlacedEvent {
    const task = this.#taken(owner, event);
    const before = task.figures.weight;
    const placed = task.figures.add(event);
    this.#weight += task.figures.weight - before;
    const eventWeight = task.events.weight;
    task.events.push(event);
    this.#events += 1;
    this.#eventWeight += task.events.weight - eventWeight;
    if (task.events.length > this.#bounds.eventsOfTask) this.#dropEvent(task);
    while (this.#events > this.#bounds.events) this.#dropSome(this.#most(({ events }) => events.length)[2]);
    while (this.#eventWeight > this.#bounds.eventWeight)
      this.#dropSome(this.#most(({ events }) => events.weight)[2]);
    if (this.#tasks > this.#bounds.tasks) this.#dropOldest(owner, task);
    while (this.#weight > this.#bounds.weight) this.#dropHeaviest();
    return placed;
  }

  #taken(owner: Owner, { task: name, client }: TelemetryEvent): Task {
    // The fast path: usually it is the task of the last event.
    if (this.#lastTask && owner === this.#lastOwner && name === this.#lastTask.figures.id)
      return this.#lastTask;
    let tasks = this.#owners.get(owner);
    if (!tasks) this.#owners.set(owner, (tasks = new Map()));
    let task = tasks.get(name);
    if (task) tasks.delete(name);
    else {
      task = { figures: new TaskFigures(name, client), events: new EventQueue(), dropped: 0 };
      this.#tasks += 1;
    }
    tasks.set(name, task);
    this.#lastTask = task;
    this.#lastOwner = owner;
    return task;
  }

  /** Evicts several events together, because finding the task with most events iterates over all tasks. */
  #dropSome(task: Task): void {
    const some = Math.min(Math.ceil(this.#bounds.events * DROPPED_SHARE), Math.ceil(task.events.length / 2));
    for (let i = 0; i < some; i += 1) this.#dropEvent(task);
  }

  #dropEvent(task: Task): void {
    const { weight } = task.events;
    if (!task.events.shift()) return;
    task.dropped += 1;
    this.#events -= 1;
    this.#eventWeight -= weight - task.events.weight;
  }

  /** Evicts the oldest task of the owner with most tasks, but not the new task `kept` of `keeper`. */
  #dropOldest(keeper: Owner, kept: Task): void {
    const others = [...this.#owners].filter(([owner, tasks]) => owner !== keeper || tasks.size > 1);
    const [owner, tasks] = others.reduce((one, other) => (other[1].size > one[1].size ? other : one));
    for (const [name, task] of tasks) {
      if (task === kept) continue;
      this.#drop(owner, name, task);
      return;
    }
  }

  #dropHeaviest(): void {
    const [owner, name, task] = this.#most(({ figures }) => figures.weight);
    this.#drop(owner, name, task);
  }

  /** The task with most of the owner whose tasks have most together. There must be a task. */
  #most(of: (task: Task) => number): readonly [Owner, string, Task] {
    let most = Number.NEGATIVE_INFINITY;
    let found: readonly [Owner, ReadonlyMap<string, Task>] | undefined;
    for (const [owner, tasks] of this.#owners) {
      let sum = 0;
      for (const task of tasks.values()) sum += of(task);
      if (sum > most) [most, found] = [sum, [owner, tasks]];
    }
    if (!found) throw new RangeError('there is no task');
    const [owner, tasks] = found;
    const [name, task] = [...tasks].reduce((one, other) => (of(other[1]) > of(one[1]) ? other : one));
    return [owner, name, task];
  }

  #drop(owner: Owner, name: string, task: Task): void {
    const tasks = this.#owners.get(owner);
    tasks?.delete(name);
    if (tasks?.size === 0) this.#owners.delete(owner);
    if (task === this.#lastTask) this.#lastTask = undefined;
    this.#tasks -= 1;
    this.#events -= task.events.length;
    this.#eventWeight -= task.events.weight;
    this.#weight -= task.figures.weight;
  }
}

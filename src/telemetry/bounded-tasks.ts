/**
 * The tasks of a server with their last events. The number of tasks, the number of events and the memory of the figures are
 * bounded. At a bound, data of the client that uses most is evicted.
 */

import type { CompleteFields } from '../types/excerpt.ts';
import type { CallEvent, NumberSpan, ReadFacts, TelemetryEvent } from '../types/telemetry.ts';
import { type PlacedEvent, TaskFigures } from './task-figures.ts';

interface TaskBounds {
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

export interface TrackedTask {
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
  readonly #owners = new Map<Owner, Map<string, TrackedTask>>();
  #tasks = 0;
  #events = 0;
  #weight = 0;
  #eventWeight = 0;
  /** The most recently used task of all owners. */
  #lastTask: TrackedTask | undefined;
  #lastOwner: Owner | undefined;

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

  #taken(owner: Owner, { task: name, client }: TelemetryEvent): TrackedTask {
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
  #dropSome(task: TrackedTask): void {
    const some = Math.min(Math.ceil(this.#bounds.events * DROPPED_SHARE), Math.ceil(task.events.length / 2));
    for (let i = 0; i < some; i += 1) this.#dropEvent(task);
  }

  #dropEvent(task: TrackedTask): void {
    const { weight } = task.events;
    if (!task.events.shift()) return;
    task.dropped += 1;
    this.#events -= 1;
    this.#eventWeight -= weight - task.events.weight;
  }

  /** Evicts the oldest task of the owner with most tasks, but not the new task `kept` of `keeper`. */
  #dropOldest(keeper: Owner, kept: TrackedTask): void {
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
  #most(of: (task: TrackedTask) => number): readonly [Owner, string, TrackedTask] {
    let most = Number.NEGATIVE_INFINITY;
    let found: readonly [Owner, ReadonlyMap<string, TrackedTask>] | undefined;
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

  #drop(owner: Owner, name: string, task: TrackedTask): void {
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

// The last events of a task: a queue to which new events are added and from which the oldest are removed. Most events are
// about one part of one text; these are stored as numbers and strings in arrays, because thousands of objects would cost
// more garbage collection than the counting itself.

/** Events of a block, which is removed as a whole. */
const BLOCK = 64;

/** This many characters of a name weigh as much as a range. */
const NAME_WEIGHT = 32;

interface Block {
  /** `NUMBERS` for each event; NaN stands for undefined. */
  readonly numbers: Float64Array;
  /** `NAMES` for each event. An event that cannot be packed is stored as an object in the first place. */
  readonly names: (string | TelemetryEvent | undefined)[];
}

/** Weight; `at`, `ms`, `bytes`, `tokens`; lines and bytes, each from and to; the totals of the text. */
const NUMBERS = 11;

/** `task`, `client`, `dialect`, `tool`, `host`, `error`; `source`, `what`, `version`, `view`, `window`, `cutBy`. */
const NAMES = 12;

export class EventQueue implements Iterable<TelemetryEvent> {
  readonly #blocks: Block[] = [];
  /** A block whose events were removed; it is reused for the next block. */
  #spare: Block | undefined;
  /** Number of removed events in the first block. */
  #gone = 0;
  #length = 0;
  #weight = 0;

  get length(): number {
    return this.#length;
  }

  /** A measure of memory: a call may read 20 sources with 16 ranges each. */
  get weight(): number {
    return this.#weight;
  }

  /** The event at an index, 0 for the oldest one in the queue. */
  at(index: number): TelemetryEvent | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    const place = this.#gone + index;
    return unpacked(this.#blocks[Math.floor(place / BLOCK)] as Block, place % BLOCK);
  }

  push(event: TelemetryEvent): void {
    const place = (this.#gone + this.#length) % BLOCK;
    if (place === 0) this.#blocks.push(this.#spare ?? newBlock());
    if (place === 0) this.#spare = undefined;
    const weight = weightOf(event);
    pack(this.#blocks[this.#blocks.length - 1] as Block, place, event, weight);
    this.#length += 1;
    this.#weight += weight;
  }

  /** Removes the oldest event. Returns whether there was one. */
  shift(): boolean {
    if (this.#length === 0) return false;
    const { numbers, names } = this.#blocks[0] as Block;
    this.#weight -= numbers[NUMBERS * this.#gone] as number;
    // Frees the names now, because the block may stay for a long time.
    for (let i = NAMES * this.#gone, end = i + NAMES; i < end; i += 1) names[i] = undefined;
    this.#length -= 1;
    this.#gone += 1;
    if (this.#gone === BLOCK || this.#length === 0) {
      this.#spare = this.#blocks.shift();
      this.#gone = 0;
    }
    return true;
  }

  *[Symbol.iterator](): Iterator<TelemetryEvent> {
    for (let i = 0; i < this.length; i += 1) yield this.at(i) as TelemetryEvent;
  }
}

function weightOf(event: TelemetryEvent): number {
  let weight = 1;
  if (event.kind !== 'call' || !event.reads) return weight;
  for (const { source, lines, bytes } of event.reads)
    weight += 1 + (lines?.length ?? 0) + (bytes?.length ?? 0) + Math.ceil(source.length / NAME_WEIGHT);
  return weight;
}

function newBlock(): Block {
  return {
    numbers: new Float64Array(NUMBERS * BLOCK),
    // `Array.from` takes ten times as long.
    names: Array<undefined>(NAMES * BLOCK).fill(undefined),
  };
}

const NO_SPAN: NumberSpan = [Number.NaN, Number.NaN];

/** Fields are assigned one by one, for speed: this runs for every call. */
function pack({ numbers, names }: Block, place: number, event: TelemetryEvent, weight: number): void {
  let [n, m] = [NUMBERS * place, NAMES * place];
  numbers[n] = weight;
  if (!isPlain(event)) {
    names[m] = event;
    return;
  }
  const { reads } = event;
  const read = reads[0];
  const [first, last] = read.lines?.[0] ?? NO_SPAN;
  const [from, to] = read.bytes?.[0] ?? NO_SPAN;
  numbers[++n] = event.at;
  numbers[++n] = event.ms;
  numbers[++n] = event.bytes;
  numbers[++n] = event.tokens;
  numbers[++n] = first;
  numbers[++n] = last;
  numbers[++n] = from;
  numbers[++n] = to;
  numbers[++n] = read.totalLines ?? Number.NaN;
  numbers[++n] = read.totalBytes ?? Number.NaN;
  names[m] = event.task;
  names[++m] = event.client;
  names[++m] = event.dialect;
  names[++m] = event.tool;
  names[++m] = event.host;
  names[++m] = event.error;
  names[++m] = read.source;
  names[++m] = read.what;
  names[++m] = read.version;
  names[++m] = read.view;
  names[++m] = read.window;
  names[++m] = read.cutBy;
}

/** Whether the event is about one part of one text, so that it can be packed. */
function isPlain(event: TelemetryEvent): event is CallEvent & { readonly reads: readonly [ReadFacts] } {
  if (event.kind !== 'call' || event.list || event.images !== undefined || event.reads?.length !== 1)
    return false;
  const { lines, bytes, shown } = event.reads[0] as ReadFacts;
  return (lines?.length ?? 1) === 1 && (bytes?.length ?? 1) === 1 && shown === undefined;
}

/** Unpacks the event at a place of a block. */
function unpacked({ numbers, names }: Block, place: number): TelemetryEvent {
  const kept = names[NAMES * place];
  if (typeof kept === 'object') return kept;
  const number = (i: number): number => numbers[NUMBERS * place + i] as number;
  const name = (i: number): string | undefined => names[NAMES * place + i] as string | undefined;
  const [task = '', dialect = '', tool = '', source = ''] = [name(0), name(2), name(3), name(6)];
  const read: CompleteFields<Omit<ReadFacts, 'shown'>> = {
    source,
    what: name(7),
    version: name(8),
    view: name(9),
    window: name(10),
    lines: spanOf(number(5), number(6)),
    bytes: spanOf(number(7), number(8)),
    totalLines: known(number(9)),
    totalBytes: known(number(10)),
    cutBy: name(11),
  };
  const event: CompleteFields<Omit<CallEvent, 'images' | 'list'>> = {
    kind: 'call',
    task,
    client: name(1),
    at: number(1),
    ms: number(2),
    dialect,
    tool,
    host: name(4),
    bytes: number(3),
    tokens: number(4),
    error: name(5),
    reads: [read],
  };
  return event;
}

function known(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

function spanOf(from: number, to: number): readonly NumberSpan[] | undefined {
  return Number.isNaN(from) ? undefined : [[from, to]];
}

// The tasks of a telemetry file by client and name. Bounded: further tasks are counted together, then reads are dropped.

/** Maximum tasks that are distinguished. */
const MAX_NAMED_TASKS = 10_000;

/** Maximum sum of `TaskFigures.weight`: about 200 MB. */
const MAX_NAMED_TASKS_WEIGHT = 1_500_000;

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

/** Records calls: in memory, with bounds, for the dashboard and statistics, and in a file if the host wants one. */

import { randomBytes } from 'node:crypto';
import { OrielError } from '../errors.ts';
import type { Caller } from '../queues/caller.ts';
import { beforeClose, putJson, readJson } from '../state/work-values.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import type {
  CallEvent,
  CallNote,
  CallOrigin,
  TaskCounts,
  TaskTotals,
  TelemetryEvent,
  TelemetrySink,
  TraceOrigin,
} from '../types/telemetry.ts';
import { BoundedTasks, type TrackedTask } from './bounded-tasks.ts';
import { MAX_HOST_NAME_CHARACTERS, shortName, taskName } from './call-facts.ts';
import {
  countsOf,
  NO_COUNTS,
  type PlacedEvent,
  sumTaskCounts,
  type TaskFigures,
  totalsOf,
} from './task-figures.ts';
import { TelemetryFile, type TelemetryFileOptions } from './telemetry-file.ts';

export interface TelemetryOptions {
  /** The file to which events are appended; none when absent. */
  readonly file?: Omit<TelemetryFileOptions, 'onError'> | undefined;
  /** The task name for calls without one. @default a random name per caller */
  readonly task?: string | undefined;
  /** Whether callers belong to several clients, which events then distinguish. @default false */
  readonly manyClients?: boolean | undefined;
  /** The shared space for counts of named tasks. @default not shared */
  readonly spaces?: TaskSpaces | undefined;
  readonly onError?: (error: unknown) => void;
}

/** Called with each event when it is counted. Must not throw. */
type EventWatcher = (event: TelemetryEvent, owner: object, placed: PlacedEvent) => void;

/** Milliseconds after which events are written to the file. */
const WRITE_MS = 200;

const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

export class TelemetryRecorder implements TelemetrySink {
  readonly #file: TelemetryFile | undefined;
  readonly #task: string | undefined;
  readonly #tasks = new BoundedTasks<object>();
  readonly #shared: SharedTasks | undefined;
  /** Stands for the caller of calls without one. */
  readonly #nobody = {};
  readonly #sessions = new WeakMap<object, string>();
  readonly #clients: WeakMap<object, string> | undefined;
  readonly #watchers = new Set<EventWatcher>();
  #timerIsSet = false;
  readonly #onError: ((error: unknown) => void) | undefined;
  #isTraceTold = false;

  constructor({ file, task, manyClients = false, spaces, onError }: TelemetryOptions = {}) {
    this.#file = file && new TelemetryFile({ ...file, ...(onError && { onError }) });
    this.#onError = onError;
    this.#task = taskName(task);
    this.#shared = spaces && new SharedTasks(spaces);
    this.#clients = manyClients ? new WeakMap() : undefined;
    if (this.#file) flushAtExit(this);
  }

  record(call: CallNote, trace: TraceOrigin | undefined): void {
    const { caller, host, bytes } = call;
    const event: CallEvent = {
      kind: 'call',
      task: taskName(call.task) ?? this.sessionOf(caller),
      client: this.#clientOf(caller),
      at: call.at,
      ms: Math.round(call.ms * 1_000) / 1_000,
      dialect: call.dialect,
      tool: call.tool,
      host: host === undefined ? undefined : shortName(host, MAX_HOST_NAME_CHARACTERS),
      bytes,
      tokens: Math.ceil(bytes / 4),
      images: call.images,
      error: call.error,
      reads: call.reads,
      list: call.list,
    };
    // The host has not installed the package, or an exporter fails: the call must not fail.
    if (Reflect.get(globalThis, REGISTERED) !== undefined)
      traceCall(event, trace).catch((error: unknown) => this.#tellOnce(error));
    this.#add(event, caller);
  }

  reportRateLimit(
    { retryAfter, by }: { readonly retryAfter?: number | undefined; readonly by?: string | undefined },
    { task, caller }: CallOrigin,
  ): void {
    if (retryAfter !== undefined && !(retryAfter >= 0 && retryAfter <= MAX_RETRY_AFTER_SECONDS)) {
      throw new OrielError(
        'BAD_INPUT',
        `retryAfter is a number of seconds from 0 to ${MAX_RETRY_AFTER_SECONDS}.`,
      );
    }
    this.#add(
      {
        kind: 'rate-limit',
        task: taskName(task) ?? this.sessionOf(caller),
        client: this.#clientOf(caller),
        at: Date.now(),
        retryAfter,
        by: by === undefined ? undefined : shortName(by, MAX_HOST_NAME_CHARACTERS),
      },
      caller,
    );
  }

  async totals({ task, caller }: CallOrigin): Promise<TaskTotals | undefined> {
    const figures = this.task(taskName(task) ?? this.sessionOf(caller), caller)?.figures;
    return figures && (this.#shared?.totals(figures) ?? figures.totals);
  }

  /** As `SharedTasks.everywhere`. */
  async everywhere(figures: TaskFigures): Promise<TaskTotals | undefined> {
    return this.#shared?.everywhere(figures);
  }

  /** The tasks of one caller, most recently used first. */
  tasks(caller?: Caller): readonly TrackedTask[] {
    return this.#tasks.of(caller ?? this.#nobody);
  }

  allTasks(): readonly TrackedTask[] {
    return this.#tasks.all();
  }

  task(id: string, caller?: Caller): TrackedTask | undefined {
    return this.#tasks.find(caller ?? this.#nobody, id);
  }

  /** The name of the task for calls of `caller` that name none. */
  sessionOf(caller: Caller = this.#nobody): string {
    if (this.#task !== undefined) return this.#task;
    return nameIn(this.#sessions, caller, 'session-');
  }

  /** Calls `watcher` with every event and its owner until the returned function is called. */
  watch(watcher: EventWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Whether `owner`, as passed to a watcher, is this caller. */
  isOf(owner: object, caller: Caller | undefined): boolean {
    return owner === (caller ?? this.#nobody);
  }

  flush(): void {
    this.#file?.flush();
  }

  async close(): Promise<void> {
    toFlush.delete(this);
    this.flush();
    await this.#shared?.close();
  }

  #tellOnce(error: unknown): void {
    if (!this.#isTraceTold) this.#onError?.(error);
    this.#isTraceTold = true;
  }

  #clientOf(caller: Caller | undefined): string | undefined {
    return caller && this.#clients && nameIn(this.#clients, caller);
  }

  /** One timer for many calls. */
  #writeSoon(): void {
    if (this.#timerIsSet) return;
    this.#timerIsSet = true;
    setTimeout(() => {
      this.#timerIsSet = false;
      this.flush();
    }, WRITE_MS).unref();
  }

  #add(event: TelemetryEvent, caller: Caller = this.#nobody): void {
    const placed = this.#tasks.add(caller, event);
    if (this.#file) {
      this.#file.add(event);
      this.#writeSoon();
    }
    this.#share(caller, event);
    for (const watcher of this.#watchers) watcher(event, caller, placed);
  }

  /** Shares the figures of a named task. The unnamed task of a caller belongs to this process only. */
  #share(owner: object, { task }: TelemetryEvent): void {
    if (!this.#shared || this.#sessions.get(owner) === task) return;
    const figures = this.#tasks.find(owner, task)?.figures;
    if (figures) this.#shared.changed(figures, owner === this.#nobody ? undefined : owner);
  }
}

function nameIn(names: WeakMap<object, string>, caller: Caller, prefix = ''): string {
  let name = names.get(caller);
  if (name === undefined) names.set(caller, (name = prefix + randomBytes(4).toString('hex')));
  return name;
}

const toFlush = new Set<TelemetryRecorder>();
let willFlush = false;

/** Writes at process exit, for hosts that do not close their sessions and for command line calls. */
function flushAtExit(telemetry: TelemetryRecorder): void {
  if (!willFlush) process.once('exit', () => toFlush.forEach((one) => one.flush()));
  willFlush = true;
  toFlush.add(telemetry);
}

// Passes calls to OpenTelemetry if the host has registered an SDK; otherwise nothing of it is loaded.

/** The global symbol under which the OpenTelemetry API (version 1) keeps what an SDK registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

let tracing: typeof import('./open-telemetry.ts') | undefined;

/** Runs in the asynchronous context of the call, also if the API must be loaded first. */
async function traceCall(event: CallEvent, trace: TraceOrigin | undefined): Promise<void> {
  if (!tracing) {
    const loaded = await import('./open-telemetry.ts');
    await loaded.loadApi();
    tracing = loaded;
  }
  tracing.recordCall(event, trace);
}

// Totals of tasks whose calls go through several replicas. Each replica writes its own counts of a task to the shared
// store shortly after the calls, and adds the counts that the others have written there.

/** The space with the tasks of a caller; undefined for a caller that no other replica knows. */
type TaskSpaces = (caller: Caller | undefined) => StateSpace | undefined;

/** Milliseconds after which counts are written, plus a random half, so that replicas do not write at the same time. */
const WAIT_MS = 1_000;

/** How long counts are kept after the last call, in ms. */
const KEEP_MS = 24 * 60 * 60_000;

/** The most tasks that wait to be written, and the most replicas stored for one task; the oldest are dropped. */
const MAX_WAITING_TASKS = 1_000;
const MAX_TASK_REPLICAS = 32;
/** How many times the same counts are written again after other replicas have overwritten them. */
const MAX_TASK_REWRITES = 4;

/** Counts by replica (`Shared.part`), the last written last. */
type Parts = Readonly<Record<string, TaskCounts>>;

interface Shared {
  readonly figures: TaskFigures;
  readonly space: StateSpace;
  readonly name: StateName;
  /** The key of this replica's counts. */
  readonly part: string;
  /** The sum of the other replicas' counts at the last read of the store. */
  others: TaskCounts;
  /** The JSON written last, and how many times in a row. */
  sent: string;
  rounds: number;
  asked?: Promise<unknown>;
}

export class SharedTasks {
  readonly #spaces: TaskSpaces;
  readonly #tasks = new WeakMap<TaskFigures, Shared>();
  readonly #waiting = new Set<Shared>();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the pending writes are done; writes run one after the other. */
  #flushed: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(spaces: TaskSpaces) {
    this.#spaces = spaces;
  }

  /** Schedules a write of changed figures; returns immediately. */
  changed(figures: TaskFigures, caller: Caller | undefined): void {
    const task = this.#tasks.get(figures) ?? this.#begin(figures, caller);
    if (task) this.#writeLater(task);
  }

  /** Totals of all replicas. The store is read only the first time, so counts of others may be old. Never throws. */
  async totals(figures: TaskFigures): Promise<TaskTotals> {
    const task = this.#tasks.get(figures);
    if (!task) return figures.totals;
    await (task.asked ??= this.#ask(task));
    return totalsOf(figures.id, sumTaskCounts([figures, task.others]));
  }

  /**
   * Current totals of all replicas, always read from the store. Undefined for a task that no other replica can know, and
   * while the store is unavailable. Never throws.
   */
  async everywhere(figures: TaskFigures): Promise<TaskTotals | undefined> {
    const task = this.#tasks.get(figures);
    if (!task || (await this.#ask(task)) === 'away') return undefined;
    return totalsOf(figures.id, sumTaskCounts([figures, task.others]));
  }

  /** Writes all changes. Resolves when they are written or have failed. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#writeAll());
    return this.#flushed;
  }

  /** Writes the remaining changes with a timeout of two seconds; after that they are lost. */
  async close(): Promise<void> {
    await beforeClose(this.flush());
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const task of waiting) {
      if (this.#closed) return;
      if (!(await this.#write(task))) this.#writeLater(task);
    }
  }

  #begin(figures: TaskFigures, caller: Caller | undefined): Shared | undefined {
    const space = this.#spaces(caller);
    if (!space) return undefined;
    const name: StateName = { kind: 'task', of: [figures.id] };
    const part = randomBytes(9).toString('base64url');
    const task: Shared = { figures, space, name, part, others: NO_COUNTS, sent: '', rounds: 0 };
    this.#tasks.set(figures, task);
    return task;
  }

  #writeLater(task: Shared): void {
    if (this.#closed) return;
    this.#waiting.add(task);
    for (const oldest of this.#waiting) {
      if (this.#waiting.size <= MAX_WAITING_TASKS) break;
      this.#waiting.delete(oldest);
    }
    this.#timer ??= setTimeout(() => void this.flush(), WAIT_MS * (1 + Math.random() / 2)).unref();
  }

  /**
   * Writes the counts; returns true when a read shows that they are stored. A write is followed by one more read, because
   * another replica that wrote at the same moment may have overwritten the value without these counts.
   */
  async #write(task: Shared): Promise<boolean> {
    const parts = await this.#ask(task);
    if (parts === 'away') return false;
    const { [task.part]: written, ...others } = parts;
    const own = countsOf(task.figures);
    const text = JSON.stringify(own);
    if (written && JSON.stringify(written) === text) return true;
    // With more replicas than `MAX_TASK_REPLICAS`, each would overwrite another one, for ever.
    task.rounds = task.sent === text ? task.rounds + 1 : 1;
    task.sent = text;
    if (task.rounds > MAX_TASK_REWRITES) return true;
    const kept = Object.entries(others).slice(1 - MAX_TASK_REPLICAS);
    await putJson(task.space, task.name, Object.fromEntries([...kept, [task.part, own]]), KEEP_MS);
    return false;
  }

  async #ask(task: Shared): Promise<Parts | 'away'> {
    const parts = await readJson<Parts>(task.space, task.name);
    if (parts === 'away') return parts;
    const { [task.part]: _, ...others } = parts ?? {};
    task.others = sumTaskCounts(Object.values(others));
    return parts ?? {};
  }
}

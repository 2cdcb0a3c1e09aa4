/** Records calls: in memory, with bounds, for the dashboard and statistics, and in a file if the host wants one. */

import { randomBytes } from 'node:crypto';
import { OrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import type { TraceOrigin } from '../../types/trace.ts';
import { BoundedTasks, type Task } from '../../telemetry/bounded-tasks.ts';
import { eventOfCall } from '../../telemetry/event-of-call.ts';
import { NoteQueue } from '../../telemetry/note-queue.ts';
import type { PlacedEvent, TaskFigures } from '../../telemetry/task-figures.ts';
import { MOST_HOST, shortName, taskName } from '../../telemetry/safe-names.ts';
import type {
  CallEvent,
  CallNote,
  CallOrigin,
  TaskTotals,
  TelemetryEvent,
  TelemetrySink,
} from '../../types/telemetry.ts';
import { SharedTasks, type TaskSpaces } from './shared-tasks.ts';
import { isTraced, Tracer } from './tracer.ts';
import { TelemetryFile, type TelemetryFileOptions } from './telemetry-file.ts';

export interface TelemetryOptions {
  /** The file to which events are appended; none when absent. */
  readonly file?: Omit<TelemetryFileOptions, 'onError'>;
  /** The task name for calls without one. @default a random name per caller */
  readonly task?: string;
  /** Whether callers belong to several clients, which events then distinguish. @default false */
  readonly manyClients?: boolean;
  /** The shared space for counts of named tasks. @default not shared */
  readonly spaces?: TaskSpaces;
  readonly onError?: (error: unknown) => void;
}

/** Called with each event when it is counted. Must not throw. */
export type Watcher = (event: TelemetryEvent, owner: object, placed: PlacedEvent) => void;

/** Milliseconds after which pending calls are counted and written. A request for figures counts them immediately. */
const PENDING_MS = 200;

const LONGEST_WAIT = 24 * 60 * 60;

export class Telemetry implements TelemetrySink {
  readonly #file: TelemetryFile | undefined;
  readonly #task: string | undefined;
  readonly #tasks = new BoundedTasks<object>();
  readonly #shared: SharedTasks | undefined;
  /** Stands for the caller of calls without one. */
  readonly #nobody = {};
  readonly #sessions = new WeakMap<object, string>();
  readonly #clients: WeakMap<object, string> | undefined;
  readonly #watchers = new Set<Watcher>();
  /** Calls that are not counted yet: counting is deferred, so that no answer waits for it. */
  #pending: NoteQueue | undefined;
  /** The second of two alternating queues, because a watcher may ask for figures while events are counted. */
  #counted: NoteQueue | undefined;
  #timerIsSet = false;
  readonly #onError: (error: unknown) => void;
  readonly #tracer: Tracer;

  constructor({ file, task, manyClients = false, spaces, onError }: TelemetryOptions = {}) {
    this.#file = file && new TelemetryFile({ ...file, ...(onError && { onError }) });
    this.#onError = onError ?? ((): void => undefined);
    this.#tracer = new Tracer(this.#onError);
    this.#task = taskName(task);
    this.#shared = spaces && new SharedTasks(spaces);
    this.#clients = manyClients ? new WeakMap() : undefined;
    if (this.#file) flushAtExit(this);
  }

  record(call: CallNote, trace: TraceOrigin | undefined): void {
    if (isTraced()) void this.#tracer.record(this.#eventOf(call, clockOrigin()), trace);
    const pending = (this.#pending ??= new NoteQueue());
    pending.push(call);
    if (pending.isFull) this.#count();
    this.#countSoon();
  }

  reportRateLimit(
    { retryAfter, by }: { readonly retryAfter?: number | undefined; readonly by?: string | undefined },
    { task, caller }: CallOrigin,
  ): void {
    if (retryAfter !== undefined && !(retryAfter >= 0 && retryAfter <= LONGEST_WAIT)) {
      throw new OrielError('BAD_INPUT', `retryAfter is a number of seconds from 0 to ${LONGEST_WAIT}.`);
    }
    const client = this.#clientOf(caller);
    this.#count();
    this.#add(
      {
        kind: 'rate-limit',
        task: taskName(task) ?? this.sessionOf(caller),
        ...(client !== undefined && { client }),
        at: Date.now(),
        ...(retryAfter !== undefined && { retryAfter }),
        ...(by !== undefined && { by: shortName(by, MOST_HOST) }),
      },
      caller,
    );
    this.#countSoon();
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
  tasks(caller?: Caller): readonly Task[] {
    this.#count();
    return this.#tasks.of(caller ?? this.#nobody);
  }

  /** The tasks of all callers. Only for the operator of a server. */
  allTasks(): readonly Task[] {
    this.#count();
    return this.#tasks.all();
  }

  task(id: string, caller?: Caller): Task | undefined {
    this.#count();
    return this.#tasks.find(caller ?? this.#nobody, id);
  }

  /** The name of the task for calls of `caller` that name none. */
  sessionOf(caller: Caller = this.#nobody): string {
    if (this.#task !== undefined) return this.#task;
    return nameIn(this.#sessions, caller, 'session-');
  }

  /** Calls `watcher` with every event and its owner until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Counts all calls recorded so far and informs the watchers. */
  settle(): void {
    this.#count();
  }

  /** Whether `owner`, as passed to a watcher, is this caller. */
  isOf(owner: object, caller: Caller | undefined): boolean {
    return owner === (caller ?? this.#nobody);
  }

  async flush(): Promise<void> {
    this.#count();
    await this.#file?.flush();
  }

  /** Writes synchronously while the process exits. */
  flushNow(): void {
    this.#count();
    this.#file?.flushNow();
  }

  async close(): Promise<void> {
    this.#count();
    toFlush.delete(this);
    await Promise.all([this.#file?.close(), this.#shared?.close()]);
  }

  #clientOf(caller: Caller | undefined): string | undefined {
    return caller && this.#clients && nameIn(this.#clients, caller);
  }

  #eventOf(call: CallNote, origin: number): CallEvent {
    const task = taskName(call.task) ?? this.sessionOf(call.caller);
    return eventOfCall(call, { task, client: this.#clientOf(call.caller), origin });
  }

  /** One timer for many calls, because a timer per call would cost as much as the counting itself. */
  #countSoon(): void {
    if (this.#timerIsSet) return;
    this.#timerIsSet = true;
    setTimeout(() => {
      this.#timerIsSet = false;
      void this.flush();
    }, PENDING_MS).unref();
  }

  /** Turns recorded calls into events in batches, which takes a fraction of the time of one by one. Never throws. */
  #count(): void {
    const pending = this.#pending;
    if (pending === undefined || pending.length === 0) return;
    this.#pending = this.#counted;
    this.#counted = undefined;
    const origin = clockOrigin();
    for (let i = 0; i < pending.length; i += 1) {
      const call = pending.at(i);
      try {
        this.#add(this.#eventOf(call, origin), call.caller);
      } catch (error) {
        this.#onError(error);
      }
    }
    pending.clear();
    this.#counted = pending;
  }

  #add(event: TelemetryEvent, caller: Caller = this.#nobody): void {
    const placed = this.#tasks.add(caller, event);
    this.#file?.add(event);
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

/** The time at which `performance.now()` was 0, in ms since the epoch, by the current system clock. */
function clockOrigin(): number {
  return Date.now() - performance.now();
}

/** A random name that stays the same for as long as the caller is known. */
function nameIn(names: WeakMap<object, string>, caller: Caller, prefix = ''): string {
  let name = names.get(caller);
  if (name === undefined) names.set(caller, (name = prefix + randomBytes(4).toString('hex')));
  return name;
}

const toFlush = new Set<Telemetry>();
let willFlush = false;

/** Writes at process exit, for hosts that do not close their sessions and for command line calls. */
function flushAtExit(telemetry: Telemetry): void {
  if (!willFlush) process.once('exit', () => toFlush.forEach((one) => one.flushNow()));
  willFlush = true;
  toFlush.add(telemetry);
}

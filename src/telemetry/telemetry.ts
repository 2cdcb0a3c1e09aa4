/** Records calls: in memory, with bounds, for the dashboard and statistics, and in a file if the host wants one. */

import { randomBytes } from 'node:crypto';
import { OrielError } from '../errors.ts';
import type { Caller } from '../queues/caller.ts';
import type {
  CallEvent,
  CallNote,
  CallOrigin,
  TaskTotals,
  TelemetryEvent,
  TelemetrySink,
  TextNote,
  TraceOrigin,
} from '../types/telemetry.ts';
import { BoundedTasks, type TrackedTask } from './bounded-tasks.ts';
import { eventOfCall, MAX_HOST_NAME_CHARACTERS, shortName, taskName } from './call-facts.ts';
import { SharedTasks, type TaskSpaces } from './shared-tasks.ts';
import type { PlacedEvent, TaskFigures } from './task-figures.ts';
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
export type EventWatcher = (event: TelemetryEvent, owner: object, placed: PlacedEvent) => void;

/** Milliseconds after which pending calls are counted and written. A request for figures counts them immediately. */
const PENDING_MS = 200;

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
  /** Calls that are not counted yet: counting is deferred, so that no answer waits for it. */
  #pending: NoteQueue | undefined;
  /** The second of two alternating queues, because a watcher may ask for figures while events are counted. */
  #counted: NoteQueue | undefined;
  #timerIsSet = false;
  readonly #onError: (error: unknown) => void;
  readonly #tracer: CallTracer;

  constructor({ file, task, manyClients = false, spaces, onError }: TelemetryOptions = {}) {
    this.#file = file && new TelemetryFile({ ...file, ...(onError && { onError }) });
    this.#onError = onError ?? ((): void => undefined);
    this.#tracer = new CallTracer(this.#onError);
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
    if (retryAfter !== undefined && !(retryAfter >= 0 && retryAfter <= MAX_RETRY_AFTER_SECONDS)) {
      throw new OrielError(
        'BAD_INPUT',
        `retryAfter is a number of seconds from 0 to ${MAX_RETRY_AFTER_SECONDS}.`,
      );
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
        ...(by !== undefined && { by: shortName(by, MAX_HOST_NAME_CHARACTERS) }),
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
  tasks(caller?: Caller): readonly TrackedTask[] {
    this.#count();
    return this.#tasks.of(caller ?? this.#nobody);
  }

  /** The tasks of all callers. Only for the operator of a server. */
  allTasks(): readonly TrackedTask[] {
    this.#count();
    return this.#tasks.all();
  }

  task(id: string, caller?: Caller): TrackedTask | undefined {
    this.#count();
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

const toFlush = new Set<TelemetryRecorder>();
let willFlush = false;

/** Writes at process exit, for hosts that do not close their sessions and for command line calls. */
function flushAtExit(telemetry: TelemetryRecorder): void {
  if (!willFlush) process.once('exit', () => toFlush.forEach((one) => one.flushNow()));
  willFlush = true;
  toFlush.add(telemetry);
}

// Passes calls to OpenTelemetry if the host has registered an SDK; otherwise nothing of it is loaded.

/** The global symbol under which the OpenTelemetry API (version 1) keeps what an SDK registers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

function isTraced(): boolean {
  return (globalThis as Record<symbol, unknown>)[REGISTERED] !== undefined;
}

type Tracing = typeof import('./open-telemetry.ts');

let tracing: Tracing | undefined;

const loadTracing = (): Promise<Tracing> => import('./open-telemetry.ts');

class CallTracer {
  readonly #onError: (error: unknown) => void;
  #told = false;

  /** `onError` receives the first failure only. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Runs in the asynchronous context of the call, also if the API must be loaded first. Never throws. */
  async record(event: CallEvent, trace: TraceOrigin | undefined): Promise<void> {
    try {
      const { recordCall } = (tracing ??= await loadTracing());
      recordCall(event, trace);
    } catch (error) {
      // The host has not installed the package, or an exporter fails; the call must not fail.
      if (!this.#told) this.#onError(error);
      this.#told = true;
    }
  }
}

// A queue of finished calls that are not counted yet. They are stored as numbers and strings in two arrays that are reused:
// an object for each call would be moved by the garbage collector and scattered in memory, which costs more than counting.

/** Maximum calls in the queue. */
const MAX_QUEUED_NOTES = 256;

/** Maximum characters of their names. */
const MAX_QUEUED_NAME_CHARACTERS = 64 << 10;

/** `began`, `ms`, `bytes`, `images`; lines and bytes of a text, each from and to; its totals. NaN stands for undefined. */
const NUMBERS = 10;

/** `task`, `caller`, `host`, `dialect`, `tool`, `error`, `reads`, `list`; of a text its version, `kind`, `view`, `window`, `cutBy`, `spans`. */
const NAMES = 14;

type Name = string | object | undefined;

export class NoteQueue {
  readonly #numbers = new Float64Array(NUMBERS * MAX_QUEUED_NOTES);
  readonly #names = Array<Name>(NAMES * MAX_QUEUED_NOTES).fill(undefined);
  #length = 0;
  #characters = 0;

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= MAX_QUEUED_NOTES || this.#characters > MAX_QUEUED_NAME_CHARACTERS;
  }

  /** There must be room. Fields are assigned one by one, for speed: this runs in every call, while its caller waits. */
  push(note: CallNote): void {
    const { text, task, host } = note;
    const numbers = this.#numbers;
    const names = this.#names;
    const n = NUMBERS * this.#length;
    const m = NAMES * this.#length;
    this.#length += 1;
    this.#characters += (task?.length ?? 0) + (host?.length ?? 0);
    numbers[n] = note.began;
    numbers[n + 1] = note.ms;
    numbers[n + 2] = note.bytes;
    numbers[n + 3] = note.images ?? Number.NaN;
    names[m] = task;
    names[m + 1] = note.caller;
    names[m + 2] = host;
    names[m + 3] = note.dialect;
    names[m + 4] = note.tool;
    names[m + 5] = note.error;
    names[m + 6] = note.reads;
    names[m + 7] = note.list;
    if (!text) return;
    numbers[n + 4] = text.first ?? Number.NaN;
    numbers[n + 5] = text.last ?? Number.NaN;
    numbers[n + 6] = text.from ?? Number.NaN;
    numbers[n + 7] = text.to ?? Number.NaN;
    numbers[n + 8] = text.totals.lines ?? Number.NaN;
    numbers[n + 9] = text.totals.bytes ?? Number.NaN;
    names[m + 8] = text.of;
    names[m + 9] = text.kind;
    names[m + 10] = text.view;
    names[m + 11] = text.window;
    names[m + 12] = text.cutBy;
    names[m + 13] = text.spans;
  }

  /** Unpacks the note at an index. */
  at(place: number): CallNote {
    const numbers = this.#numbers;
    const names = this.#names;
    const n = NUMBERS * place;
    const m = NAMES * place;
    const of = names[m + 8] as TextNote['of'] | undefined;
    return {
      task: names[m] as CallNote['task'],
      caller: names[m + 1] as CallNote['caller'],
      host: names[m + 2] as CallNote['host'],
      dialect: names[m + 3] as string,
      tool: names[m + 4] as string,
      began: numbers[n] as number,
      ms: numbers[n + 1] as number,
      bytes: numbers[n + 2] as number,
      images: known(numbers[n + 3]),
      error: names[m + 5] as CallNote['error'],
      text: of && {
        of,
        kind: names[m + 9] as string,
        view: names[m + 10] as TextNote['view'],
        window: names[m + 11] as TextNote['window'],
        cutBy: names[m + 12] as TextNote['cutBy'],
        totals: { lines: known(numbers[n + 8]), bytes: known(numbers[n + 9]) },
        first: known(numbers[n + 4]),
        last: known(numbers[n + 5]),
        from: known(numbers[n + 6]),
        to: known(numbers[n + 7]),
        spans: names[m + 13] as TextNote['spans'],
      },
      reads: names[m + 6] as CallNote['reads'],
      list: names[m + 7] as CallNote['list'],
    };
  }

  clear(): void {
    this.#names.fill(undefined, 0, NAMES * this.#length);
    this.#length = 0;
    this.#characters = 0;
  }
}

function known(number: number | undefined): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

/**
 * Totals of tasks whose calls go through several replicas. Each replica writes its own counts of a task to the shared
 * store shortly after the calls, and adds the counts that the others have written there.
 */

import { randomBytes } from 'node:crypto';
import type { Caller } from '../queues/caller.ts';
import { beforeClose, putJson, readJson } from '../state/work-values.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import type { TaskCounts, TaskTotals } from '../types/telemetry.ts';
import { countsOf, NO_COUNTS, sumTaskCounts, type TaskFigures, totalsOf } from './task-figures.ts';

/** The space with the tasks of a caller; undefined for a caller that no other replica knows. */
export type TaskSpaces = (caller: Caller | undefined) => StateSpace | undefined;

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

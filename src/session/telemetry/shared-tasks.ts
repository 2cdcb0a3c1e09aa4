/**
 * The totals of tasks whose calls go through several replicas. Each leaves what it has counted of a task in the shared
 * store, some moments after its calls, and adds what the others have left there.
 */

import { randomBytes } from 'node:crypto';
import type { Caller } from '../../queues/caller.ts';
import { beforeClose } from '../../state/in-time.ts';
import { putJson, readJson } from '../../state/work-values.ts';
import { countsOf, NO_COUNTS, sumOf, totalsOf } from '../../telemetry/task-counts.ts';
import type { TaskFigures } from '../../telemetry/task-figures.ts';
import type { TaskCounts, TaskTotals } from '../../types/telemetry.ts';
import type { StateName, StateSpace } from '../../types/state.ts';

/** The space in which the tasks of a caller are; undefined for one that no other replica knows. */
export type TaskSpaces = (caller: Caller | undefined) => StateSpace | undefined;

/** Milliseconds in which the calls of a task are counted together, and up to half as many more: replicas do not write at once. */
const WAIT_MS = 1_000;

/** How long what was counted is kept after the last call. */
const KEEP_MS = 24 * 60 * 60_000;

/** Tasks that wait to be written, and replicas that have counted one task; the oldest are left out. */
const MOST_WAITING = 1_000;
const MOST_PARTS = 32;
/** Times that one and the same part is put back where others have put it out. */
const MOST_ROUNDS = 4;

/** By who has counted it, the last written last. */
type Parts = Readonly<Record<string, TaskCounts>>;

interface Shared {
  readonly figures: TaskFigures;
  readonly space: StateSpace;
  readonly name: StateName;
  /** Names what these figures have counted. */
  readonly part: string;
  /** What the others had counted when the store was last asked. */
  others: TaskCounts;
  /** What was put there last, and how often in a row. */
  sent: string;
  rounds: number;
  asked?: Promise<unknown>;
}

export class SharedTasks {
  readonly #spaces: TaskSpaces;
  readonly #tasks = new WeakMap<TaskFigures, Shared>();
  readonly #waiting = new Set<Shared>();
  #timer: NodeJS.Timeout | undefined;
  /** The end of what is being written: one after the other. */
  #flushed: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(spaces: TaskSpaces) {
    this.#spaces = spaces;
  }

  /** The figures have counted something. Waits for nothing. */
  changed(figures: TaskFigures, caller: Caller | undefined): void {
    const task = this.#tasks.get(figures) ?? this.#begin(figures, caller);
    if (task) this.#writeLater(task);
  }

  /** Of all replicas, as far as this one has seen what others count: the store is asked the first time. Never throws. */
  async totals(figures: TaskFigures): Promise<TaskTotals> {
    const task = this.#tasks.get(figures);
    if (!task) return figures.totals;
    await (task.asked ??= this.#ask(task));
    return totalsOf(figures.id, sumOf([figures, task.others]));
  }

  /** Of all replicas, as they are now; undefined for a task that no other one can know, and while the store is unavailable. Never throws. */
  async everywhere(figures: TaskFigures): Promise<TaskTotals | undefined> {
    const task = this.#tasks.get(figures);
    if (!task || (await this.#ask(task)) === 'away') return undefined;
    return totalsOf(figures.id, sumOf([figures, task.others]));
  }

  /** Writes what has changed. Resolves when that is done, or could not be. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#writeAll());
    return this.#flushed;
  }

  /** What could not be written by then, or within two seconds, is not. */
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
      if (this.#waiting.size <= MOST_WAITING) break;
      this.#waiting.delete(oldest);
    }
    this.#timer ??= setTimeout(() => void this.flush(), WAIT_MS * (1 + Math.random() / 2)).unref();
  }

  /**
   * Whether what was counted is there. It is looked at once more after it was written: another replica that wrote at the
   * same moment may have put the value back without it.
   */
  async #write(task: Shared): Promise<boolean> {
    const parts = await this.#ask(task);
    if (parts === 'away') return false;
    const { [task.part]: written, ...others } = parts;
    const own = countsOf(task.figures);
    const text = JSON.stringify(own);
    if (written && JSON.stringify(written) === text) return true;
    // Of more replicas than are kept, each would put out another one, for ever.
    task.rounds = task.sent === text ? task.rounds + 1 : 1;
    task.sent = text;
    if (task.rounds > MOST_ROUNDS) return true;
    const kept = Object.entries(others).slice(1 - MOST_PARTS);
    await putJson(task.space, task.name, Object.fromEntries([...kept, [task.part, own]]), KEEP_MS);
    return false;
  }

  async #ask(task: Shared): Promise<Parts | 'away'> {
    const parts = await readJson<Parts>(task.space, task.name);
    if (parts === 'away') return parts;
    const { [task.part]: _, ...others } = parts ?? {};
    task.others = sumOf(Object.values(others));
    return parts ?? {};
  }
}

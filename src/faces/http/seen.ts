/** The source of tasks for the dashboard: a recording server, or a telemetry file. */

import type { Task } from '../../telemetry/bounded-tasks.ts';
import type { EventQueue } from '../../telemetry/event-queue.ts';
import type { TaskFigures } from '../../telemetry/task-figures.ts';
import type { Telemetry } from '../../session/telemetry/telemetry.ts';
import type { EventsPage, FileState, TaskTotals, TelemetryEvent } from '../../types/telemetry.ts';
import { PAGE_BYTES } from '../../session/telemetry/event-index.ts';
import type { Exchange } from './exchange.ts';
import type { Served } from './route.ts';

export interface SeenTask {
  readonly figures: TaskFigures;
  /** Its totals over all replicas; absent if there are no others. */
  everywhere?(): Promise<TaskTotals | undefined>;
  /** Number of its events so far, and how many of the first ones were evicted. */
  readonly total: number;
  readonly forgotten: number;
  /** At most `most` events and about 512 KiB of them, from number `from` on, which must not be evicted. */
  events(from: number, most: number): EventsPage | Promise<EventsPage>;
}

export interface SeenFile extends FileState {
  readonly name: string;
}

export interface Seen {
  /** The tasks that the client of a request may see, the most recently used first. */
  tasks(exchange: Exchange): readonly SeenTask[];
  /**
   * Calls `tell` for each event that the client may see, and without an event after another change. The returned function
   * ends this.
   */
  watch(exchange: Exchange, tell: (event: TelemetryEvent | undefined) => void): () => void;
  /** Whether the client of a request may see the tasks of all clients. */
  isOperator(exchange: Exchange): boolean;
  /** Whether the lens is available. */
  readonly lens: boolean;
  readonly file?: () => SeenFile;
  /** Aborted when the server ends, which ends streams. */
  readonly closing: AbortSignal;
}

/** The tasks that a server has recorded: a client sees its own tasks, the operator those of all clients. */
export function recordedTasks({ offer, ownerOf, isOperator, closing }: Served): Seen {
  const { telemetry } = offer;
  return {
    tasks(exchange) {
      if (isOperator(exchange))
        return telemetry?.allTasks().map((task) => recordedTask(task, telemetry)) ?? [];
      const caller = ownerOf(exchange);
      return (caller && telemetry?.tasks(caller).map((task) => recordedTask(task, telemetry))) ?? [];
    },
    watch(exchange, tell) {
      const all = isOperator(exchange);
      const caller = ownerOf(exchange);
      const unwatch = telemetry?.watch((event, owner) => {
        if (all || (caller && telemetry.isOf(owner, caller))) tell(event);
      });
      return () => unwatch?.();
    },
    isOperator,
    lens: offer.lens !== undefined,
    closing,
  };
}

function recordedTask({ figures, events, dropped }: Task, telemetry: Telemetry): SeenTask {
  return {
    figures,
    everywhere: () => telemetry.everywhere(figures),
    total: dropped + events.length,
    forgotten: dropped,
    events: (from, most) => pageOf(events, from - dropped, most, dropped),
  };
}

function pageOf(all: EventQueue, start: number, most: number, dropped: number): EventsPage {
  const events: TelemetryEvent[] = [];
  let bytes = 0;
  for (let i = start; i < all.length && events.length < most && bytes < PAGE_BYTES; i += 1) {
    const event = all.at(i) as TelemetryEvent;
    events.push(event);
    bytes += JSON.stringify(event).length;
  }
  return { events, next: dropped + start + events.length };
}

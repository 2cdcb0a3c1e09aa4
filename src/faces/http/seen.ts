/** Tasks as the dashboard sees them: those of a server that records, or those of a file. */

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
  /** Its totals on all replicas; absent if there are no others. */
  everywhere?(): Promise<TaskTotals | undefined>;
  /** Its events so far, and how many of them, the first ones, are forgotten. */
  readonly total: number;
  readonly forgotten: number;
  /** At most `most` events, and some 512 KiB of them, from the one with the number `from`, which is not forgotten. */
  events(from: number, most: number): EventsPage | Promise<EventsPage>;
}

export interface SeenFile extends FileState {
  readonly name: string;
}

export interface Seen {
  /** Those that the one who asks may see, the last used first. */
  tasks(exchange: Exchange): readonly SeenTask[];
  /** Tells of each event that the one who asks may see, without one that something else has changed. Returns what ends that. */
  watch(exchange: Exchange, tell: (event: TelemetryEvent | undefined) => void): () => void;
  /** Whether it comes from one who sees the tasks of all clients. */
  isOperator(exchange: Exchange): boolean;
  /** Whether paths can be read here. */
  readonly lens: boolean;
  readonly file?: () => SeenFile;
  /** Aborted when the server ends: streams end with it. */
  readonly closing: AbortSignal;
}

/** What a server has recorded: a client sees its own tasks, the operator those of all. */
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

/** Telemetry events for tests. */

import { TaskFigures } from '../../src/telemetry/task-figures.ts';
import type { CallEvent, CallNote, ReadFacts, TelemetryEvent } from '../../src/types/telemetry.ts';

let at = 1_700_000_000_000;

export function call(event: Partial<CallEvent> = {}): CallEvent {
  const bytes = event.bytes ?? 1_000;
  return {
    kind: 'call',
    at: (at += 1_000),
    ms: 1,
    task: 'task',
    dialect: 'oriel',
    tool: 'read',
    bytes,
    tokens: Math.ceil(bytes / 4),
    ...event,
  };
}

/** The call note from which `event` would be made. */
export function noteOf(event: CallEvent, task: string | undefined, caller?: object): CallNote {
  return { ...event, task, caller };
}

/** A read of lines `from` to `to` (1-based, inclusive) of a text with 1,000 lines of 100 bytes. */
export function page(
  from: number,
  to: number,
  read: Partial<ReadFacts> = {},
  event: Partial<CallEvent> = {},
): CallEvent {
  const facts: ReadFacts = {
    source: 'src/a.ts',
    what: 'file',
    version: 'v1',
    lines: [[from, to]],
    bytes: [[(from - 1) * 100, to * 100]],
    totalLines: 1_000,
    totalBytes: 100_000,
    ...read,
  };
  return call({ bytes: (to - from + 1) * 100, ...event, reads: [facts] });
}

export function map(source = 'src/a.ts', bytes = 8_000): CallEvent {
  const read = { source, what: 'file', version: 'v1', view: 'map', totalLines: 1_000, totalBytes: 100_000 };
  return call({ bytes, reads: [read] });
}

export function figuresOf(...events: readonly TelemetryEvent[]): TaskFigures {
  const figures = new TaskFigures('task');
  for (const event of events) figures.add(event);
  return figures;
}

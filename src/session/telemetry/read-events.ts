/** Reads the events of a file and its rotated parts, oldest first, and counts lines that are not events. */

import { parseEvent } from '../../telemetry/parse-event.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { EventLines } from './event-lines.ts';
import { openParts } from './event-parts.ts';

export interface ReadEvents {
  readonly events: number;
  /** Lines that are not events: incomplete lines, and lines written by other programs. */
  readonly skipped: number;
}

/** Throws OrielError (`NOT_FOUND`, `BAD_INPUT`) if `path` cannot be read; rotated parts are optional. */
export async function readEvents(
  path: string,
  take: (event: TelemetryEvent) => void,
  signal?: AbortSignal,
): Promise<ReadEvents> {
  let [events, skipped] = [0, 0];
  const takeLine = (line: Buffer | undefined): void => {
    const event = line && parseEvent(line.toString('utf8'));
    if (event) {
      events += 1;
      take(event);
    } else if (line?.length !== 0) skipped += 1;
  };
  const parts = await openParts(path, 'oriel report FILE');
  try {
    for (const part of parts) {
      const lines = new EventLines(part);
      await lines.readOn(takeLine, signal);
      lines.takeRest(takeLine);
    }
  } finally {
    await Promise.all(parts.map((part) => part.close()));
  }
  return { events, skipped };
}

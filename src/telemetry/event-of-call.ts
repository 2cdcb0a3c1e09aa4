/** Makes the event of a call from the note that was taken when the call ended. */

import type { Complete } from '../types/mutable.ts';
import type { CallEvent, CallNote } from '../types/telemetry.ts';
import { readOfText } from './call-facts.ts';
import { MOST_HOST, shortName } from './safe-names.ts';

/** What the recorder adds to a note. */
export interface Told {
  readonly task: string;
  readonly client: string | undefined;
  /** Milliseconds since the epoch at which `performance.now()` was 0. */
  readonly origin: number;
}

/** All fields, in the order in which `writeEvent` writes them. */
export function eventOfCall(note: CallNote, { task, client, origin }: Told): Complete<CallEvent> {
  const { host, dialect, tool, began, ms, bytes, images, error, text, reads, list } = note;
  return {
    kind: 'call',
    task,
    client,
    at: Math.round(origin + began),
    ms: Math.round(ms * 1_000) / 1_000,
    dialect,
    tool,
    host: host === undefined ? undefined : shortName(host, MOST_HOST),
    bytes,
    tokens: Math.ceil(bytes / 4),
    images,
    error,
    reads: text ? [readOfText(text)] : reads,
    list,
  };
}

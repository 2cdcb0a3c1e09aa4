/** What is recorded of each call, as it is in the ring and, a line of JSON each, in a file. It holds no content. */

import type { Window } from './excerpt.ts';
import type { TraceOrigin } from './trace.ts';

export type TelemetryEvent = CallEvent | RateLimitEvent;

interface TaskEvent {
  /** Milliseconds since the epoch: when the call began. */
  readonly at: number;
  /** As the caller named it, otherwise that of its session. */
  readonly task: string;
  /** Tells clients of one server apart; absent if there is only one. */
  readonly client?: string | undefined;
}

export interface CallEvent extends TaskEvent {
  readonly kind: 'call';
  /** Milliseconds from the call to its answer. */
  readonly ms: number;
  readonly dialect: string;
  readonly tool: string;
  /** The program that asked, as it calls itself. */
  readonly host?: string | undefined;
  /** Of the text in the answer. */
  readonly bytes: number;
  /** Estimated: four bytes a token. */
  readonly tokens: number;
  readonly images?: number | undefined;
  /** The stable code of a failure. */
  readonly error?: string | undefined;
  /** What was read, in the order in which it is in the answer; one for each path. */
  readonly reads?: readonly ReadFacts[] | undefined;
  /** Of an answer that is a list: matches, paths, entries. */
  readonly list?: ListFacts | undefined;
}

/** A part of one text. Offsets are those of the text as it is stored, or of what was derived from it. */
export interface ReadFacts {
  /** What was read, without its selector. */
  readonly source: string;
  /** `file`, `archive`, `document`, …; absent if nothing was opened. */
  readonly what?: string | undefined;
  /** Equal for equal bytes. */
  readonly version?: string | undefined;
  /** Another text of the text: `map`, `outline`, `conflicts`. Absent for the text itself, raw or not. */
  readonly view?: string | undefined;
  /** The window that was asked for, as a selector has it: `50..100`, `@65536+65536`, `-20`. */
  readonly window?: string | undefined;
  /** Lines shown, 1-based and inclusive; absent if lines are not counted. */
  readonly lines?: readonly Span[] | undefined;
  /** Bytes shown, 0-based and half-open. */
  readonly bytes?: readonly Span[] | undefined;
  readonly totalLines?: number | undefined;
  readonly totalBytes?: number | undefined;
  /** The limit that cut it: a notice named the next call. */
  readonly cutBy?: string | undefined;
  /** Characters of the answer that are about it, where the call names several paths. */
  readonly shown?: number | undefined;
}

export type Span = readonly [number, number];

export interface ListFacts {
  /** Equal for equal questions, whatever their offset; says nothing about them. */
  readonly query: string;
  /** Entries that were left out first. */
  readonly from: number;
  /** The offset that a notice named. */
  readonly next?: number;
  readonly cutBy?: string;
}

/** The model's provider refused a request of the host: too many, or too much. */
export interface RateLimitEvent extends TaskEvent {
  readonly kind: 'rate-limit';
  /** Seconds after which it may be tried again, where the provider said so. */
  readonly retryAfter?: number;
  /** Who refused, in the host's words. */
  readonly by?: string;
}

/**
 * A call that has ended, of which an event is made later. It holds small things alone, and nothing of the answer: what
 * is done here is done while somebody waits for that.
 */
export interface CallNote {
  /** As its caller named it. */
  readonly task: string | undefined;
  readonly caller: object | undefined;
  readonly host: string | undefined;
  readonly dialect: string;
  readonly tool: string;
  /** As `performance.now()` counts. */
  readonly began: number;
  readonly ms: number;
  readonly bytes: number;
  readonly images: number | undefined;
  readonly error: string | undefined;
  /** What was read, where that was one text; otherwise it is in `reads`. */
  readonly text: TextNote | undefined;
  readonly reads: readonly ReadFacts[] | undefined;
  readonly list: ListFacts | undefined;
}

/** A text that was read. */
export interface TextNote {
  /** One object for all calls that read the same text. */
  readonly of: Pick<ReadFacts, 'source' | 'version'>;
  readonly kind: string;
  readonly view: string | undefined;
  readonly window: Window | undefined;
  readonly cutBy: string | undefined;
  readonly totals: { readonly lines?: number | undefined; readonly bytes?: number | undefined };
  /** Of a text that is shown in one part: its lines and bytes, as `ReadFacts` has them; otherwise they are in `spans`. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly spans: Pick<ReadFacts, 'lines' | 'bytes'> | undefined;
}

/** Whose call it is. */
export interface CallOrigin {
  /** The name of its task. */
  readonly task?: string | undefined;
  readonly caller?: object | undefined;
}

/** What is counted of a task. */
export interface TaskCounts {
  readonly calls: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly errors: number;
  readonly continued: number;
  readonly saved: number;
  readonly rateLimits: number;
  /** Bytes of texts that were shown for the first time, and once more. */
  readonly fresh: number;
  readonly again: number;
}

/** A task's totals so far, as an answer carries them on request. */
export interface TaskTotals {
  readonly id: string;
  readonly calls: number;
  readonly bytes: number;
  readonly tokens: number;
  /** Bytes of an average answer. */
  readonly averageBytes: number;
  readonly errors: number;
  /** Calls that continued where a notice had said. */
  readonly continued: number;
  /** Share of the shown bytes that had been shown before, 0 to 1. */
  readonly redundancy: number;
  /** Calls that a larger window would have saved. */
  readonly saved: number;
  readonly rateLimits: number;
}

/** Some events of a task, and the number of the event after them. */
export interface EventsPage {
  readonly events: readonly TelemetryEvent[];
  readonly next: number;
}

/** How far a file of events has been read. */
export interface FileState {
  readonly events: number;
  /** Lines that are not events; a last one that is still being written is one of them. */
  readonly skipped: number;
  /** Events of which only the call was counted, for want of room. */
  readonly withoutReads: number;
  /** Bytes that were read, and bytes of the file with its rotated parts. */
  readonly read: number;
  readonly size: number;
}

/** Where calls are recorded. Nothing here throws or waits. */
export interface TelemetrySink {
  record(call: CallNote, trace: TraceOrigin | undefined): void;
  /** Throws OrielError (`BAD_INPUT`) for what is not a rate limit. */
  reportRateLimit(
    reported: { readonly retryAfter?: number | undefined; readonly by?: string | undefined },
    origin: CallOrigin,
  ): void;
  /** Of the task of such a call, on all replicas that have counted it; undefined before its first one. */
  totals(origin: CallOrigin): Promise<TaskTotals | undefined>;
}

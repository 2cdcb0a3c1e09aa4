/** The events of telemetry: in a ring buffer in memory, and in a file as lines of JSON. They contain no content. */

export type TelemetryEvent = CallEvent | RateLimitEvent;

interface TaskEvent {
  /** Milliseconds since the epoch: when the call began. */
  readonly at: number;
  /** The name that the caller gave, otherwise the name of its session. */
  readonly task: string;
  /** Distinguishes the clients of a server; absent if there is only one. */
  readonly client?: string | undefined;
}

export interface CallEvent extends TaskEvent {
  readonly kind: 'call';
  /** Milliseconds from the call to its answer. */
  readonly ms: number;
  readonly dialect: string;
  readonly tool: string;
  /** The client program, by the name that it gave. */
  readonly host?: string | undefined;
  /** Bytes of the text of the answer. */
  readonly bytes: number;
  /** Estimated: four bytes a token. */
  readonly tokens: number;
  readonly images?: number | undefined;
  /** The stable code of a failure. */
  readonly error?: string | undefined;
  /** What was read: one for each path, in the order of the answer. */
  readonly reads?: readonly ReadFacts[] | undefined;
  /** If the answer is a list: matches, paths, entries. */
  readonly list?: ListFacts | undefined;
}

/** A part of one text. Offsets refer to the stored text, or to the text that was derived from it. */
export interface ReadFacts {
  /** What was read, without its selector. */
  readonly source: string;
  /** `file`, `archive`, `document`, …; absent if nothing was opened. */
  readonly what?: string | undefined;
  /** Equal for equal bytes. */
  readonly version?: string | undefined;
  /** A derived text: `map`, `outline`, `conflicts`. Absent for the text itself, raw or not. */
  readonly view?: string | undefined;
  /** The requested window, in the syntax of a selector: `50..100`, `@65536+65536`, `-20`. */
  readonly window?: string | undefined;
  /** Lines shown, 1-based and inclusive; absent if lines are not counted. */
  readonly lines?: readonly NumberSpan[] | undefined;
  /** Bytes shown, 0-based and half-open. */
  readonly bytes?: readonly NumberSpan[] | undefined;
  readonly totalLines?: number | undefined;
  readonly totalBytes?: number | undefined;
  /** The limit that cut it; then a notice named the next call. */
  readonly cutBy?: string | undefined;
  /** Characters of its part of the answer, if the call names several paths. */
  readonly shown?: number | undefined;
}

export type NumberSpan = readonly [number, number];

export interface ListFacts {
  /** A hash: equal for equal queries, whatever their offset. It reveals nothing about them. */
  readonly query: string;
  /** Number of entries that were skipped. */
  readonly from: number;
  /** The offset of the next page, as a notice named it. */
  readonly next?: number | undefined;
  readonly cutBy?: string | undefined;
}

/** The model's provider refused a request of the host because of a rate limit. */
interface RateLimitEvent extends TaskEvent {
  readonly kind: 'rate-limit';
  /** Seconds after which the request may be repeated, if the provider said so. */
  readonly retryAfter?: number | undefined;
  /** The provider, as the host named it. */
  readonly by?: string | undefined;
}

/** The task and the caller of a call. */
export interface CallOrigin {
  /** The name of its task. */
  readonly task?: string | undefined;
  readonly caller?: object | undefined;
}

/** What is recorded when a call ends. `task` is the name that its caller gave. */
export type CallNote = CallOrigin & Omit<CallEvent, 'kind' | 'task' | 'client' | 'tokens'>;

/** The counters of a task. */
export interface TaskCounts {
  readonly calls: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly errors: number;
  /** Number of calls that a notice had suggested as the next page. */
  readonly continued: number;
  /** Number of calls that a larger window would have saved. */
  readonly saved: number;
  readonly rateLimits: number;
  /** Bytes of text that were shown for the first time, and bytes that were shown again. */
  readonly fresh: number;
  readonly again: number;
}

/** Calls over time: how many in each interval of `step` milliseconds, the first of which begins at `from`. */
export interface PaceReport {
  /** Milliseconds since the epoch; 0 without calls. */
  readonly from: number;
  readonly step: number;
  readonly calls: readonly number[];
}

/** The totals of a task so far. An answer contains them on request. */
export interface TaskTotals extends Omit<TaskCounts, 'fresh' | 'again'> {
  readonly id: string;
  /** Bytes of an average answer. */
  readonly averageBytes: number;
  /** The share of the shown bytes that had been shown before, 0 to 1. */
  readonly redundancy: number;
}

/** Some events of a task, and the number of the event after them. */
export interface EventsPage {
  readonly events: readonly TelemetryEvent[];
  readonly next: number;
}

/** How far a file of events has been read. */
export interface FileState {
  readonly events: number;
  /** Number of lines that are not events, including an incomplete last line. */
  readonly skipped: number;
  /** Number of events of which only the call was counted, because the limit of tracked data was reached. */
  readonly withoutReads: number;
  /** Bytes read so far, and bytes of the file with its rotated parts. */
  readonly read: number;
  readonly size: number;
}

/** Records calls. `record` neither throws nor blocks. */
export interface TelemetrySink {
  record(call: CallNote, trace: TraceOrigin | undefined): void;
  /** Throws OrielError (`BAD_INPUT`) for invalid fields. */
  reportRateLimit(
    reported: { readonly retryAfter?: number | undefined; readonly by?: string | undefined },
    origin: CallOrigin,
  ): void;
  /** The totals of the task of such a call, over all replicas; undefined before its first call. */
  totals(origin: CallOrigin): Promise<TaskTotals | undefined>;
}

// The origin of a call, for distributed tracing.

export interface TraceOrigin {
  /** The header of W3C Trace Context: `00-4bf9…-00f0…-01`. An invalid one is ignored. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** Set for a request of the Model Context Protocol. */
  readonly mcp?: McpOrigin | undefined;
}

export interface McpOrigin {
  readonly method: string;
  readonly requestId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly transport: 'pipe' | 'tcp';
}

// The report on a task: its sources, its most expensive habits, and whether larger windows reduced calls.

/** All figures of a task. */
export interface TaskReport extends TaskTotals, TaskCounts {
  readonly client?: string | undefined;
  /** Times of the first and of the last event, in milliseconds since the epoch. */
  readonly first: number;
  readonly last: number;
  /** Duration of all its calls, in milliseconds. */
  readonly ms: number;
  /** Bytes of the largest answer. */
  readonly largest: number;
  /** Number of reads, and of those that were not the first of their source. */
  readonly reads: number;
  readonly repeated: number;
  /** Number of page chains: reads of which each continues where an earlier one ended. */
  readonly chains: number;
  /** Number of calls by tool, the most frequent first; likewise by limit, error code, host and dialect. */
  readonly tools: Readonly<Record<string, number>>;
  readonly cuts: Readonly<Record<string, number>>;
  readonly codes: Readonly<Record<string, number>>;
  readonly hosts: Readonly<Record<string, number>>;
  readonly dialects: Readonly<Record<string, number>>;
  /** Number of sources; `files` may list fewer. */
  readonly sources: number;
  /** Reads of the sources above the maximum that is tracked: `fresh`, `again` and `chains` do not include them. */
  readonly others?: { readonly reads: number; readonly bytes: number } | undefined;
  /** The most wasteful first. */
  readonly files: readonly FileReport[];
  /** The most expensive first. */
  readonly habits: readonly HabitReport[];
  readonly sizes: readonly SizeReport[];
  readonly verdict: ReportVerdict;
  /** The totals of all replicas, if they share a state. All other figures are of this replica. */
  readonly everywhere?: TaskTotals | undefined;
}

export interface FileReport {
  readonly source: string;
  readonly what?: string | undefined;
  readonly reads: number;
  /** Bytes of its answers. */
  readonly bytes: number;
  /** The share of its shown bytes that had been shown before, 0 to 1. */
  readonly redundancy: number;
  readonly followed: number;
  /** Number of versions that were read. The following fields are about the last one. */
  readonly versions: number;
  readonly unit: 'lines' | 'bytes';
  readonly total?: number | undefined;
  /** Number of lines or bytes shown once, more than once, never. */
  readonly once: number;
  readonly again: number;
  readonly never?: number | undefined;
  /** There were too many parts: adjacent ones were joined. */
  readonly approximate?: boolean | undefined;
  /** `[from, to, times]`: 0-based and half-open, sorted. */
  readonly stretches: readonly (readonly [number, number, number])[];
  /** Answers with a map or an outline, and whether any of the text was read after the last one. */
  readonly maps?: number | undefined;
  readonly mapFollowed?: boolean | undefined;
}

/**
 * `whole`: a text was read completely, then a part of it again. `again`: the same range was requested again. `map`: a map
 * was requested and no part of the text read after it.
 */
export type HabitName = 'whole' | 'again' | 'map';

export interface HabitReport {
  readonly name: HabitName;
  readonly times: number;
  /** Bytes of answers that a cheaper call would have saved. */
  readonly bytes: number;
  /** Estimated: four bytes a token. */
  readonly tokens: number;
  /** The most expensive first. */
  readonly examples: readonly HabitExample[];
}

export interface HabitExample {
  readonly source: string;
  readonly bytes: number;
  readonly tokens: number;
  /** The dialect of the expensive call. */
  readonly dialect: string;
  /** The better call, in the syntax of that dialect; absent if no call was needed, or if there is no better one. */
  readonly instead?: string | undefined;
  /** The same call as a path with a selector, which the lens accepts for every dialect. */
  readonly path?: string | undefined;
}

/** Texts over 8 KiB by the size of the first answer about them: below 8 KiB, below 32 KiB, larger. */
export interface SizeReport {
  readonly size: 'small' | 'middle' | 'large';
  readonly sources: number;
  /** Number of reads of these sources. */
  readonly reads: number;
  /** Reads that were a later page. */
  readonly pages: number;
  /** Bytes of its answers. */
  readonly bytes: number;
}

/** Whether larger windows reduced calls, and the figures in a sentence. */
export interface ReportVerdict {
  readonly reduced: 'yes' | 'no' | 'unknown';
  readonly text: string;
}

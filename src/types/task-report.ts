/** The report on a task: its sources, its most expensive habits, and whether larger windows reduced calls. */

import type { TaskTotals } from './telemetry.ts';

/** All figures of a task. */
export interface TaskReport extends TaskTotals {
  readonly client?: string;
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
  /** Bytes of text that were shown for the first time, and bytes that were shown again. */
  readonly fresh: number;
  readonly again: number;
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
  readonly others?: { readonly reads: number; readonly bytes: number };
  /** The most wasteful first. */
  readonly files: readonly FileReport[];
  /** The most expensive first. */
  readonly habits: readonly Habit[];
  readonly sizes: readonly SizeReport[];
  readonly verdict: Verdict;
  /** The totals of all replicas, if they share a state. All other figures are of this replica. */
  readonly everywhere?: TaskTotals;
}

export interface FileReport {
  readonly source: string;
  readonly what?: string;
  readonly reads: number;
  /** Bytes of its answers. */
  readonly bytes: number;
  /** The share of its shown bytes that had been shown before, 0 to 1. */
  readonly redundancy: number;
  readonly followed: number;
  /** Number of versions that were read. The following fields are about the last one. */
  readonly versions: number;
  readonly unit: 'lines' | 'bytes';
  readonly total?: number;
  /** Number of lines or bytes shown once, more than once, never. */
  readonly once: number;
  readonly again: number;
  readonly never?: number;
  /** There were too many parts: adjacent ones were joined. */
  readonly approximate?: boolean;
  /** `[from, to, times]`: 0-based and half-open, sorted. */
  readonly stretches: readonly (readonly [number, number, number])[];
  /** Answers with a map or an outline, and whether any of the text was read after the last one. */
  readonly maps?: number;
  readonly mapFollowed?: boolean;
}

/**
 * `whole`: a text was read completely, then a part of it again. `again`: the same range was requested again. `map`: a map
 * was requested and no part of the text read after it. `pages`: pages that one larger window would have shown.
 */
export type HabitName = 'whole' | 'again' | 'map' | 'pages';

export interface Habit {
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
  readonly instead?: string;
  /** The same call as a path with a selector, which the lens accepts for every dialect. */
  readonly path?: string;
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
export interface Verdict {
  readonly reduced: 'yes' | 'no' | 'unknown';
  readonly text: string;
}

/** All that is told of a task: of its sources, of the habits that cost most, and whether larger windows helped. */

import type { TaskTotals } from './telemetry.ts';

/** All figures of a task. */
export interface TaskReport extends TaskTotals {
  readonly client?: string;
  /** Milliseconds since the epoch: of the first event and of the last. */
  readonly first: number;
  readonly last: number;
  /** Milliseconds that its calls took. */
  readonly ms: number;
  /** Bytes of the largest answer. */
  readonly largest: number;
  /** Times that a source was read, and those of them that were not the first. */
  readonly reads: number;
  readonly repeated: number;
  /** Bytes of texts that were shown for the first time, and once more. */
  readonly fresh: number;
  readonly again: number;
  /** Runs of reads of which each continues where one before has ended. */
  readonly chains: number;
  /** Calls by tool, the most first; and so on. */
  readonly tools: Readonly<Record<string, number>>;
  readonly cuts: Readonly<Record<string, number>>;
  readonly codes: Readonly<Record<string, number>>;
  readonly hosts: Readonly<Record<string, number>>;
  readonly dialects: Readonly<Record<string, number>>;
  /** How many there are; `files` may hold fewer. */
  readonly sources: number;
  /** Reads of further sources, which are too many to be distinguished: `fresh`, `again` and chains are without them. */
  readonly others?: { readonly reads: number; readonly bytes: number };
  /** The most wasteful first. */
  readonly files: readonly FileReport[];
  /** The most expensive first. */
  readonly habits: readonly Habit[];
  readonly sizes: readonly SizeReport[];
  readonly verdict: Verdict;
  /** The totals of all replicas, where they share a state; all else is of one. */
  readonly everywhere?: TaskTotals;
}

export interface FileReport {
  readonly source: string;
  readonly what?: string;
  readonly reads: number;
  /** Of answers. */
  readonly bytes: number;
  /** Share of what was shown of it that had been shown before, 0 to 1. */
  readonly redundancy: number;
  readonly followed: number;
  /** Versions that were read; the rest is about the last one. */
  readonly versions: number;
  readonly unit: 'lines' | 'bytes';
  readonly total?: number;
  /** Units shown once, more than once, never. */
  readonly once: number;
  readonly again: number;
  readonly never?: number;
  /** Neighbouring parts were joined, for want of room. */
  readonly approximate?: boolean;
  /** `[from, to, times]`: 0-based and half-open, sorted. */
  readonly stretches: readonly (readonly [number, number, number])[];
  /** Answers with a map or an outline, and whether any of the text was read after the last one. */
  readonly maps?: number;
  readonly mapFollowed?: boolean;
}

/**
 * `whole`: a text read whole of which a part was then read again. `again`: ranges asked again. `map`: maps that nothing
 * followed. `pages`: pages that one larger window would have shown.
 */
export type HabitName = 'whole' | 'again' | 'map' | 'pages';

export interface Habit {
  readonly name: HabitName;
  readonly times: number;
  /** Of answers, that a cheaper call would have spared. */
  readonly bytes: number;
  /** Estimated, as those of the answers. */
  readonly tokens: number;
  /** The most expensive first. */
  readonly examples: readonly HabitExample[];
}

export interface HabitExample {
  readonly source: string;
  readonly bytes: number;
  readonly tokens: number;
  /** Of the call that cost it. */
  readonly dialect: string;
  /** The call to make instead, as that dialect writes it; absent if none was needed, or if there is none. */
  readonly instead?: string;
  /** The same as a path with a selector, which the lens takes for every dialect. */
  readonly path?: string;
}

/** Texts over 8 KiB by the size of the first answer about them: below 8 KiB, below 32 KiB, larger. */
export interface SizeReport {
  readonly size: 'small' | 'middle' | 'large';
  readonly sources: number;
  /** Of these sources, in all. */
  readonly reads: number;
  /** Reads that were a later page. */
  readonly pages: number;
  /** Of answers. */
  readonly bytes: number;
}

/** Whether larger windows reduced calls, and the figures in a sentence. */
export interface Verdict {
  readonly reduced: 'yes' | 'no' | 'unknown';
  readonly text: string;
}

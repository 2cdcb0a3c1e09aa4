/** Computes the figures of a task from its events: calls, bytes, pages, repeated reads. Also runs in a browser. */

import type {
  CallEvent,
  PaceReport,
  ReadFacts,
  SizeReport,
  TaskCounts,
  TaskTotals,
  TelemetryEvent,
} from '../types/telemetry.ts';
import { FileFigures, type PageChain, type ReadPlacement } from './file-figures.ts';
import { HabitFigures, sourceDirectories } from './habits.ts';

const MAX_TASK_SOURCES = 500;

const MAX_TRACKED_LISTS = 32;

const MAX_TASK_CHAINS = 1_000;

const NO_READS: readonly ReadFacts[] = [];

const UNTOLD: ReadPlacement = { followed: false, fresh: 0, again: 0, knownWhole: false, spare: false };

/** How an event relates to those before it. */
export interface PlacedEvent {
  /** In the order of `reads` of the event. */
  readonly reads: readonly ReadPlacement[];
  /** Whether it followed a notice. */
  readonly followed: boolean;
}

export class TaskFigures {
  readonly id: string;
  readonly client: string | undefined;
  first = 0;
  last = 0;
  calls = 0;
  bytes = 0;
  tokens = 0;
  largest = 0;
  errors = 0;
  ms = 0;
  /** Number of reads, and of reads of a source that had been read before. */
  reads = 0;
  repeated = 0;
  continued = 0;
  fresh = 0;
  again = 0;
  rateLimits = 0;
  /** Number of calls whose reads an earlier, larger window would have shown. */
  saved = 0;
  readonly tools: NameCounts = new NameCounts();
  readonly cuts: NameCounts = new NameCounts();
  readonly codes: NameCounts = new NameCounts();
  readonly hosts: NameCounts = new NameCounts();
  readonly dialects: NameCounts = new NameCounts();
  readonly files: Map<string, FileFigures> = new Map();
  readonly habits: HabitFigures = new HabitFigures();
  readonly sizes: WindowSizes = new WindowSizes();
  readonly pace: CallPace = new CallPace();
  /** Chains of more than one call. */
  readonly chains: Set<PageChain> = new Set();
  /** Number of reads of sources that are not tracked in `files`, and the bytes of their answers. */
  otherReads = 0;
  otherBytes = 0;
  readonly #lists: Map<string, number> = new Map();
  #chainCount = 0;
  #filesWeight = 0;

  constructor(id: string, client?: string) {
    this.id = id;
    this.client = client;
  }

  add(event: TelemetryEvent): PlacedEvent {
    this.first = this.first === 0 ? event.at : Math.min(this.first, event.at);
    this.last = Math.max(this.last, event.at);
    if (event.kind === 'call') return this.#addCall(event);
    this.rateLimits += 1;
    return { reads: [], followed: false };
  }

  /** A measure of memory: the number of stretches, sources, chains and examples. */
  get weight(): number {
    return this.#filesWeight + this.chains.size + this.habits.weight;
  }

  /** Stored bytes of all sources that were read: what reading each of them whole, once, would have shown. */
  get whole(): number {
    let bytes = 0;
    for (const file of this.files.values()) bytes += file.whole;
    return bytes;
  }

  get totals(): TaskTotals {
    return totalsOf(this.id, this);
  }

  #addCall(event: CallEvent): PlacedEvent {
    const { tool, bytes, tokens, ms, error, host, dialect, reads = NO_READS, list } = event;
    this.calls += 1;
    this.pace.add(event.at);
    this.bytes += bytes;
    this.tokens += tokens;
    this.ms += ms;
    this.largest = Math.max(this.largest, bytes);
    this.tools.add(tool);
    this.dialects.add(dialect);
    if (host !== undefined) this.hosts.add(host);
    if (error !== undefined) {
      this.errors += 1;
      this.codes.add(error);
      return { reads: [], followed: false };
    }
    for (const { cutBy } of reads) if (cutBy !== undefined) this.cuts.add(cutBy);
    if (list?.cutBy !== undefined) this.cuts.add(list.cutBy);
    const placed = this.#addReads(event, reads);
    let followed = list !== undefined && this.#follows(list);
    let spare = placed.length > 0;
    for (const one of placed) {
      followed ||= one.followed;
      spare &&= one.spare;
    }
    if (spare) this.saved += 1;
    if (followed) this.continued += 1;
    return { reads: placed, followed };
  }

  /** The fast path is a call with one read. */
  #addReads(event: CallEvent, reads: readonly ReadFacts[]): readonly ReadPlacement[] {
    const [first] = reads;
    if (first && reads.length === 1) return [this.#addRead(event, first, event.bytes)];
    const answered = sharesOf(event.bytes, reads);
    return reads.map((read, i) => this.#addRead(event, read, answered[i] ?? 0));
  }

  #addRead(event: CallEvent, read: ReadFacts, answerBytes: number): ReadPlacement {
    this.reads += 1;
    const file = this.#fileOf(read.source);
    if (!file) {
      this.otherReads += 1;
      this.otherBytes += answerBytes;
      return UNTOLD;
    }
    if (this.habits.hasMaps) this.#followMaps(read.source);
    const before = file.reads === 0 ? 0 : file.weight;
    const placed = file.add(read, answerBytes);
    this.#filesWeight += file.weight - before;
    if (file.reads > 1) this.repeated += 1;
    this.fresh += placed.fresh;
    this.again += placed.again;
    if (placed.chain && placed.chain.calls > 1 && this.chains.size < MAX_TASK_CHAINS)
      this.chains.add(placed.chain);
    this.habits.add(event, read, { file, placed, answerBytes });
    if (read.bytes && read.view === undefined) this.sizes.add(file, placed, answerBytes);
    return placed;
  }

  /** A read below a directory counts as following the map of the directory. */
  #followMaps(source: string): void {
    for (const directory of sourceDirectories(source)) {
      this.habits.follow(directory);
      const file = this.files.get(directory);
      if (file) file.mapFollowed = true;
    }
  }

  /** Undefined above the maximum: several sources counted as one would look like repeated reads. */
  #fileOf(source: string): FileFigures | undefined {
    let file = this.files.get(source);
    if (!file && this.files.size < MAX_TASK_SOURCES)
      this.files.set(source, (file = new FileFigures(source, () => (this.#chainCount += 1))));
    return file;
  }

  #follows({ query, from, next }: NonNullable<CallEvent['list']>): boolean {
    const followed = this.#lists.get(query) === from && from > 0;
    this.#lists.delete(query);
    if (next !== undefined) this.#lists.set(query, next);
    if (this.#lists.size > MAX_TRACKED_LISTS) {
      for (const oldest of this.#lists.keys()) {
        this.#lists.delete(oldest);
        break;
      }
    }
    return followed;
  }
}

/** Divides the bytes of an answer among its reads: by the recorded `shown`, otherwise by the shown bytes of the texts. */
function sharesOf(bytes: number, reads: readonly ReadFacts[]): readonly number[] {
  const known = reads.map(({ shown }) => shown ?? 0);
  const shown = reads.map(({ bytes: of = [] }) => of.reduce((sum, [from, to]) => sum + to - from, 0));
  const weights = known.some((weight) => weight > 0) ? known : shown;
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (all === 0 ? bytes / reads.length : (bytes * weight) / all));
}

const MAX_PACE_INTERVALS = 60;

/**
 * Counts calls over time, in intervals that are doubled when there are too many. They begin at multiples of their length, so that
 * those of several tasks can be added.
 */
export class CallPace {
  /** Milliseconds of an interval. */
  #step = 1_000;
  /** By the number of the interval: `at / step`, rounded down. */
  #counts = new Map<number, number>();
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;

  /** `at`: milliseconds since the epoch. */
  add(at: number, calls = 1): void {
    const interval = Math.floor(at / this.#step);
    this.#counts.set(interval, (this.#counts.get(interval) ?? 0) + calls);
    this.#low = Math.min(this.#low, interval);
    this.#high = Math.max(this.#high, interval);
    while (this.#high - this.#low >= MAX_PACE_INTERVALS) this.#double();
  }

  addAll(other: CallPace): void {
    while (this.#step < other.#step) this.#double();
    for (const [interval, calls] of other.#counts) this.add(interval * other.#step, calls);
  }

  /** `calls` of each interval of `step` milliseconds, the first of which begins at `from`. */
  get intervals(): PaceReport {
    const calls: number[] = [];
    for (let at = this.#low; at <= this.#high; at += 1) calls.push(this.#counts.get(at) ?? 0);
    return { from: calls.length === 0 ? 0 : this.#low * this.#step, step: this.#step, calls };
  }

  #double(): void {
    const counts = this.#counts;
    this.#step *= 2;
    this.#counts = new Map();
    this.#low = Math.floor(this.#low / 2);
    this.#high = Math.floor(this.#high / 2);
    for (const [interval, calls] of counts) {
      const wider = Math.floor(interval / 2);
      this.#counts.set(wider, (this.#counts.get(wider) ?? 0) + calls);
    }
  }
}

// The counters of a task. Replicas that each saw a part of its calls can add them.

export const NO_COUNTS: TaskCounts = {
  calls: 0,
  bytes: 0,
  tokens: 0,
  errors: 0,
  continued: 0,
  saved: 0,
  rateLimits: 0,
  fresh: 0,
  again: 0,
};

const COUNT_NAMES = Object.keys(NO_COUNTS) as readonly (keyof TaskCounts)[];

export function countsOf(counted: TaskCounts): TaskCounts {
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, counted[name]])) as unknown as TaskCounts;
}

export function sumTaskCounts(parts: readonly TaskCounts[]): TaskCounts {
  const sum = (name: keyof TaskCounts): number => parts.reduce((all, part) => all + part[name], 0);
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, sum(name)])) as unknown as TaskCounts;
}

export function totalsOf(id: string, counts: TaskCounts): TaskTotals {
  const { calls, bytes, tokens, errors, continued, saved, rateLimits, fresh, again } = counts;
  return {
    id,
    calls,
    bytes,
    tokens,
    averageBytes: calls === 0 ? 0 : Math.round(bytes / calls),
    errors,
    continued,
    redundancy: share(again, again + fresh),
    saved,
    rateLimits,
  };
}

/** `part / whole`, 0 to 1, with three digits after the point. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 1_000;
}

// Counts names: tools, limits, error codes. Names above a maximum are counted together as `others`.

const MAX_COUNTED_NAMES = 50;

const OTHERS = 'others';

class NameCounts {
  readonly #counts = new Map<string, { times: number }>();

  add(name: string): void {
    const known = this.#counts.get(name);
    if (known) known.times += 1;
    else if (this.#counts.size < MAX_COUNTED_NAMES || name === OTHERS) this.#counts.set(name, { times: 1 });
    else this.add(OTHERS);
  }

  /** The most frequent first. */
  sorted(): Readonly<Record<string, number>> {
    const all = Array.from(this.#counts, ([name, { times }]) => [name, times] as const);
    return Object.fromEntries(all.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  }
}

// Counts sources by the size of the first answer about them, with all reads of each size until the end of the task. This
// shows whether larger windows reduced calls.

/** Exclusive upper bound of each size, in bytes of the first answer. */
const BOUNDS = [8 * 1024, 32 * 1024, Number.POSITIVE_INFINITY] as const;

const SIZE_NAMES = ['small', 'middle', 'large'] as const;

class WindowSizes {
  readonly sizes: readonly { -readonly [K in keyof SizeReport]: SizeReport[K] }[] = SIZE_NAMES.map(
    (size) => ({
      size,
      sources: 0,
      reads: 0,
      pages: 0,
      bytes: 0,
    }),
  );
  /** By source: the index of its size, for the version that was read last. */
  readonly #sizeOf = new WeakMap<FileFigures, { readonly index: number; readonly version: number }>();

  /** Ignores texts that are not larger than the smallest window. */
  add(file: FileFigures, { chain }: ReadPlacement, answerBytes: number): void {
    if ((file.totalBytes ?? Number.POSITIVE_INFINITY) <= BOUNDS[0]) return;
    const last = this.#sizeOf.get(file);
    // A changed text counts as a new one.
    const known = last?.version === file.versions ? last.index : undefined;
    const index = known ?? BOUNDS.findIndex((most) => answerBytes < most);
    const size = this.sizes[index];
    if (!size) return;
    if (known === undefined) {
      this.#sizeOf.set(file, { index, version: file.versions });
      size.sources += 1;
    }
    size.reads += 1;
    size.bytes += answerBytes;
    size.pages += Number((chain?.calls ?? 0) > 1);
  }
}

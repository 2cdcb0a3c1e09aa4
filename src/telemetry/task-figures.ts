/** Computes the figures of a task from its events: calls, bytes, pages, repeated reads. Also runs in a browser. */

import type { CallEvent, ReadFacts, TaskTotals, TelemetryEvent } from '../types/telemetry.ts';
import { directoriesOf } from './call-for.ts';
import { Counts } from './counts.ts';
import { type Chain, FileFigures, type Placed } from './file-figures.ts';
import { Habits } from './habits.ts';
import { totalsOf } from './task-counts.ts';
import { WindowSizes } from './window-sizes.ts';

/** Maximum sources of a task that are tracked. */
const MOST_FILES = 500;

/** Maximum lists whose next page is tracked. */
const MOST_LISTS = 32;

/** Maximum chains of more than one call. */
const MOST_CHAINS = 1_000;

const NO_READS: readonly ReadFacts[] = [];

const UNTOLD: Placed = { followed: false, fresh: 0, again: 0, knownWhole: false, spare: false };

/** How an event relates to those before it. */
export interface PlacedEvent {
  /** In the order of `reads` of the event. */
  readonly reads: readonly Placed[];
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
  readonly tools: Counts = new Counts();
  readonly cuts: Counts = new Counts();
  readonly codes: Counts = new Counts();
  readonly hosts: Counts = new Counts();
  readonly dialects: Counts = new Counts();
  readonly files: Map<string, FileFigures> = new Map();
  readonly habits: Habits = new Habits();
  readonly sizes: WindowSizes = new WindowSizes();
  /** Chains of more than one call. */
  readonly chains: Set<Chain> = new Set();
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

  get totals(): TaskTotals {
    return totalsOf(this.id, this);
  }

  #addCall(event: CallEvent): PlacedEvent {
    const { tool, bytes, tokens, ms, error, host, dialect, reads = NO_READS, list } = event;
    this.calls += 1;
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
    if (spare) {
      this.saved += 1;
      this.habits.spared(event, placed);
    }
    if (followed) this.continued += 1;
    return { reads: placed, followed };
  }

  /** The fast path is a call with one read. */
  #addReads(event: CallEvent, reads: readonly ReadFacts[]): readonly Placed[] {
    const [first] = reads;
    if (first && reads.length === 1) return [this.#addRead(event, first, event.bytes)];
    const answered = sharesOf(event.bytes, reads);
    return reads.map((read, i) => this.#addRead(event, read, answered[i] ?? 0));
  }

  #addRead(event: CallEvent, read: ReadFacts, answerBytes: number): Placed {
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
    if (placed.chain && placed.chain.calls > 1 && this.chains.size < MOST_CHAINS)
      this.chains.add(placed.chain);
    this.habits.add(event, read, { file, placed, answerBytes });
    if (read.bytes && read.view === undefined) this.sizes.add(file, placed, answerBytes);
    return placed;
  }

  /** A read below a directory counts as following the map of the directory. */
  #followMaps(source: string): void {
    for (const directory of directoriesOf(source)) {
      this.habits.follow(directory);
      const file = this.files.get(directory);
      if (file) file.mapFollowed = true;
    }
  }

  /** Undefined above the maximum: several sources counted as one would look like repeated reads. */
  #fileOf(source: string): FileFigures | undefined {
    let file = this.files.get(source);
    if (!file && this.files.size < MOST_FILES)
      this.files.set(source, (file = new FileFigures(source, () => (this.#chainCount += 1))));
    return file;
  }

  #follows({ query, from, next }: NonNullable<CallEvent['list']>): boolean {
    const followed = this.#lists.get(query) === from && from > 0;
    this.#lists.delete(query);
    if (next !== undefined) this.#lists.set(query, next);
    if (this.#lists.size > MOST_LISTS) {
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
  const weights = known.some((weight) => weight > 0) ? known : reads.map(shownOfText);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (all === 0 ? bytes / reads.length : (bytes * weight) / all));
}

function shownOfText({ bytes = [] }: ReadFacts): number {
  return bytes.reduce((sum, [from, to]) => sum + to - from, 0);
}

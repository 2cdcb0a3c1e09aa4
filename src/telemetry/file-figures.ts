/** The figures of one source in one task: how often it was read, which parts, in which chains of pages. */

import type { Mutable } from '../types/excerpt.ts';
import type { NumberSpan, ReadFacts } from '../types/telemetry.ts';

/** How a read relates to the earlier ones of the same source. */
export interface ReadPlacement {
  /** The chain of pages that it belongs to. */
  readonly chain?: PageChain | undefined;
  /** Whether it begins where an earlier answer was cut. */
  readonly followed: boolean;
  /** Stored bytes of the text that had not been shown before in the task. */
  readonly fresh: number;
  /** Stored bytes of the text that had been shown before. */
  readonly again: number;
  /** Whether all of the text had been shown before, in one answer or in pages. */
  readonly knownWhole: boolean;
  /** Whether a window of the maximum size earlier in the chain would have shown it. */
  readonly spare: boolean;
}

/** A chain of pages: reads of one source, each of which continues where an earlier one ended. */
export interface PageChain {
  readonly id: number;
  /** Number of reads. */
  calls: number;
  /** Bytes of their answers. */
  bytes: number;
  /** Number of reads that followed a notice. */
  followed: number;
  /** Whether its pages go backwards; undefined for a single one. */
  isBackwards: boolean | undefined;
}

/** Maximum bytes of a window in any dialect. */
const MAX_USEFUL_WINDOW_BYTES = 256 * 1024;

/** The weight of a source, not counting its stretches. */
const FILE_WEIGHT = 8;

/** The number of last reads of which a new one may be the next page. */
const MAX_REMEMBERED_ENDS = 8;

const NO_SPANS: readonly NumberSpan[] = [];

interface End {
  readonly from: number;
  readonly to: number;
  readonly cut: boolean;
  /**
   * Whether its window was the end of the text, or lines before a byte: its next page is before it. Undefined without a
   * window: of an output of a command the end is shown, of a file the start.
   */
  readonly isTail: boolean | undefined;
  readonly chain: PageChain;
}

export class FileFigures {
  readonly source: string;
  what: string | undefined;
  reads = 0;
  /** Bytes of all answers, and of those about the version that was read last. */
  answered = 0;
  answeredNow = 0;
  repeated = 0;
  followed = 0;
  fresh = 0;
  again = 0;
  versions = 0;
  /** Stored bytes of the text, of each version once: what reading it whole would have shown. */
  whole = 0;
  totalLines: number | undefined;
  totalBytes: number | undefined;
  /** Number of answers with a map or outline, and whether some of the text was read after the last one. */
  maps = 0;
  mapFollowed = true;
  /** Coverage of the version that was read last. */
  lines: TextCoverage = new TextCoverage();
  bytes: TextCoverage = new TextCoverage();
  readonly #nextChain: () => number;
  #version: string | undefined;
  /** Of the last reads, one for each chain; the oldest first. */
  #ends: readonly End[] = [];

  /** `nextChain` returns a new chain id within the task. */
  constructor(source: string, nextChain: () => number) {
    this.source = source;
    this.#nextChain = nextChain;
  }

  /** A measure of memory. */
  get weight(): number {
    return FILE_WEIGHT + this.lines.stretches.length + this.bytes.stretches.length;
  }

  /** `answerBytes`: the bytes of the answer that are about this read. */
  add(read: ReadFacts, answerBytes: number): ReadPlacement {
    this.#take(read);
    this.reads += 1;
    this.answered += answerBytes;
    this.answeredNow += answerBytes;
    if (this.reads > 1) this.repeated += 1;
    if (read.view !== undefined) return this.#addView(read);
    if (read.bytes) this.mapFollowed = true;
    const knownWhole = this.totalBytes !== undefined && this.bytes.covered >= this.totalBytes;
    let fresh = 0;
    let again = 0;
    for (const span of read.bytes ?? NO_SPANS) {
      const shown = this.bytes.add(span[0], span[1]);
      fresh += shown.fresh;
      again += shown.again;
    }
    for (const span of read.lines ?? NO_SPANS) this.lines.add(span[0], span[1] + 1);
    this.fresh += fresh;
    this.again += again;
    const placed = newlyPlaced(fresh, again, knownWhole && again > 0);
    this.#chain(placed, read, answerBytes);
    return placed;
  }

  /** For a new version the coverage starts from zero. */
  #take({ what, version, view, totalLines, totalBytes }: ReadFacts): void {
    this.what = what ?? this.what;
    const changed = version !== undefined && this.#version !== undefined && version !== this.#version;
    this.#version = version ?? this.#version;
    if (this.versions === 0 || changed) {
      this.versions += 1;
      this.lines = new TextCoverage();
      this.bytes = new TextCoverage();
      this.#ends = [];
      this.answeredNow = 0;
      this.totalLines = this.totalBytes = undefined;
    }
    // The totals of an outline are those of the outline, not of the text.
    if (view !== undefined && view !== 'map') return;
    this.totalLines = totalLines ?? this.totalLines;
    if (this.totalBytes === undefined) this.whole += totalBytes ?? 0;
    this.totalBytes = totalBytes ?? this.totalBytes;
  }

  #addView({ view }: ReadFacts): ReadPlacement {
    if (view === 'map' || view === 'outline') {
      this.maps += 1;
      this.mapFollowed = false;
    }
    return newlyPlaced(0, 0, false);
  }

  #chain(
    placed: Mutable<ReadPlacement>,
    { bytes = NO_SPANS, cutBy, window }: ReadFacts,
    answerBytes: number,
  ): void {
    const from = bytes[0]?.[0] ?? 0;
    const to = bytes[bytes.length - 1]?.[1] ?? 0;
    if (!(to > from)) return;
    // The latest read of which [from, to) is the next page.
    const before = this.#ends.findLast((end) => isNextPage(end, from, to));
    const followed =
      before !== undefined &&
      before.cut &&
      ((from === before.to && before.isTail !== true) || (to === before.from && before.isTail !== false));
    const chain = before?.chain ?? newChain(this.#nextChain());
    const windows = chain.calls === 0 ? 0 : windowsFor(chain.bytes);
    chain.calls += 1;
    chain.bytes += answerBytes;
    if (before) chain.isBackwards = from < before.from;
    if (followed) {
      chain.followed += 1;
      this.followed += 1;
    }
    const end: End = { from, to, cut: cutBy !== undefined, isTail: window?.startsWith('-'), chain };
    this.#ends = [...this.#ends.filter((one) => one !== before), end].slice(-MAX_REMEMBERED_ENDS);
    placed.chain = chain;
    placed.followed = followed;
    placed.spare = chain.calls > 1 && windowsFor(chain.bytes) === windows;
  }
}

/** A read without a chain so far. All fields in a fixed order, for speed. */
const newlyPlaced = (fresh: number, again: number, knownWhole: boolean): Mutable<ReadPlacement> => ({
  chain: undefined,
  followed: false,
  fresh,
  again,
  knownWhole,
  spare: false,
});

const newChain = (id: number): PageChain => ({
  id,
  calls: 0,
  bytes: 0,
  followed: 0,
  isBackwards: undefined,
});

/** The number of windows of the maximum size for this many bytes. */
function windowsFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / MAX_USEFUL_WINDOW_BYTES));
}

/**
 * Whether [from, to) continues a read forwards or backwards, without a gap between them, and in the direction of its chain: a
 * text of two pages that is read again is another chain.
 */
function isNextPage(end: End, from: number, to: number): boolean {
  const { isBackwards } = end.chain;
  const forwards = from > end.from && from <= end.to && to > end.to;
  const backwards = to < end.to && to >= end.from && from < end.from;
  return (forwards && isBackwards !== true) || (backwards && isBackwards !== false);
}

// Records which units of a text (lines or bytes) were shown, and how often.

/** Units [from, to) that were shown `times` times. */
interface CoverageStretch {
  readonly from: number;
  readonly to: number;
  readonly times: number;
}

interface CoverageGain {
  readonly fresh: number;
  readonly again: number;
}

/** Above this many stretches, adjacent ones are merged, so that memory is bounded. */
const MAX_COVERAGE_STRETCHES = 1_000;

/** Counts stop at this number. */
const MAX_COUNTED_TIMES = 9;

export class TextCoverage {
  #stretches: CoverageStretch[] = [];
  #approximate = false;
  #covered = 0;

  /** Sorted and disjoint; units between them were never shown. */
  get stretches(): readonly CoverageStretch[] {
    return this.#stretches;
  }

  /** Whether stretches were merged, so that they may contain units that were not shown. */
  get approximate(): boolean {
    return this.#approximate;
  }

  get covered(): number {
    return this.#covered;
  }

  get repeated(): number {
    return this.#stretches.reduce((sum, { from, to, times }) => sum + (times > 1 ? to - from : 0), 0);
  }

  /** Counts [from, to) as shown once more. */
  add(from: number, to: number): CoverageGain {
    if (!(to > from)) return { fresh: 0, again: 0 };
    const first = this.#firstEndingAfter(from);
    const around = this.#stretches[first];
    // The fast path when the same page is read again and again: all counts are at their maximum.
    if (around && around.from <= from && around.to >= to && around.times === MAX_COUNTED_TIMES)
      return { fresh: 0, again: to - from };
    const put: CoverageStretch[] = [];
    let at = from;
    let fresh = 0;
    let i = first;
    for (; i < this.#stretches.length; i += 1) {
      const known = this.#stretches[i] as CoverageStretch;
      if (known.from >= to) break;
      if (known.from < at) put.push({ ...known, to: at });
      if (known.from > at) {
        put.push({ from: at, to: known.from, times: 1 });
        fresh += known.from - at;
      }
      const end = Math.min(known.to, to);
      put.push({
        from: Math.max(known.from, at),
        to: end,
        times: Math.min(known.times + 1, MAX_COUNTED_TIMES),
      });
      if (known.to > to) put.push({ ...known, from: to });
      at = Math.max(at, end);
    }
    if (at < to) {
      put.push({ from: at, to, times: 1 });
      fresh += to - at;
    }
    this.#covered += fresh;
    this.#replace(first, i, put);
    return { fresh, again: to - from - fresh };
  }

  #firstEndingAfter(at: number): number {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle] as CoverageStretch).to > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Replaces the stretches at indexes [first, end), and merges them with neighbours that have the same count. */
  #replace(first: number, end: number, put: readonly CoverageStretch[]): void {
    const [start, stop] = [Math.max(0, first - 1), Math.min(this.#stretches.length, end + 1)];
    const around = [...this.#stretches.slice(start, first), ...put, ...this.#stretches.slice(end, stop)];
    this.#stretches.splice(start, stop - start, ...joined(around));
    if (this.#stretches.length > MAX_COVERAGE_STRETCHES) this.#coarsen();
  }

  #coarsen(): void {
    this.#approximate = true;
    const pairs: CoverageStretch[] = [];
    for (let i = 0; i < this.#stretches.length; i += 2) {
      const [one, two] = [this.#stretches[i] as CoverageStretch, this.#stretches[i + 1]];
      pairs.push(two ? { from: one.from, to: two.to, times: Math.max(one.times, two.times) } : one);
    }
    this.#stretches = joined(pairs);
    this.#covered = this.#stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  }
}

function joined(stretches: readonly CoverageStretch[]): CoverageStretch[] {
  const all: CoverageStretch[] = [];
  for (const next of stretches) {
    const last = all.at(-1);
    if (last && last.to === next.from && last.times === next.times)
      all[all.length - 1] = { ...last, to: next.to };
    else all.push(next);
  }
  return all;
}

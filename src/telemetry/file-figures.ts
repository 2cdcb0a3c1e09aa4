/** What one task has read of one source: how often, which part of it, in which chains of pages. */

import type { Mutable } from '../types/mutable.ts';
import type { ReadFacts, Span } from '../types/telemetry.ts';
import { Coverage } from './coverage.ts';

/** How a read relates to the earlier ones of the same source. */
export interface Placed {
  /** The chain of pages that it belongs to. */
  readonly chain?: Chain | undefined;
  /** It begins where an earlier answer was cut. */
  readonly followed: boolean;
  /** Bytes of the text, as stored, that had not been shown before in the task. */
  readonly fresh: number;
  /** Bytes that had been shown before. */
  readonly again: number;
  /** All of the text had been shown before, at once or page by page. */
  readonly knownWhole: boolean;
  /** A window of the largest size that began earlier in the chain would have shown it. */
  readonly spare: boolean;
}

/** Reads of one source, each of which continues where one before it has ended. */
export interface Chain {
  readonly id: number;
  /** Reads. */
  calls: number;
  /** Bytes of their answers. */
  bytes: number;
  /** Reads that continued where a notice had said. */
  followed: number;
  /** The first byte of the text that was shown. */
  from: number;
  /** A window of the largest size was asked for: limits cut it. */
  isLargest: boolean;
}

/** Bytes of the largest window that any dialect answers. */
const LARGEST_WINDOW = 256 * 1024;

/** What a source takes beside its stretches. */
const FILE_WEIGHT = 8;

/** The last reads to which a new one may be the next page. */
const MOST_ENDS = 8;

const NO_SPANS: readonly Span[] = [];

/** Where a read has ended. It is rewritten for a later read: this runs in every one. */
interface End {
  from: number;
  to: number;
  cut: boolean;
  chain: Chain;
  /** The number of the read. */
  nth: number;
}

export class FileFigures {
  readonly source: string;
  what: string | undefined;
  reads = 0;
  /** Bytes of answers, and those of them about the version that was read last. */
  answered = 0;
  answeredNow = 0;
  /** Reads of the source after the first one. */
  repeated = 0;
  followed = 0;
  fresh = 0;
  again = 0;
  versions = 0;
  totalLines: number | undefined;
  totalBytes: number | undefined;
  /** Answers with a map or an outline, and whether any of the text was read after the last one. */
  maps = 0;
  mapBytes = 0;
  mapFollowed = true;
  /** Of the version that was read last. */
  lines: Coverage = new Coverage();
  bytes: Coverage = new Coverage();
  readonly #nextChain: () => number;
  #version: string | undefined;
  /** In no order. */
  #ends: End[] = [];

  /** `nextChain` numbers chains within the task. */
  constructor(source: string, nextChain: () => number) {
    this.source = source;
    this.#nextChain = nextChain;
  }

  /** In things to remember. */
  get weight(): number {
    return FILE_WEIGHT + this.lines.stretches.length + this.bytes.stretches.length;
  }

  /** `answerBytes`: of the answer, as far as it is about this read. */
  add(read: ReadFacts, answerBytes: number): Placed {
    this.#take(read);
    this.reads += 1;
    this.answered += answerBytes;
    this.answeredNow += answerBytes;
    if (this.reads > 1) this.repeated += 1;
    if (read.view !== undefined) return this.#addView(read, answerBytes);
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

  /** Another version begins again: what was shown of the last one says nothing about it. */
  #take({ what, version, view, totalLines, totalBytes }: ReadFacts): void {
    this.what = what ?? this.what;
    const changed = version !== undefined && this.#version !== undefined && version !== this.#version;
    this.#version = version ?? this.#version;
    if (this.versions === 0 || changed) {
      this.versions += 1;
      this.lines = new Coverage();
      this.bytes = new Coverage();
      this.#ends = [];
      this.answeredNow = 0;
      this.totalLines = this.totalBytes = undefined;
    }
    // Of an outline, the totals are those of the outline.
    if (view !== undefined && view !== 'map') return;
    this.totalLines = totalLines ?? this.totalLines;
    this.totalBytes = totalBytes ?? this.totalBytes;
  }

  #addView({ view }: ReadFacts, answerBytes: number): Placed {
    if (view === 'map' || view === 'outline') {
      this.maps += 1;
      this.mapBytes = answerBytes;
      this.mapFollowed = false;
    }
    return newlyPlaced(0, 0, false);
  }

  #chain(placed: Mutable<Placed>, { bytes = NO_SPANS, cutBy, window }: ReadFacts, answerBytes: number): void {
    const from = bytes[0]?.[0] ?? 0;
    const to = bytes[bytes.length - 1]?.[1] ?? 0;
    if (!(to > from)) return;
    const before = this.#endBefore(from, to);
    const followed = before !== undefined && before.cut && (from === before.to || to === before.from);
    const chain = before?.chain ?? newChain(this.#nextChain(), from);
    const windows = chain.calls === 0 ? 0 : windowsFor(chain.bytes);
    chain.calls += 1;
    chain.bytes += answerBytes;
    chain.from = Math.min(chain.from, from);
    if (window !== undefined) chain.isLargest ||= isLargest(window);
    if (followed) {
      chain.followed += 1;
      this.followed += 1;
    }
    const end = before ?? this.#nextEnd(chain);
    end.from = from;
    end.to = to;
    end.cut = cutBy !== undefined;
    end.chain = chain;
    end.nth = this.reads;
    placed.chain = chain;
    placed.followed = followed;
    placed.spare = chain.calls > 1 && windowsFor(chain.bytes) === windows;
  }

  /** The latest of which [from, to) is the next page. */
  #endBefore(from: number, to: number): End | undefined {
    let found: End | undefined;
    for (const end of this.#ends)
      if (isNextPage(end, from, to) && (!found || end.nth > found.nth)) found = end;
    return found;
  }

  /** A new one; if there is no room the oldest, to be written over. */
  #nextEnd(chain: Chain): End {
    if (this.#ends.length < MOST_ENDS) {
      const end: End = { from: 0, to: 0, cut: false, chain, nth: 0 };
      this.#ends.push(end);
      return end;
    }
    return this.#ends.reduce((oldest, end) => (end.nth < oldest.nth ? end : oldest));
  }
}

/** Of no chain so far. All fields, in one order: this runs in every read. */
const newlyPlaced = (fresh: number, again: number, knownWhole: boolean): Mutable<Placed> => ({
  chain: undefined,
  followed: false,
  fresh,
  again,
  knownWhole,
  spare: false,
});

const newChain = (id: number, from: number): Chain => ({
  id,
  calls: 0,
  bytes: 0,
  followed: 0,
  from,
  isLargest: false,
});

/** Windows of the largest size that it takes to answer so many bytes. */
function windowsFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / LARGEST_WINDOW));
}

/** `@0+262144` */
function isLargest(window: string): boolean {
  const length = /^@\d+\+(\d+)$/.exec(window)?.[1];
  return length !== undefined && Number(length) >= LARGEST_WINDOW;
}

/** Forwards or backwards: it goes beyond the earlier one, and leaves nothing out between them. */
function isNextPage(end: End, from: number, to: number): boolean {
  const forwards = from > end.from && from <= end.to && to > end.to;
  const backwards = to < end.to && to >= end.from && from < end.from;
  return forwards || backwards;
}

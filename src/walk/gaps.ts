/** Gaps: everything that makes an answer incomplete, such as timeouts, refusals and files that were not read. */

import type { OpenRefusal } from '../files/held-directory.ts';
import type { PassedEntries, PassedReason, SearchGaps } from '../types/result.ts';

/** The most unsearched files that are named in an answer. */
const MAX_NAMED_GAPS = 3;

/** The most containers that are recognised only by their content, per searched directory. */
const MAX_DISGUISED_CONTAINERS = 5_000;

/** The fields that an answer reports; the others are added up, too. */
const FLAGS = ['timedOut', 'denied', 'failed', 'tooDeep', 'tooMany', 'broken'] as const;
const COUNTS = ['rules', 'large', 'cut', 'changed', 'unread', 'nested', 'scanned'] as const;

export class GapsSeen implements SearchGaps {
  timedOut = false;
  denied = false;
  failed = false;
  tooDeep = false;
  tooMany = false;
  containers = 0;
  rules = 0;
  large = 0;
  cut = 0;
  changed = 0;
  unread = 0;
  firstUnread: readonly string[] = [];
  nested = 0;
  firstNested: readonly string[] = [];
  disguised: readonly string[] = [];
  scanned = 0;
  full = false;
  short = false;
  broken = false;
  files = 0;
  passed: Partial<Record<PassedReason, { count: number; first: PassedEntries['first'] }>> = {};

  add(other: SearchGaps): void {
    for (const flag of [...FLAGS, 'full', 'short'] as const) this[flag] ||= other[flag] ?? false;
    for (const kind of [...COUNTS, 'containers', 'files'] as const) this[kind] += other[kind] ?? 0;
    this.firstUnread = joined(this.firstUnread, other.firstUnread, MAX_NAMED_GAPS);
    this.firstNested = joined(this.firstNested, other.firstNested, MAX_NAMED_GAPS);
    this.disguised = joined(this.disguised, other.disguised, MAX_DISGUISED_CONTAINERS);
    for (const [reason, { count, first }] of Object.entries(other.passed ?? {}))
      this.#pass(reason as PassedReason, count, first);
  }

  /** Records an entry that was left out, by its shown name if an answer may need it; one that was asked for comes first. */
  pass(reason: PassedReason, name?: string, isNamed = false): void {
    this.#pass(reason, 1, name === undefined ? undefined : [name], isNamed);
  }

  #pass(reason: PassedReason, count: number, names?: readonly string[], isNamed = false): void {
    const known = (this.passed[reason] ??= { count: 0, first: [] });
    known.count += count;
    const [first, others] = isNamed ? [names ?? [], known.first] : [known.first, names];
    known.first = joined(first, others, MAX_NAMED_GAPS);
  }

  /** Adds the gaps of a second walk over the same files: only the flags, because the counts are already included. */
  addAgain({ timedOut, denied, failed = false, tooDeep, tooMany, broken }: SearchGaps): void {
    this.add({ ...new GapsSeen().facts, timedOut, denied, failed, tooDeep, tooMany, broken });
  }

  /** Records a file that cannot be searched, by its shown name. */
  leaveUnread(name: string): void {
    this.unread += 1;
    this.firstUnread = joined(this.firstUnread, [name], MAX_NAMED_GAPS);
  }

  /** Records an archive or database inside an archive, by the call that lists it. */
  leaveNested(name: string): void {
    this.nested += 1;
    this.firstNested = joined(this.firstNested, [name], MAX_NAMED_GAPS);
  }

  /** Removes and returns the containers that were recognised only by their content. */
  takeDisguised(): readonly string[] {
    const paths = this.disguised;
    this.disguised = [];
    return paths;
  }

  /** Records why something could not be opened. A file that is gone is not a gap. */
  refuse(why: OpenRefusal): void {
    this.denied ||= why === 'denied';
    this.failed ||= why === 'failed';
    this.tooDeep ||= why === 'deep';
  }

  /** Whether there is any gap that an answer must report. */
  get isNotable(): boolean {
    return FLAGS.some((flag) => this[flag]) || COUNTS.some((kind) => this[kind] > 0);
  }

  clear(): void {
    Object.assign(this, new GapsSeen());
  }

  /** As plain data, for another thread. */
  get facts(): SearchGaps {
    return { ...this };
  }
}

function joined(
  names: readonly string[],
  others: readonly string[] | undefined,
  most: number,
): readonly string[] {
  return others && others.length > 0 && names.length < most ? [...names, ...others].slice(0, most) : names;
}

/** Gaps before the file with that index (0-based). */
export interface GapsBefore {
  readonly file: number;
  readonly gaps: SearchGaps;
}

/** Gaps with their positions in a sequence of files: an answer reports only those before its end. */
export class GapsOnTheWay {
  readonly #noted: { readonly at: number; readonly gaps: SearchGaps }[] = [];

  /** `at` is a position that never decreases. */
  add(gaps: SearchGaps, at: number): void {
    this.#noted.push({ at, gaps });
  }

  upTo(place: number): SearchGaps {
    const all = new GapsSeen();
    for (const { at, gaps } of this.#noted) if (at <= place) all.add(gaps);
    return all.facts;
  }
}

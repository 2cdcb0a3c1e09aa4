/** Collects what makes an answer incomplete: timeouts, refusals, files that were not read. */

import type { Refusal } from '../../access/held-directory.ts';
import type { Gaps } from '../../types/result.ts';

/** Number of unsearched files that are named. */
const MOST_NAMED = 3;

/** Containers that only their content tells, of one directory that is searched. */
const MOST_DISGUISED = 5_000;

export class GapsSeen implements Gaps {
  timedOut = false;
  denied = false;
  failed = false;
  tooDeep = false;
  tooMany = false;
  unnamed = 0;
  containers = 0;
  rules = 0;
  large = 0;
  cut = 0;
  changed = 0;
  unread = 0;
  firstUnread: readonly string[] = [];
  disguised: readonly string[] = [];
  scanned = 0;
  broken = false;

  add(other: Gaps): void {
    this.timedOut ||= other.timedOut;
    this.denied ||= other.denied;
    this.failed ||= other.failed ?? false;
    this.tooDeep ||= other.tooDeep;
    this.tooMany ||= other.tooMany;
    this.unnamed += other.unnamed;
    this.containers += other.containers;
    this.rules += other.rules;
    this.large += other.large ?? 0;
    this.cut += other.cut ?? 0;
    this.changed += other.changed ?? 0;
    this.unread += other.unread ?? 0;
    this.firstUnread = joined(this.firstUnread, other.firstUnread, MOST_NAMED);
    this.disguised = joined(this.disguised, other.disguised, MOST_DISGUISED);
    this.scanned += other.scanned ?? 0;
    this.broken ||= other.broken;
  }

  /** Those of a second walk over the same files: what has a number is counted already. */
  addAgain({ timedOut, denied, failed = false, tooDeep, tooMany, broken }: Gaps): void {
    this.add({ ...new GapsSeen().facts, timedOut, denied, failed, tooDeep, tooMany, broken });
  }

  /** Notes what cannot be searched, by the name that is shown. */
  leaveUnread(name: string): void {
    this.unread += 1;
    this.firstUnread = joined(this.firstUnread, [name], MOST_NAMED);
  }

  /** The containers that only their content tells, once. */
  takeDisguised(): readonly string[] {
    const paths = this.disguised;
    this.disguised = [];
    return paths;
  }

  /** Notes why something could not be opened. What is gone leaves no gap. */
  refuse(why: Refusal): void {
    this.denied ||= why === 'denied';
    this.failed ||= why === 'failed';
    this.tooDeep ||= why === 'deep';
  }

  /** Whether any gap must be reported on every page. */
  get isNotable(): boolean {
    const { timedOut, denied, failed, tooDeep, tooMany, unnamed, rules, large, cut, unread, broken } = this;
    const counted = unnamed + rules + large + cut + this.changed + unread + this.scanned;
    return timedOut || denied || failed || tooDeep || tooMany || broken || counted > 0;
  }

  clear(): void {
    Object.assign(this, new GapsSeen());
  }

  get facts(): Gaps {
    const { timedOut, denied, failed, tooDeep, tooMany, unnamed, containers, rules, broken } = this;
    const { large, cut, changed, unread, firstUnread, disguised, scanned } = this;
    const counted = {
      unnamed,
      containers,
      rules,
      ...(large > 0 && { large }),
      ...(cut > 0 && { cut }),
      ...(changed > 0 && { changed }),
      ...(unread > 0 && { unread, firstUnread }),
      ...(disguised.length > 0 && { disguised }),
      ...(scanned > 0 && { scanned }),
    };
    return { timedOut, denied, ...(failed && { failed }), tooDeep, tooMany, ...counted, broken };
  }
}

function joined(
  names: readonly string[],
  others: readonly string[] | undefined,
  most: number,
): readonly string[] {
  return others && others.length > 0 && names.length < most ? [...names, ...others].slice(0, most) : names;
}

/** What was left out before the file of that number (0-based). */
export interface GapsBefore {
  readonly file: number;
  readonly gaps: Gaps;
}

/** The gaps in a stretch of files with their places: an answer reports those before its end. */
export class GapsOnTheWay {
  readonly #noted: { readonly at: number; readonly gaps: Gaps }[] = [];

  /** `at`: a place that only grows. */
  add(gaps: Gaps, at: number): void {
    this.#noted.push({ at, gaps });
  }

  upTo(place: number): Gaps {
    const all = new GapsSeen();
    for (const { at, gaps } of this.#noted) if (at <= place) all.add(gaps);
    return all.facts;
  }
}

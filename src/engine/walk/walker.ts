/**
 * The directory walk, in a worker thread: depth first, in the order of paths. Ignored files, `.git` and links are skipped.
 * Directories are held by descriptor; their number is bounded, however deep the tree is.
 */

import { isUtf8 } from 'node:buffer';
import { bytesOf, HeldDirectory, type HeldEntry, refusalOf } from '../../access/held-directory.ts';
import { Automaton, type State } from '../../walk/automaton.ts';
import { compileGlob } from '../../walk/glob.ts';
import type { Gaps } from '../../types/result.ts';
import { endingTokens } from '../../walk/tokens.ts';
import { isContainerName } from './container-names.ts';
import type { GapsSeen } from './gaps.ts';
import { Shortage, retryOnShortage } from './shortage.ts';
import type { WalkControl } from './walk-control.ts';
import { now, type WalkFilter, type WalkJob } from './walk-messages.ts';
import { holdsRepository, type RuleReading, WalkRules } from './walk-rules.ts';

/** The most entries that are read of one directory. */
const MOST_ENTRIES = 500_000;

/** The most bytes of a path that can be opened. Source: PATH_MAX in linux/limits.h, which includes the NUL. */
const MOST_PATH = 4095;

/** The most directories of the current path that are held open; the others are opened again on the way back. */
const MOST_HELD = 16;

/** Receives the files of the walk. */
export interface Visitor {
  /** Called for each file in order; returns false to end the walk. To use `directory` later, call its `share`. */
  file(directory: HeldDirectory, front: string, name: string): boolean;
}

interface Level {
  /** Undefined while it is not held open. */
  directory: HeldDirectory | undefined;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** The prefix of its names in paths. */
  readonly front: string;
  readonly entries: readonly HeldEntry[];
  /** Names that are skipped silently, if any. */
  readonly kept: ReadonlySet<string> | undefined;
  at: number;
  rules: WalkRules;
  /** The state of the path filter; undefined below a name that is not UTF-8. */
  readonly filter: State | undefined;
}

export class Walker {
  readonly gaps: GapsSeen;
  readonly #job: WalkJob;
  readonly #control: WalkControl;
  readonly #filter: Automaton | undefined;
  readonly #named: Automaton | undefined;
  readonly #onlyContainers: boolean;
  readonly #levels: Level[] = [];
  /** Names that are skipped silently, by the path of their directory. */
  readonly #kept = new Map<string, Set<string>>();
  readonly #reading: RuleReading;

  constructor(job: WalkJob, control: WalkControl, gaps: GapsSeen) {
    this.#job = job;
    for (const path of job.kept.places.map(bytesOf)) {
      const at = path.lastIndexOf('/');
      const above = path.slice(0, at) || '/';
      this.#kept.set(above, (this.#kept.get(above) ?? new Set()).add(path.slice(at + 1)));
    }
    this.#control = control;
    this.gaps = gaps;
    this.#reading = { gaps, retryOnShortage: (open) => retryOnShortage(control, open) };
    this.#filter = job.filter && automatonOf(job.filter);
    this.#named = job.named === undefined ? undefined : compileGlob(job.named);
    this.#onlyContainers = job.wants.is === 'paths' && job.wants.containers === true;
  }

  walk(visitor: Visitor): void {
    const rules = this.#rulesAbove();
    const base = this.#job.chain.at(-1) as WalkJob['chain'][number];
    this.#push(this.#adopt(base.path, base.fd), '', rules, this.#filter?.start ?? NO_FILTER);
    for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) {
      const entry = level.entries[level.at++];
      if (!entry) this.#pop();
      else if (level.at % 16 === 1 && now() > this.#job.until) {
        this.gaps.timedOut = true;
        return;
      } else if (!this.#visit(level, entry, visitor)) return;
    }
  }

  /** Removes and returns the gaps since the last call, if they are ones that an answer reports. */
  takeGaps(): Gaps | undefined {
    if (!this.gaps.isNotable) return undefined;
    const { facts } = this.gaps;
    this.gaps.clear();
    return facts;
  }

  /** Closes the directories that are still held if the walk ended early. */
  close(): void {
    for (const { directory } of this.#levels.splice(0)) directory?.release();
  }

  /** The rules from the directories above the walked one, without those of its own ignore files. */
  #rulesAbove(): WalkRules {
    const { chain, top } = this.#job;
    const held: HeldDirectory[] = [];
    try {
      for (const { path, fd } of chain) held.push(this.#adopt(path, fd));
      const repository = held.findLastIndex((directory) => holdsRepository((name) => directory.kindOf(name)));
      let rules = WalkRules.none;
      for (let i = repository === -1 ? top : repository; i < chain.length - 1; i += 1) {
        const directory = held[i] as HeldDirectory;
        rules = rules.within(directory, (name) => directory.kindOf(name), this.#reading);
        const next = chain[i + 1]?.path ?? '';
        rules = rules.below(next.slice(next.lastIndexOf('/') + 1));
      }
      return rules;
    } finally {
      for (const directory of held) directory.release();
    }
  }

  #adopt(path: string, fd: number): HeldDirectory {
    return this.#reading.retryOnShortage(() => HeldDirectory.adopt(path, fd));
  }

  /** Returns false if the visitor ends the walk. */
  #visit(level: Level, { name, is }: HeldEntry, visitor: Visitor): boolean {
    if (is === 'other' || name === '.git' || level.kept?.has(name)) return true;
    const text = textOf(name);
    if (level.rules.ignores(text ?? name, is === 'directory')) return true;
    if (is === 'directory') {
      this.#enter(level, name, text);
      return true;
    }
    if (text === undefined || level.filter === undefined) {
      this.gaps.unnamed += 1;
      return true;
    }
    if (this.#filter && this.#filter.accepted(this.#filter.run(level.filter, text)).length === 0) return true;
    if (this.#named && !this.#named.matches(text)) return true;
    if (this.#onlyContainers && !isContainerName(name)) return true;
    if (level.path.length + 1 + name.length > MOST_PATH) {
      this.gaps.tooDeep = true;
      return true;
    }
    if (this.#job.wants.is === 'texts' && isContainerName(name)) this.gaps.containers += 1;
    return !level.directory || visitor.file(level.directory, level.front, name);
  }

  #enter(level: Level, name: string, text: string | undefined): void {
    if (!level.directory) return;
    if (level.path.length + 1 + name.length > MOST_PATH) {
      this.gaps.tooDeep = true;
      return;
    }
    let filter = text === undefined ? undefined : level.filter;
    if (this.#filter && filter) {
      filter = this.#filter.run(filter, `${text}/`);
      if (this.#filter.isDead(filter)) return;
    }
    const { directory } = level;
    const inner = this.#attempt(() => directory.enter(name, this.#job.roots));
    if (inner) this.#push(inner, `${level.front}${name}/`, level.rules.below(text ?? name), filter);
  }

  #push(directory: HeldDirectory, front: string, above: WalkRules, filter: State | undefined): void {
    const listed = this.#attempt(() => directory.entries(MOST_ENTRIES));
    if (!listed) return directory.release();
    const { entries, more } = listed;
    this.gaps.tooMany ||= more;
    const { path, dev, ino } = directory;
    const kept = this.#kept.get(path);
    const level = { directory, path, dev, ino, front, entries, kept, at: 0, rules: above, filter };
    this.#levels.push(level);
    level.rules = above.within(directory, (name) => found(entries, name)?.is, this.#reading);
    // The first level is never released, because all others are reached from it.
    const distant = this.#levels[this.#levels.length - MOST_HELD];
    if (distant && this.#levels.length > MOST_HELD) {
      distant.directory?.release();
      distant.directory = undefined;
    }
  }

  #pop(): void {
    const { directory } = this.#levels.pop() as Level;
    const outer = this.#levels.at(-1);
    if (outer && !outer.directory) {
      outer.directory = directory && this.#attempt(() => directory.leave(outer.path, outer.dev, outer.ino));
      // The directory was moved meanwhile, so the rest of it cannot be reached.
      if (!outer.directory) this.gaps.broken = true;
    }
    directory?.release();
  }

  /** Undefined if the open was refused, which is recorded as a gap. */
  #attempt<T>(open: () => T): T | undefined {
    try {
      return retryOnShortage(this.#control, open);
    } catch (error) {
      if (error instanceof Shortage) throw error;
      this.gaps.refuse(refusalOf(error));
      return undefined;
    }
  }
}

const NO_FILTER: State = { bits: new Uint32Array(0), accepted: undefined, next: new Map() };

function automatonOf(filter: WalkFilter): Automaton {
  return filter.is === 'glob' ? compileGlob(filter.pattern) : new Automaton([endingTokens(filter.names)]);
}

/** Finds an entry by binary search; entries are sorted by name. */
function found(entries: readonly HeldEntry[], name: string): HeldEntry | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as HeldEntry).name < name) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.name === name ? entries[low] : undefined;
}

/** A byte string as text; undefined if it is not valid UTF-8. */
export function textOf(name: string): string | undefined {
  if (!/[^\0-\x7f]/.test(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

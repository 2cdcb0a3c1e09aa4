/**
 * The directory walk, in a worker thread: depth first, in the order of paths. Ignored files, `.git` and links are skipped.
 * Directories are held by descriptor; their number is bounded, however deep the tree is.
 */

import { Glob } from '../files/glob.ts';
import {
  HeldDirectory,
  type HeldEntry,
  latin1ToPath,
  openRefusalFor,
  pathToLatin1,
} from '../files/held-directory.ts';
import { holdsRepository, type RuleReading, WalkRules } from '../files/walk-rules.ts';
import { isArchive, isNamedArchive } from '../formats/archive/detect.ts';
import { isDocument, isNamedDocument } from '../formats/document/detect.ts';
import { isNamedNotebook } from '../formats/notebook/detect.ts';
import { isNamedDatabase } from '../formats/sqlite/detect.ts';
import type { PassedReason, SearchGaps } from '../types/result.ts';
import type { GapsSeen } from './gaps.ts';
import { DescriptorShortage, now, retryOnShortage, type WalkControl, type WalkJob } from './walk-messages.ts';

/** The most entries that are read of one directory. */
const MAX_WALKED_ENTRIES = 500_000;

/** The most bytes of a path that can be opened. Source: PATH_MAX in linux/limits.h, which includes the NUL. */
const MAX_WALKED_PATH_BYTES = 4095;

/** The most directories of the current path that are held open; the others are opened again on the way back. */
const MAX_HELD_DIRECTORIES = 16;

/** Receives the files of the walk. */
interface WalkVisitor {
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
  /** `front` as text. */
  readonly text: string;
}

export class DirectoryWalker {
  readonly gaps: GapsSeen;
  readonly #job: WalkJob;
  readonly #control: WalkControl;
  readonly #filter: Glob | undefined;
  readonly #ending: string | undefined;
  readonly #named: Glob | undefined;
  readonly #onlyContainers: boolean;
  readonly #onlyNames: boolean;
  readonly #levels: Level[] = [];
  /** Names that are skipped silently, by the path of their directory. */
  readonly #kept = new Map<string, Set<string>>();
  readonly #reading: RuleReading;

  constructor(job: WalkJob, control: WalkControl, gaps: GapsSeen) {
    this.#job = job;
    for (const path of job.kept.places.map(pathToLatin1)) {
      const at = path.lastIndexOf('/');
      const above = path.slice(0, at) || '/';
      this.#kept.set(above, (this.#kept.get(above) ?? new Set()).add(path.slice(at + 1)));
    }
    this.#control = control;
    this.gaps = gaps;
    this.#reading = {
      hasDotIgnore: true,
      retryOnShortage: (open) => retryOnShortage(control, open),
      leaveUnused: () => {
        gaps.rules += 1;
      },
    };
    const { filter, named } = job;
    if (filter?.kind === 'glob') this.#filter = new Glob(filter.pattern, filter.place);
    if (filter?.kind === 'ending') this.#ending = `/${filter.names}`;
    this.#named = named === undefined ? undefined : new Glob(named);
    this.#onlyContainers = job.wants.kind === 'paths' && job.wants.containers === true;
    this.#onlyNames = job.wants.kind === 'paths' && !job.wants.containers && !job.wants.keys;
  }

  walk(visitor: WalkVisitor): void {
    const rules = this.#rulesAbove();
    const base = this.#job.chain.at(-1) as WalkJob['chain'][number];
    this.#push(this.#adopt(base.path, base.fd), '', '', rules);
    if (this.#job.front !== '') this.#searchNamed();
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
  takeGaps(): SearchGaps | undefined {
    if (!this.gaps.isNotable) return undefined;
    const { facts } = this.gaps;
    this.gaps.clear();
    return facts;
  }

  /** Closes the directories that are still held if the walk ended early. */
  close(): void {
    for (const { directory } of this.#levels.splice(0)) directory?.release();
  }

  /** A directory that was named is searched though rules ignore all that is in it: then they do not apply below it. */
  #searchNamed(): void {
    const [level] = this.#levels;
    const isKept = ({ name }: HeldEntry): boolean => name === '.git' || level?.kept?.has(name) === true;
    const isIgnored = ({ name, kind }: HeldEntry): boolean =>
      level?.rules.ignores(latin1ToPath(name), kind === 'directory') === true;
    const isSkipped = (entry: HeldEntry): boolean =>
      isKept(entry) || isIgnored(entry) || entry.name === '.gitignore' || entry.name === '.ignore';
    if (level?.entries.every(isSkipped) && level.entries.some(isIgnored)) level.rules = WalkRules.none;
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
  #visit(level: Level, entry: HeldEntry, visitor: WalkVisitor): boolean {
    const { name, kind } = entry;
    if (name === '.git' || level.kept?.has(name)) return true;
    const text = latin1ToPath(name);
    if (level.rules.ignores(text, kind === 'directory')) {
      this.#passOver('ignored', level, entry, text);
      return true;
    }
    if (kind === 'link' || kind === 'other') {
      this.#passOver(kind === 'link' ? kind : 'special', level, entry, text);
      return true;
    }
    if (kind === 'directory') {
      this.#enter(level, name, text);
      return true;
    }
    const path = level.text + text;
    if (this.#filter && !this.#filter.matches(path)) {
      this.gaps.pass('glob');
      return true;
    }
    if (this.#ending !== undefined && !path.endsWith(this.#ending)) return true;
    if (this.#named && !this.#named.matches(text)) {
      this.gaps.pass('type');
      return true;
    }
    if (this.#onlyContainers && !isContainerName(name)) return true;
    if (level.path.length + 1 + name.length > MAX_WALKED_PATH_BYTES) {
      this.gaps.tooDeep = true;
      return true;
    }
    // The name of a private file is found, and nothing else.
    if (!this.#onlyNames && level.directory?.isPrivate(name, false, text)) {
      this.gaps.pass('private');
      return true;
    }
    this.gaps.files += 1;
    if (this.#job.wants.kind === 'texts' && isContainerName(name)) this.gaps.containers += 1;
    return !level.directory || visitor.file(level.directory, level.front, name);
  }

  /** Counts an entry that is left out, if it could have been found otherwise. */
  #passOver(reason: PassedReason, level: Level, { kind }: HeldEntry, text: string): void {
    if (this.#ending !== undefined) return;
    const path = level.text + text;
    const isDirectory = kind === 'directory';
    const isWanted =
      !isDirectory && this.#filter?.matches(path) !== false && this.#named?.matches(text) !== false;
    const mayHold = kind !== 'file' && kind !== 'other' && this.#filter?.mayMatchBelow(path) !== false;
    const { filter, front } = this.#job;
    const isNamed = isWanted && filter?.kind === 'glob' && `/${filter.pattern}`.endsWith(`/${text}`);
    if (isWanted || mayHold) this.gaps.pass(reason, front + path, isNamed);
  }

  #enter(level: Level, name: string, text: string): void {
    if (!level.directory) return;
    if (level.path.length + 1 + name.length > MAX_WALKED_PATH_BYTES) {
      this.gaps.tooDeep = true;
      return;
    }
    const path = level.text + text;
    if (this.#filter?.matches(path)) this.gaps.pass('directory', this.#job.front + path);
    if (this.#filter?.mayMatchBelow(path) === false) return;
    const { directory } = level;
    if (directory.isPrivate(name, true, text)) {
      this.gaps.pass('private');
      return;
    }
    const inner = this.#attempt(() => directory.enter(name, this.#job.roots, true));
    if (inner) this.#push(inner, `${level.front}${name}/`, `${path}/`, level.rules.below(text));
  }

  #push(directory: HeldDirectory, front: string, text: string, above: WalkRules): void {
    const listed = this.#attempt(() => directory.entries(MAX_WALKED_ENTRIES));
    if (!listed) return directory.release();
    const { entries, more } = listed;
    this.gaps.tooMany ||= more;
    const { path, dev, ino } = directory;
    const kept = this.#kept.get(path);
    const level = { directory, path, dev, ino, front, text, entries, kept, at: 0, rules: above };
    this.#levels.push(level);
    level.rules = above.within(directory, (name) => found(entries, name)?.kind, this.#reading);
    // The first level is never released, because all others are reached from it.
    const distant = this.#levels[this.#levels.length - MAX_HELD_DIRECTORIES];
    if (distant && this.#levels.length > MAX_HELD_DIRECTORIES) {
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
      if (error instanceof DescriptorShortage) throw error;
      this.gaps.refuse(openRefusalFor(error));
      return undefined;
    }
  }
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

// Recognises containers below a directory, by their names or by their first bytes.

export function isContainerName(name: string): boolean {
  return isNamedDocument(name) || isNamedArchive(name) || isNamedNotebook(name) || isNamedDatabase(name);
}

/** Whether `read` shows a converted text or a list instead of the stored bytes. `head` is the first `HEAD_BYTES` bytes. */
export function isContainer(name: string, head: Uint8Array, size: number): boolean {
  return isNamedNotebook(name) || isDocument({ name, head }) || isArchive(name, head, size);
}

/** Compares the work tree with the index: what has changed, and what is untracked. Runs in the thread, and starts nothing. */

import {
  closeHeld,
  type HeldDirectory,
  type HeldFile,
  latin1ToPath,
  pathToLatin1,
  readHeld,
} from '../../files/held-directory.ts';
import { WalkRules } from '../../files/walk-rules.ts';
import type { GitIndex, IndexEntry } from '../../git/index-file.ts';
import { enter, type GitRepository, inDirectory, openFile, readPart } from '../../git/objects.ts';
import {
  isTextWithCrlf,
  PathAttributes,
  storedMode,
  type TextConversion,
  withoutCarriageReturns,
} from '../../git/settings.ts';
import { kindOfMode, type TreeEntry } from '../../git/trees.ts';
import { type FileChange, isBinary, type UnreadFile } from './diff.ts';

/** Milliseconds after which the rest of the work tree is left out. */
const MAX_SCAN_MS = 12_000;

/** Maximum nesting depth of directories, each of which is held open. */
const MAX_DEPTH = 100;

/** Maximum entries that are read of one directory. */
const MAX_DIRECTORY_ENTRIES = 500_000;

/** Maximum bytes of all files that are compared by content because their stats are not sure. */
const MAX_HASHED_BYTES = 2 ** 31;

/** Maximum bytes of a file that is in memory as a whole, and of all untracked files whose lines are counted. */
const MAX_FILE_BYTES = 32 << 20;
const MAX_COUNTED_BYTES = 128 << 20;

/** Maximum bytes of a `.gitattributes`. */
const MAX_ATTRIBUTES_BYTES = 1 << 20;

const READ_BYTES = 1 << 20;

/** A file or link as it is in the work tree. Its id is empty if its content was not read. */
export interface WorkTreeEntry extends TreeEntry {
  /** Latin-1, from the top of the work tree. */
  readonly workPath: string;
}

interface UntrackedCount {
  /** Latin-1; that of a directory, all of which is untracked, ends in a slash. */
  readonly path: string;
  /** Whether there is a file or a repository. */
  isFound: boolean;
  isPrivate: boolean;
  /** Of a directory: without private ones. */
  files: number;
  lines: number;
  /** Files whose lines were not counted, because they are binary, links, or too large. */
  uncounted: number;
}

export type UntrackedPath = Readonly<UntrackedCount>;

/** The stages that a file in conflict has, as bits: 1 for the common ancestor, 2 for ours, 4 for theirs. */
export interface MergeConflict {
  readonly path: string;
  readonly stages: number;
}

export interface WorkTreeState {
  readonly changed: readonly FileChange[];
  readonly conflicts: readonly MergeConflict[];
  readonly untracked: readonly UntrackedPath[];
  /** What was not looked at, with how many. */
  readonly gaps: ReadonlyMap<ScanGap, number>;
}

type ScanGap =
  | 'submodules'
  | 'tracked files in private directories'
  | 'directories that cannot be read'
  | 'directories nested too deeply'
  | 'files that may have changed'
  | 'ignore files that cannot be used'
  | 'paths for lack of time';

interface ScannedDirectory {
  readonly directory: HeldDirectory;
  /** Its path with a slash behind it; empty for the top. */
  readonly front: string;
  readonly rules: WalkRules;
  /** Whether it is ignored itself: then nothing in it is untracked. */
  readonly isIgnored: boolean;
  readonly depth: number;
}

export class WorkTree {
  readonly #repository: GitRepository;
  readonly #top: HeldDirectory;
  readonly #roots: readonly string[];
  /** Paths of files of oriel itself, which are skipped silently. */
  readonly #kept: ReadonlySet<string>;
  readonly #index: GitIndex;
  readonly #until = performance.now() + MAX_SCAN_MS;
  readonly #attributes: PathAttributes;
  readonly #gaps = new Map<ScanGap, number>();
  readonly #changed: FileChange[] = [];
  readonly #conflicts: MergeConflict[] = [];
  readonly #untracked: UntrackedPath[] = [];
  #hashed = 0;
  #counted = 0;

  /** `roots` and `kept` are Latin-1. */
  constructor(
    repository: GitRepository,
    index: GitIndex,
    top: HeldDirectory,
    { roots, kept }: { readonly roots: readonly string[]; readonly kept: ReadonlySet<string> },
  ) {
    this.#repository = repository;
    this.#index = index;
    this.#top = top;
    this.#roots = roots;
    this.#kept = kept;
    this.#attributes = new PathAttributes(repository.config, (front) => this.#readAttributes(front));
  }

  /** `untracked`: whether untracked files are looked for. */
  scan(untracked: boolean): WorkTreeState {
    const exclude = this.#repository.text('info/exclude', MAX_ATTRIBUTES_BYTES, 'common') ?? '';
    const rules = this.#within(this.#top, WalkRules.of(latin1ToPath(exclude)));
    const top = { directory: this.#top, front: '', rules, isIgnored: !untracked, depth: 0 };
    this.#visit(top, 0, this.#index.entries.length);
    return {
      changed: this.#changed,
      conflicts: this.#conflicts,
      untracked: this.#untracked.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      gaps: this.#gaps,
    };
  }

  /** The bytes of a file as git would store them, but for filters. */
  bytesOf({ workPath, kind }: WorkTreeEntry, stored: TreeEntry | undefined): Buffer | UnreadFile {
    const found = this.#inside(workPath, (directory, name) => {
      if (kind === 'link') return directory.linkTarget(name);
      const bytes = this.#read(directory, name, MAX_FILE_BYTES);
      return typeof bytes === 'object' ? this.#cleaned(bytes, workPath, stored) : bytes;
    });
    return found ?? 'closed';
  }

  #add(gap: ScanGap, count = 1): void {
    this.#gaps.set(gap, (this.#gaps.get(gap) ?? 0) + count);
  }

  #within(directory: HeldDirectory, rules: WalkRules): WalkRules {
    // This is the repository whose rules these are.
    const kindOf = (name: string): ReturnType<HeldDirectory['kindOf']> =>
      name === '.git' ? undefined : directory.kindOf(name);
    return rules.within(directory, kindOf, {
      hasDotIgnore: false,
      leaveUnused: () => this.#add('ignore files that cannot be used'),
      retryOnShortage: (open) => open(),
    });
  }

  /** `from` and `to`: the entries of the index that are in the directory or below it. */
  #visit(at: ScannedDirectory, from: number, to: number): void {
    const { entries } = this.#index;
    const tracked = new Set<string>();
    const inner = new Set<string>();
    for (let i = from; i < to;) {
      const one = entries[i] as IndexEntry;
      const rest = one.path.slice(at.front.length);
      const slash = rest.indexOf('/');
      let end = i + 1;
      if (slash === -1) {
        while (end < to && entries[end]?.path === one.path) end += 1;
        tracked.add(rest);
        this.#compareAll(at, rest, i, end);
      } else {
        const name = rest.slice(0, slash);
        const front = `${at.front}${name}/`;
        while (end < to && entries[end]?.path.startsWith(front)) end += 1;
        inner.add(name);
        this.#descend(at, name, i, end);
      }
      i = end;
    }
    if (!at.isIgnored) this.#findUntracked(at, tracked, inner);
  }

  #descend(at: ScannedDirectory, name: string, from: number, to: number): void {
    const { directory, front, rules, depth } = at;
    if (directory.isPrivate(name, true)) {
      this.#add('tracked files in private directories', to - from);
      return;
    }
    if (depth === MAX_DEPTH) {
      this.#add('directories nested too deeply');
      return;
    }
    if (directory.kindOf(name) !== 'directory') {
      for (let i = from; i < to;) {
        let end = i + 1;
        while (end < to && this.#index.entries[end]?.path === this.#index.entries[i]?.path) end += 1;
        this.#compareAll(undefined, '', i, end);
        i = end;
      }
      return;
    }
    const inside = enter(directory, name, this.#roots);
    if (!inside) return this.#add('directories that cannot be read');
    const text = latin1ToPath(name);
    try {
      const below = this.#within(inside, rules.below(text));
      const isIgnored = at.isIgnored || rules.ignores(text, true);
      this.#visit(
        { directory: inside, front: `${front}${name}/`, rules: below, isIgnored, depth: depth + 1 },
        from,
        to,
      );
    } finally {
      inside.release();
    }
  }

  /** The entries of one path: one, or those of a conflict. Without `at` its directory is gone. */
  #compareAll(at: ScannedDirectory | undefined, name: string, from: number, to: number): void {
    const one = this.#index.entries[from] as IndexEntry;
    if (one.stage === 0) {
      if (performance.now() > this.#until) return this.#add('paths for lack of time');
      this.#compare(at?.directory, name, one);
      return;
    }
    let stages = 0;
    for (let i = from; i < to; i += 1) stages |= 1 << ((this.#index.entries[i] as IndexEntry).stage - 1);
    this.#conflicts.push({ path: one.path, stages });
    const ours = this.#index.entries.slice(from, to).find(({ stage }) => stage === 2);
    const stats = at?.directory.statsOf(name);
    const kind = stats?.isFile() ? 'file' : stats?.isSymbolicLink() ? 'link' : undefined;
    const before = ours?.entry(this.#repository.idBytes);
    const mode = kind === 'link' ? '120000' : (before?.mode ?? '100644');
    const after = kind && this.#entry(one.path, kind, mode, NO_ID);
    if (before || after) this.#changed.push({ path: one.path, before, after, about: 'in conflict, to ours' });
  }

  #compare(directory: HeldDirectory | undefined, name: string, one: IndexEntry): void {
    if (one.isAssumed) return;
    const stats = directory?.statsOf(name);
    const isOut = one.isSkipped && !(stats && this.#repository.config.isTrue('core.sparsecheckout'));
    if (isOut) return;
    const { path } = one;
    const before = one.entry(this.#repository.idBytes);
    if (before.kind === 'submodule' && stats?.isDirectory()) return this.#add('submodules');
    if (!directory || !stats || !(stats.isFile() || stats.isSymbolicLink())) {
      this.#changed.push({ path, before });
      return;
    }
    const kind = stats.isFile() ? 'file' : 'link';
    const mode = storedMode(this.#repository.config, kind, Number(stats.mode), before);
    const changedTo = (id: Buffer, about?: Pick<FileChange, 'uncompared' | 'about'>): void => {
      const after = this.#entry(path, kind, mode, id);
      this.#changed.push({ path, before: one.isIntended ? undefined : before, after, ...about });
    };
    const isSame = mode === before.mode && one.isUnchanged(stats) && !one.isIntended;
    const isRacy = one.stats.modified[0] >= Math.floor(this.#index.timeMs / 1000);
    if (isSame && !isRacy) return;
    if (directory.isPrivate(name, false)) {
      if (!isSame) changedTo(NO_ID);
      return;
    }
    if (!one.isIntended && kind !== before.kind && kindOfMode(mode) !== before.kind) return changedTo(NO_ID);
    const conversion: TextConversion =
      kind === 'file'
        ? this.#attributes.conversionOf(latin1ToPath(path))
        : { lineEnds: undefined, undone: undefined };
    if (conversion.undone !== undefined) {
      const [seconds, nanoseconds] = one.stats.modified;
      const isOlder = 1000 * seconds + nanoseconds / 1e6 < this.#index.timeMs;
      if (!isSame || !isOlder) changedTo(NO_ID, { uncompared: conversion.undone });
      return;
    }
    const stored = one.stats.size;
    const isResized = stored !== 0 && stored !== Number(stats.size & 0xffff_ffffn);
    if (isResized && !conversion.lineEnds && kind === 'file' && !one.isIntended) return changedTo(NO_ID);
    const id = this.#idOf(directory, name, path, before, kind);
    if (!id) {
      if (isSame) this.#add('files that may have changed');
      else changedTo(NO_ID);
      return;
    }
    if (one.isIntended || !id.equals(before.id)) {
      const after = this.#entry(path, kind, mode, id);
      const isSettled = this.#repository.config.get('core.autocrlf') !== undefined || kind === 'link';
      const isAlike = !isSettled && !one.isIntended && this.#differsInLineEnds(after, before);
      changedTo(id, isAlike ? { about: ONLY_LINE_ENDS } : undefined);
    } else if (mode !== before.mode || isResized)
      changedTo(id, isResized ? { about: SAME_STORED } : undefined);
  }

  #entry(path: string, kind: 'file' | 'link', mode: string, id: Buffer): WorkTreeEntry {
    return { name: path.slice(path.lastIndexOf('/') + 1), kind, mode, id, workPath: path };
  }

  /** The id that the file would have; undefined if it is not read. */
  #idOf(
    directory: HeldDirectory,
    name: string,
    path: string,
    before: TreeEntry,
    kind: 'file' | 'link',
  ): Buffer | undefined {
    if (kind === 'link') {
      const target = directory.linkTarget(name);
      return target && this.#hash(target);
    }
    return this.#withFile(directory, name, (file) => {
      this.#hashed += file.size;
      if (this.#hashed > MAX_HASHED_BYTES) return undefined;
      if (file.size <= MAX_FILE_BYTES)
        return this.#hash(this.#cleaned(readPart(file, 0, file.size), path, before));
      const hash = this.#repository.hasher('blob', file.size);
      const part = Buffer.allocUnsafe(READ_BYTES);
      for (let at = 0; at < file.size;) {
        const length = readHeld(file, part, 0, Math.min(part.length, file.size - at), at);
        if (length === 0 || performance.now() > this.#until) return undefined;
        hash.update(part.subarray(0, length));
        at += length;
      }
      return hash.digest();
    });
  }

  #hash(bytes: Buffer): Buffer {
    return this.#repository.hasher('blob', bytes.length).update(bytes).digest();
  }

  /** With the line ends that git would store. `stored`: what is in the index. */
  #cleaned(bytes: Buffer, path: string, stored: TreeEntry | undefined): Buffer {
    const { lineEnds } = this.#attributes.conversionOf(latin1ToPath(path));
    if (lineEnds === undefined) return bytes;
    const isKept = (): boolean => !isTextWithCrlf(bytes) || this.#hasLineEnds(stored);
    return lineEnds === 'text' && isKept() ? bytes : withoutCarriageReturns(bytes);
  }

  /** Whether a file would be unchanged if the user's configuration, which is not read, had `core.autocrlf`. */
  #differsInLineEnds(found: WorkTreeEntry, before: TreeEntry): boolean {
    const bytes = this.bytesOf(found, before);
    return typeof bytes === 'object' && this.#hash(withoutCarriageReturns(bytes)).equals(before.id);
  }

  #hasLineEnds(stored: TreeEntry | undefined): boolean {
    const object = stored && this.#repository.read(stored.id);
    return object !== undefined && isTextWithCrlf(object.bytes);
  }

  #readAttributes(front: string | undefined): string | undefined {
    if (front === undefined) {
      const text = this.#repository.text('info/attributes', MAX_ATTRIBUTES_BYTES, 'common');
      return text === undefined ? undefined : latin1ToPath(text);
    }
    const bytes = this.#inside(pathToLatin1(`${front}.gitattributes`), (directory, name) =>
      this.#read(directory, name, MAX_ATTRIBUTES_BYTES),
    );
    return typeof bytes === 'object' ? bytes.toString('utf8') : undefined;
  }

  /** Undefined if it cannot be opened. */
  #withFile<Found>(
    directory: HeldDirectory,
    name: string,
    act: (file: HeldFile) => Found,
  ): Found | undefined {
    const file = openFile(directory, name);
    if (!file) return undefined;
    try {
      return act(file);
    } finally {
      closeHeld(file);
    }
  }

  #read(directory: HeldDirectory, name: string, most: number): Buffer | UnreadFile {
    const read = (file: HeldFile): Buffer | UnreadFile =>
      file.size > most ? 'too large' : readPart(file, 0, file.size);
    return this.#withFile(directory, name, read) ?? 'closed';
  }

  /** `act` gets the directory and the name of the last part of the path; undefined if it cannot be entered. */
  #inside<Found>(path: string, act: (directory: HeldDirectory, name: string) => Found): Found | undefined {
    const names = path.split('/');
    const last = names.pop() ?? '';
    return inDirectory(this.#top, names, this.#roots, (directory) => act(directory, last));
  }

  /** What the rules do not ignore. `tracked`, `inner`: the names of files, and of directories, in the index. */
  #findUntracked(at: ScannedDirectory, tracked: ReadonlySet<string>, inner: ReadonlySet<string>): void {
    for (const one of this.#others(at)) {
      const { name, kind } = one;
      // As for git, a directory is not untracked where the index has a file of its name.
      if (tracked.has(name) || (kind === 'directory' && inner.has(name))) continue;
      const path = at.front + name;
      if (kind !== 'directory') {
        const count = noneAt(path);
        this.#count(at.directory, name, kind, count);
        this.#untracked.push(count);
      } else if (at.directory.isPrivate(name, true)) {
        this.#untracked.push({ ...noneAt(`${path}/`), isPrivate: true });
      } else {
        const count = noneAt(`${path}/`);
        this.#countBelow(at, name, count);
        count.isPrivate = count.files + count.uncounted === 0;
        if (count.isFound) this.#untracked.push(count);
      }
    }
  }

  *#others({
    directory,
    rules,
  }: ScannedDirectory): Generator<ReturnType<HeldDirectory['entries']>['entries'][number]> {
    const { entries, more } = directory.entries(MAX_DIRECTORY_ENTRIES);
    if (more) this.#add('directories that cannot be read');
    for (const entry of entries) {
      const { name, kind } = entry;
      if (name === '.git' || kind === 'other' || this.#kept.has(`${directory.path}/${name}`)) continue;
      if (rules.ignores(latin1ToPath(name), kind === 'directory')) continue;
      if (performance.now() > this.#until) {
        this.#add('paths for lack of time');
        continue;
      }
      yield entry;
    }
  }

  #countBelow(at: ScannedDirectory, name: string, count: UntrackedCount): void {
    if (at.depth === MAX_DEPTH) return this.#add('directories nested too deeply');
    const directory = enter(at.directory, name, this.#roots);
    if (!directory) return this.#add('directories that cannot be read');
    try {
      if (this.#isRepository(directory)) {
        count.isFound = true;
        count.uncounted += 1;
        return;
      }
      const rules = this.#within(directory, at.rules.below(latin1ToPath(name)));
      const inside = {
        directory,
        front: `${at.front}${name}/`,
        rules,
        isIgnored: false,
        depth: at.depth + 1,
      };
      for (const one of this.#others(inside)) {
        if (one.kind !== 'directory') this.#count(directory, one.name, one.kind, count);
        else if (directory.isPrivate(one.name, true)) count.isFound = true;
        else this.#countBelow(inside, one.name, count);
      }
    } catch {
      this.#add('directories that cannot be read');
    } finally {
      directory.release();
    }
  }

  #isRepository(directory: HeldDirectory): boolean {
    const git = directory.kindOf('.git');
    if (git !== 'directory') return git === 'file';
    const inside = enter(directory, '.git', this.#roots);
    const isOne = inside?.kindOf('HEAD') !== undefined;
    inside?.release();
    return isOne;
  }

  #count(
    directory: HeldDirectory,
    name: string,
    kind: 'file' | 'link' | 'other',
    count: UntrackedCount,
  ): void {
    count.isFound = true;
    if (directory.isPrivate(name, false)) {
      count.isPrivate = true;
      return;
    }
    count.files += 1;
    const bytes =
      kind === 'file' && this.#counted < MAX_COUNTED_BYTES && this.#read(directory, name, MAX_FILE_BYTES);
    if (typeof bytes !== 'object' || isBinary(bytes)) {
      count.uncounted += 1;
      return;
    }
    this.#counted += bytes.length;
    for (let i = bytes.indexOf(10); i !== -1; i = bytes.indexOf(10, i + 1)) count.lines += 1;
    if (bytes.length > 0 && bytes.at(-1) !== 10) count.lines += 1;
  }
}

function noneAt(path: string): UntrackedCount {
  return { path, isFound: false, isPrivate: false, files: 0, lines: 0, uncounted: 0 };
}

const NO_ID = Buffer.alloc(0);
export const ONLY_LINE_ENDS = 'only its line ends differ';
/** Git takes it for changed until it is added. */
const SAME_STORED = 'unchanged as git stores it';

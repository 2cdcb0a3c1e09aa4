/** How much each file of a repository was changed recently: over the last commits of a branch, of which newer ones count more. */

import { type GitObject, ID } from './git-objects.ts';

export interface RecentChanges {
  /** Relative to the root of the repository, separated by `/`. Paths that are not valid UTF-8 are left out. */
  readonly paths: readonly string[];
  /** For each of `paths`, above 0 and at most 1; the most changed file of the repository has 1. */
  readonly weights: Float64Array;
}

/** Maximum commits, along the first parents: a merge counts as one change. */
const MAX_HISTORY_COMMITS = 400;

/** Maximum objects that are read in total. */
const MAX_HISTORY_OBJECTS = 40_000;

/** Commits that change more files are ignored: an import or a reformatting says nothing about a single file. */
const MAX_CHANGED_FILES = 500;

/** After so many days a change counts half. */
const HALF_LIFE = 45;

/** Seconds. */
const DAY = 24 * 60 * 60;

/** Maximum files in the result: those that were changed most. */
const MAX_RECENT_FILES = 20_000;

/** `read`: the object with an id of 20 bytes. No files if `head` is not a commit or cannot be read. */
export function recentChanges(read: (id: Buffer) => GitObject | undefined, head: Buffer): RecentChanges {
  let objects = 0;
  const readAs = (kind: GitObject['kind'], id: Buffer): Buffer | undefined => {
    objects += 1;
    const found = objects > MAX_HISTORY_OBJECTS ? undefined : read(id);
    return found?.kind === kind ? found.bytes : undefined;
  };
  const weights = new Map<string, number>();
  let at = commitOf(readAs('commit', head));
  const newest = at?.time ?? 0;
  for (let i = 0; at && i < MAX_HISTORY_COMMITS; i += 1) {
    const parent = at.parent && commitOf(readAs('commit', at.parent));
    // The first commit, or the oldest one of a shallow clone: it would count as a change of every file.
    if (!parent) break;
    const { paths, isCut } = differenceOf(
      (id) => readAs('tree', id),
      parent.tree,
      at.tree,
      MAX_CHANGED_FILES,
    );
    const age = Math.max(0, newest - at.time) / DAY;
    const weight = 2 ** (-age / HALF_LIFE) / Math.sqrt(Math.max(1, paths.length));
    if (!isCut) for (const path of paths) weights.set(path, (weights.get(path) ?? 0) + weight);
    at = parent;
  }
  return recentOf(weights);
}

function recentOf(weights: ReadonlyMap<string, number>): RecentChanges {
  const most = Math.max(...weights.values(), Number.MIN_VALUE);
  const known = [...weights]
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MAX_RECENT_FILES)
    .flatMap(([bytes, weight]) => {
      const path = Buffer.from(bytes, 'latin1').toString('utf8');
      return path.includes('\uFFFD') || path.includes('\0') ? [] : [[path, weight / most] as const];
    });
  return { paths: known.map(([path]) => path), weights: Float64Array.from(known, ([, weight]) => weight) };
}

interface Commit {
  /** The id of its root directory. */
  readonly tree: Buffer;
  /** The id of its first parent. */
  readonly parent: Buffer | undefined;
  /** Seconds since the epoch. */
  readonly time: number;
}

function commitOf(bytes: Buffer | undefined): Commit | undefined {
  const head = bytes?.toString('latin1', 0, 64 << 10).split('\n\n')[0] ?? '';
  const tree = /^tree ([0-9a-f]{40})$/m.exec(head)?.[1];
  const parent = /^parent ([0-9a-f]{40})$/m.exec(head)?.[1];
  const time = Number(/^committer .*> (\d{1,12}) /m.exec(head)?.[1] ?? 0);
  if (tree === undefined) return undefined;
  return { tree: Buffer.from(tree, 'hex'), parent: parent ? Buffer.from(parent, 'hex') : undefined, time };
}

// Finds the files that differ between two directories of a repository. Subdirectories with equal ids are not read.

/** Reads a directory by its id; undefined if it is missing or cannot be read. */
type ReadTree = (id: Buffer) => Buffer | undefined;

interface TreeDifference {
  /** Paths of files that were added or changed, separated by `/`. They are Latin-1: each character is a byte of the path. */
  readonly paths: string[];
  /** Whether there are more files than allowed, or a directory could not be read or is nested too deeply. */
  isCut: boolean;
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly id: Buffer;
  /** The byte offset of the next entry. */
  readonly end: number;
}

/** Maximum nesting depth of directories. */
const MAX_TREE_DEPTH = 64;

const SPACE = 0x20;

/** The files of `newer` that are not in `older`, or differ from it; at most `most`. `older` undefined: all files of `newer`. */
function differenceOf(
  read: ReadTree,
  older: Buffer | undefined,
  newer: Buffer,
  most: number,
): TreeDifference {
  const found: TreeDifference = { paths: [], isCut: false };
  compare(read, older, newer, '', { most, found, depth: 0 });
  return found;
}

interface Work {
  readonly most: number;
  readonly found: TreeDifference;
  readonly depth: number;
}

function compare(read: ReadTree, older: Buffer | undefined, newer: Buffer, front: string, work: Work): void {
  const { found, depth, most } = work;
  const [before, after] = [older === undefined ? Buffer.alloc(0) : read(older), read(newer)];
  if (!before || !after || depth > MAX_TREE_DEPTH) {
    found.isCut = true;
    return;
  }
  let [a, b] = [entryAt(before, 0), entryAt(after, 0)];
  while (b && !found.isCut) {
    const order = a ? compareNames(a, b) : 1;
    if (a && order < 0) {
      a = entryAt(before, a.end);
      continue;
    }
    const same = order === 0 ? a : undefined;
    if (!same?.id.equals(b.id)) {
      const path = front + b.name;
      if (b.kind === 'directory') {
        const inside = same?.kind === 'directory' ? same.id : undefined;
        compare(read, inside, b.id, `${path}/`, { ...work, depth: depth + 1 });
      } else if (b.kind === 'file') {
        if (found.paths.length === most) found.isCut = true;
        else found.paths.push(path);
      }
    }
    if (a && order === 0) a = entryAt(before, a.end);
    b = entryAt(after, b.end);
  }
}

/** In the order of git, which sorts a directory as if its name ended in a slash. */
function compareNames(a: Entry, b: Entry): number {
  const [one, other] = [sortName(a), sortName(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function sortName({ name, kind }: Entry): string {
  return kind === 'directory' ? `${name}/` : name;
}

/** Parses the entry `MODE SP NAME NUL ID` at the offset `at`. Undefined at the end, and if it is not valid. */
function entryAt(tree: Buffer, at: number): Entry | undefined {
  const space = tree.indexOf(SPACE, at);
  const zero = space === -1 ? -1 : tree.indexOf(0, space);
  const end = zero + 1 + ID;
  if (zero === -1 || end > tree.length) return undefined;
  const mode = tree.toString('latin1', at, space);
  const kind = mode === '40000' ? 'directory' : mode.startsWith('100') ? 'file' : 'other';
  return { name: tree.toString('latin1', space + 1, zero), kind, id: tree.subarray(zero + 1, end), end };
}

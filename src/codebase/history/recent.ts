/** How much each file of a repository was changed recently: over the last commits of a branch, of which newer ones count more. */

import type { GitObject } from './pack.ts';
import { differenceOf } from './tree-diff.ts';

export interface Recent {
  /** Relative to the root of the repository, separated by `/`. Paths that are not valid UTF-8 are left out. */
  readonly paths: readonly string[];
  /** For each of `paths`, above 0 and at most 1; the most changed file of the repository has 1. */
  readonly weights: Float64Array;
}

/** Maximum commits, along the first parents: a merge counts as one change. */
const MOST_COMMITS = 400;

/** Maximum objects that are read in total. */
const MOST_OBJECTS = 40_000;

/** Commits that change more files are ignored: an import or a reformatting says nothing about a single file. */
const MOST_CHANGED = 500;

/** After so many days a change counts half. */
const HALF_LIFE = 45;

/** Seconds. */
const DAY = 24 * 60 * 60;

/** Maximum files in the result: those that were changed most. */
const MOST_FILES = 20_000;

/** `read`: the object with an id of 20 bytes. No files if `head` is not a commit or cannot be read. */
export function recentChanges(read: (id: Buffer) => GitObject | undefined, head: Buffer): Recent {
  let objects = 0;
  const readAs = (is: GitObject['is'], id: Buffer): Buffer | undefined => {
    objects += 1;
    const found = objects > MOST_OBJECTS ? undefined : read(id);
    return found?.is === is ? found.bytes : undefined;
  };
  const weights = new Map<string, number>();
  let at = commitOf(readAs('commit', head));
  const newest = at?.time ?? 0;
  for (let i = 0; at && i < MOST_COMMITS; i += 1) {
    const parent = at.parent && commitOf(readAs('commit', at.parent));
    // The first commit, or the oldest one of a shallow clone: it would count as a change of every file.
    if (!parent) break;
    const { paths, isCut } = differenceOf((id) => readAs('tree', id), parent.tree, at.tree, MOST_CHANGED);
    const age = Math.max(0, newest - at.time) / DAY;
    const weight = 2 ** (-age / HALF_LIFE) / Math.sqrt(Math.max(1, paths.length));
    if (!isCut) for (const path of paths) weights.set(path, (weights.get(path) ?? 0) + weight);
    at = parent;
  }
  return recentOf(weights);
}

function recentOf(weights: ReadonlyMap<string, number>): Recent {
  const most = Math.max(...weights.values(), Number.MIN_VALUE);
  const known = [...weights]
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MOST_FILES)
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

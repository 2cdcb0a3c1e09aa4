/** How much each file of a repository was changed lately: the last commits of a branch, the newer ones counting more. */

import type { GitObject } from './pack.ts';
import { differenceOf } from './tree-diff.ts';

export interface Recent {
  /** Relative to the root of the repository, with `/`; what has no name in UTF-8 is left out. */
  readonly paths: readonly string[];
  /** For each of `paths`: above 0, and 1 for the one that was changed most. */
  readonly weights: Float64Array;
}

/** Commits that are looked at, each with its first parent: what was merged is one change. */
const MOST_COMMITS = 400;

/** Objects that are read for them. */
const MOST_OBJECTS = 40_000;

/** A commit that changes more files says nothing about one of them: an import, a new way to format. */
const MOST_CHANGED = 500;

/** Days after which a change counts half. */
const HALF_LIFE = 45;

const DAY = 24 * 60 * 60;

/** Files that are told: those that were changed most. */
const MOST_FILES = 20_000;

/** `read` gives objects by their ids of 20 bytes. None if `head` is no commit that can be read. */
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
    // The first commit that is there has changed everything.
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
  readonly tree: Buffer;
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

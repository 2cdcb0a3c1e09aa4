/** How much each file of a repository was changed recently: over the last commits of a branch, of which newer ones count more. */

import { type GitObject, UnreadableObject } from '../../git/pack.ts';
import { changesBetween, type GitCommit, parseCommit } from '../../git/trees.ts';

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

/** `read`: the object with an id. No files if `head` is not a commit or cannot be read. */
export function recentChanges(read: (id: Buffer) => GitObject | undefined, head: Buffer): RecentChanges {
  let objects = 0;
  const readable = (id: Buffer): GitObject | undefined => {
    objects += 1;
    return objects > MAX_HISTORY_OBJECTS ? undefined : unlessUnreadable(() => read(id));
  };
  const commitAt = (id: Buffer): GitCommit | undefined => {
    const found = readable(id);
    return found?.kind === 'commit' ? parseCommit(found.bytes) : undefined;
  };
  const weights = new Map<string, number>();
  let at = commitAt(head);
  const newest = at?.time ?? 0;
  for (let i = 0; at && i < MAX_HISTORY_COMMITS; i += 1) {
    const [first] = at.parents;
    const parent = first && commitAt(first);
    // The first commit, or the oldest one of a shallow clone: it would count as a change of every file.
    if (!parent) break;
    const paths = filesChanged(readable, parent.tree, at.tree);
    const age = Math.max(0, newest - at.time) / DAY;
    const weight = 2 ** (-age / HALF_LIFE) / Math.sqrt(Math.max(1, paths?.length ?? 0));
    for (const path of paths ?? []) weights.set(path, (weights.get(path) ?? 0) + weight);
    at = parent;
  }
  return recentOf(weights);
}

/** The files of `newer` that are not in `older`, or differ from it. Undefined if there are too many, or one cannot be read. */
function filesChanged(
  read: (id: Buffer) => GitObject | undefined,
  older: Buffer,
  newer: Buffer,
): string[] | undefined {
  return unlessUnreadable(() => {
    const paths: string[] = [];
    for (const { path, after } of changesBetween(read, older, newer, 'added')) {
      if (after?.kind !== 'file') continue;
      if (paths.length === MAX_CHANGED_FILES) return undefined;
      paths.push(path);
    }
    return paths;
  });
}

function unlessUnreadable<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof UnreadableObject) return undefined;
    throw error;
  }
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

/** The state of every file of the sandbox, and what is different from an earlier one. */

import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { quote } from '../../text/visible.ts';
import { CHANGED, type OpenDirectory } from './open-directory.ts';
import { Broken } from './outcome.ts';

/** Entries whose state is recorded, and their deepest directory: more than any case makes. */
const MOST_ENTRIES = 10_000;
const MOST_DEPTH = 64;

/** Changes that a report names. */
const MOST_TOLD = 10;

/** The state of each file, by its path below the directory. */
export type State = ReadonlyMap<string, string>;

/** Sizes, modes, inodes and times of change of all files. Throws `Broken` if they cannot be listed. */
export function stateOf(directory: OpenDirectory): State {
  const found = new Map<string, string>();
  try {
    visit(directory, '', MOST_DEPTH, found);
  } catch (cause) {
    throw cause instanceof Broken ? cause : new Broken(CHANGED, { cause });
  }
  return found;
}

function visit(directory: OpenDirectory, above: string, depth: number, found: Map<string, string>): void {
  if (depth === 0) throw new Broken('the server made directories that are too deep to be compared');
  for (const name of directory.names()) {
    if (found.size > MOST_ENTRIES) throw new Broken('the server made thousands of files');
    const path = `${above}${name.toString()}`;
    const stats = lstatSync(directory.at(name));
    // A write after which the time of modification is restored changes the time of change too.
    found.set(path, `${stats.size} ${stats.mode} ${stats.ino} ${stats.ctimeMs}`);
    if (!stats.isDirectory()) continue;
    const inner = directory.enter(name);
    try {
      visit(inner, `${path}/`, depth - 1, found);
    } finally {
      inner.close();
    }
  }
}

/** What changed: `new: work/a.txt`. Empty if nothing did. `but`: paths that do not count. */
export function differences(
  before: State,
  now: State,
  but: (path: string) => boolean = () => false,
): readonly string[] {
  const found = [
    ...[...now].flatMap(([path, state]) => {
      const was = before.get(path);
      return was === state ? [] : [{ path, what: was === undefined ? 'new' : 'changed' }];
    }),
    ...[...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, what: 'removed' })),
  ].filter(({ path }) => !but(path));
  // A directory changes when a file in it does.
  const parents = new Set(found.map(({ path }) => dirname(path)));
  const told = found.filter(({ path }) => !parents.has(path));
  const lines = told.slice(0, MOST_TOLD).map(({ path, what }) => `${what}: ${quote(path)}`);
  return told.length > MOST_TOLD ? [...lines, `and ${told.length - MOST_TOLD} more`] : lines;
}

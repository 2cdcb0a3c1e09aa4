/** `find`: the files below a directory whose paths match a glob, sorted, `.gitignore` honoured. */

import { dirname, join } from 'node:path';
import { RipgrepRun, MAX_PATH, records, utf8 } from '../access/ripgrep.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { FindRequest } from '../types/request.ts';
import type { Hint, ListResult, ListedEntry } from '../types/result.ts';
import type { Automaton } from '../walk/automaton.ts';
import { checkGlob, compileGlob } from '../walk/glob.ts';
import { checkRange, MOST_RESULTS } from './walk/bounds.ts';
import { GapsSeen } from './walk/gaps.ts';
import { openFolder, shownBelow } from './walk/open-target.ts';
import { Smallest, orderKey } from './walk/path-order.ts';
import { walkFlags } from './walk/rules.ts';
import { lookUntil, withProgress } from './walk/time.ts';

/** Throws `BAD_INPUT`, `NOT_DIRECTORY` and what opening throws. */
export async function find(request: FindRequest, call: Call): Promise<ListResult> {
  checkRange(request);
  const typed = request.path ?? '.';
  const folder = await openFolder(typed, call);
  call.onEnd(() => folder.close());
  const pattern = relativeTo(folder.path, request.pattern);
  const foreign = checkGlob(pattern);
  const glob = compileGlob(pattern);
  const limit = Math.min(request.limit, MOST_RESULTS);
  const most = request.offset + limit + 1;
  const walk = await withProgress(call, 'walking', () => walkAll(folder.path, glob, most, call));
  const hint =
    walk.paths.length === 0 ? (foreign ?? (await directoryHint(folder, request, call))) : undefined;
  const end = request.offset + limit;
  const page = walk.paths.slice(request.offset, end).map((path, i) => ({ path, rank: request.offset + i }));
  const inside = call.access.roots.length > 0 ? await stillInside(folder.path, page, call) : page;
  const shown = shownBelow(typed, call);
  return {
    is: 'entries',
    entries: inside.map(({ path, rank }) => ({ path: shown(path), rank })),
    ...(walk.paths.length > end && { next: end }),
    ...(page.length === 0 && walk.paths.length > 0 && { beyond: walk.paths.length }),
    gaps: walk.gaps.facts,
    ...(hint && { hint }),
  };
}

/** Characters: the hint repeats the pattern, and all notices of one answer together stay below 1 KiB. */
const MOST_HINTED = 60;

/** Models look for folders by name too; only files are found. */
async function directoryHint(
  folder: OpenedDirectory,
  { pattern }: FindRequest,
  call: Call,
): Promise<Hint | undefined> {
  if (pattern === '' || pattern.length > MOST_HINTED || /[\0*?[{]/.test(pattern)) return undefined;
  const opened = await openQuietly(join(folder.path, pattern), call);
  await opened?.close();
  return opened && 'directory';
}

/** An absolute pattern below the searched directory means the same as the relative one. */
function relativeTo(dir: string, pattern: string): string {
  const front = join(dir, '/');
  return pattern.startsWith(front) ? pattern.slice(front.length) : pattern;
}

/** The first `most` paths in order that match. */
async function walkAll(
  dir: string,
  glob: Automaton,
  most: number,
  call: Call,
): Promise<{ paths: string[]; gaps: GapsSeen }> {
  const gaps = new GapsSeen();
  const smallest = new Smallest(most);
  const flags = ['--files', '--null', ...(await walkFlags(dir, call.access))];
  const { signal, deadline } = call;
  const run = new RipgrepRun({ cwd: dir, flags, operands: ['./'], deadline: lookUntil(deadline), signal });
  for await (const batch of records(run, '\0', MAX_PATH)) {
    for (const record of batch) {
      const path = utf8(record);
      if (path === undefined) gaps.unnamed += 1;
      else if (glob.matches(path.slice('./'.length))) smallest.offer(orderKey(record.slice('./'.length)));
    }
  }
  if (run.outcome) gaps.note(run.outcome);
  const paths = smallest.sorted().map((key) => utf8(key.replaceAll('\0', '/')) as string);
  return { paths, gaps };
}

/**
 * ripgrep went by names: a folder may have been swapped for a link while it looked. So each name is looked up again
 * in its folder as that opens inside the roots now.
 */
async function stillInside(dir: string, page: readonly ListedEntry[], call: Call): Promise<ListedEntry[]> {
  const kept: ListedEntry[] = [];
  let folder: { path: string; opened: OpenedDirectory | undefined } | undefined;
  for (const entry of page) {
    const { path } = entry;
    const parent = join(dir, dirname(path));
    if (folder?.path !== parent) {
      await folder?.opened?.close();
      folder = { path: parent, opened: await openQuietly(parent, call) };
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (await folder.opened?.stat(name)) kept.push(entry);
  }
  await folder?.opened?.close();
  return kept;
}

async function openQuietly(path: string, call: Call): Promise<OpenedDirectory | undefined> {
  call.signal.throwIfAborted();
  try {
    const opened = await call.access.open(path, call.signal);
    if (opened.is === 'directory') return opened;
    await opened.close();
  } catch {
    call.signal.throwIfAborted();
  }
  return undefined;
}

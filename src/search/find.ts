/** `find`: the files below a directory whose paths match a glob, sorted. Ignore files (`.gitignore`) apply. */

import { basename, join } from 'node:path';
import { checkGlobSyntax } from '../files/glob-text.ts';
import { checkGlob, globBelow } from '../files/glob.ts';
import { withProgress } from '../queues/caller.ts';
import { openDirectory, shownBelow } from '../target/open-target.ts';
import { nearNames } from '../text/near.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { FindRequest } from '../types/request.ts';
import type { ListResult, SearchHint } from '../types/result.ts';
import { collectWalk, lookUntil, newestPaths } from '../walk/collect-walk.ts';
import { GapsSeen } from '../walk/gaps.ts';
import type { WalkFilter } from '../walk/walk-messages.ts';
import type { WalkOptions } from '../walk/walk-run.ts';
import { checkRange, entriesOf, MAX_PAGE_RESULTS, walkFailed } from './page-bounds.ts';

/** Throws `BAD_INPUT`, `NOT_DIRECTORY`, `LIMIT` if the walk failed before it found anything, and the errors of opening. */
export async function find(request: FindRequest, call: Call): Promise<ListResult> {
  checkRange(request);
  checkGlobSyntax(request.pattern, 'pattern');
  const typed = request.path ?? '.';
  const { opened: directory, path: start } = await openDirectory(typed, call);
  call.onEnd(() => directory.close());
  const pattern = globBelow(directory.path, call.access.cwd, request.pattern);
  const foreign = checkGlob(pattern);
  const limit = Math.min(request.limit, MAX_PAGE_RESULTS);
  const end = request.offset + limit;
  const filter = { kind: 'glob', pattern } as const;
  const { page, found, gaps } = await withProgress(call, 'walking', () =>
    request.sort === 'time'
      ? newestPage(directory, filter, [request.offset, end], call)
      : firstPage(directory, filter, [request.offset, end], call),
  );
  if (gaps.broken && found === 0) throw walkFailed(gaps);
  const hint =
    found === 0
      ? (foreign ??
        (await directoryHint(directory, request, call)) ??
        slashHint(request) ??
        wordsHint(request) ??
        (await nearHint(directory, start, request, call)))
      : undefined;
  const shown = shownBelow(start, call);
  const entries = entriesOf(page, (path, i) => ({ path: shown(path), rank: request.offset + i }));
  const next = request.offset + entries.length;
  return {
    kind: 'entries',
    tokens: call.settings.tokens,
    entries,
    next: found > next && entries.length > 0 ? next : undefined,
    beyond: page.length === 0 && found > 0 ? found : undefined,
    gaps: gaps.facts,
    hint: hint || undefined,
  };
}

/** The most characters of a pattern that a hint repeats: all notices of an answer together must stay below 1 KiB. */
const MAX_HINTED_PATTERN_CHARACTERS = 60;

/** A hint if the pattern is the name of a directory: models look for directories by name too, but `find` lists only files. */
async function directoryHint(
  directory: OpenedDirectory,
  { pattern }: FindRequest,
  call: Call,
): Promise<SearchHint | undefined> {
  if (pattern.length > MAX_HINTED_PATTERN_CHARACTERS || /[\0*?[{]|(?:^|\/)\.\.(?:\/|$)/.test(pattern))
    return undefined;
  const opened = await openQuietly(join(directory.path, pattern), call);
  await opened?.close();
  return opened && 'directory';
}

/** The most paths that are compared with a name. */
const MAX_COMPARED_PATHS = 20_000;

/** The most paths in a hint, and the most characters of each. */
const MAX_NEAR_PATHS = 3;
const MAX_NEAR_PATH_CHARACTERS = 100;

/** Files with a name similar to a pattern without wildcards: `sesion.ts` or `session` for `src/session.ts`. */
async function nearHint(
  directory: OpenedDirectory,
  start: string,
  { pattern }: FindRequest,
  call: Call,
): Promise<SearchHint | undefined> {
  if (pattern.length > MAX_HINTED_PATTERN_CHARACTERS || /[\0*?[{!]/.test(pattern)) return undefined;
  const { page } = await firstPage(directory, { kind: 'glob', pattern: '**' }, [0, MAX_COMPARED_PATHS], call);
  const shown = shownBelow(start, call);
  const [first, ...others] = nearNames(
    basename(pattern),
    new Set(page.map((path) => basename(path))),
    MAX_NEAR_PATHS,
  )
    .flatMap((name) => page.filter((path) => basename(path) === name).map(shown))
    .filter((path) => path.length <= MAX_NEAR_PATH_CHARACTERS)
    .slice(0, MAX_NEAR_PATHS);
  return first === undefined ? undefined : { kind: 'near', pattern: first, others };
}

/** A hint for Windows paths such as `src\*.ts`, in which the backslash escapes the star. */
function slashHint({ pattern }: FindRequest): SearchHint | undefined {
  return pattern.length <= MAX_HINTED_PATTERN_CHARACTERS && /\\[\w*.]/.test(pattern)
    ? 'backslash'
    : undefined;
}

/** A hint for words such as `parse header`, which are not a file name: symbols can be found by words. */
function wordsHint({ pattern, findsSymbols }: FindRequest): SearchHint | undefined {
  if (!findsSymbols || pattern.length > MAX_HINTED_PATTERN_CHARACTERS) return undefined;
  return /^[\p{L}\p{N}_]{2,}(?: [\p{L}\p{N}_]+)+$/u.test(pattern) ? 'words' : undefined;
}

/** The paths of a page, and the number found up to its end, plus one if more follow. */
interface FoundPage {
  readonly page: readonly string[];
  readonly found: number;
  readonly gaps: GapsSeen;
}

type Range = readonly [offset: number, end: number];

/** A page in the order of paths; paths before the page are only counted. */
async function firstPage(
  directory: OpenedDirectory,
  filter: WalkFilter,
  [offset, end]: Range,
  call: Call,
): Promise<FoundPage> {
  const page: string[] = [];
  let found = 0;
  const wants = { kind: 'paths', most: end + 1 } as const;
  const options: WalkOptions = { wants, filter, deadline: lookUntil(call.deadline) };
  const gaps = await collectWalk(directory, options, call, async (walk) => {
    for await (const batch of walk.paths()) {
      page.push(...batch.slice(Math.max(0, offset - found), Math.max(0, end - found)));
      found += batch.length;
    }
  });
  return { page, found, gaps };
}

async function newestPage(
  directory: OpenedDirectory,
  filter: WalkFilter,
  [offset, end]: Range,
  call: Call,
): Promise<FoundPage> {
  const { paths, gaps } = await newestPaths(directory, { filter }, call);
  return { page: paths.slice(offset, end), found: paths.length, gaps };
}

async function openQuietly(path: string, call: Call): Promise<OpenedDirectory | undefined> {
  call.signal.throwIfAborted();
  try {
    const opened = await call.access.open(path, call.signal);
    if (opened.kind === 'directory') return opened;
    await opened.close();
  } catch {
    call.signal.throwIfAborted();
  }
  return undefined;
}

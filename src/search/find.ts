/** `find`: the files below a directory whose paths match a glob, sorted. Ignore files (`.gitignore`) apply. */

import { basename, join } from 'node:path';
import { isCompiled } from '../code/codebase/paths.ts';
import { checkGlobSyntax } from '../files/glob-text.ts';
import { checkGlob, isElsewhere } from '../files/glob.ts';
import { withProgress } from '../queues/caller.ts';
import { withoutEscapes } from '../render/list-notices.ts';
import { urlOfShown } from '../target/nameable-path.ts';
import { openDirectory, shownBelow, startPath } from '../target/open-target.ts';
import { nearNames } from '../text/near.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { FindRequest } from '../types/request.ts';
import type { ListResult, SearchHint } from '../types/result.ts';
import { collectWalk, lookUntil, newestPaths } from '../walk/collect-walk.ts';
import { GapsSeen } from '../walk/gaps.ts';
import type { WalkOptions } from '../walk/walk-run.ts';
import { checkRange, entriesOf, MAX_PAGE_RESULTS, walkFailed } from './page-bounds.ts';

/** Throws `BAD_INPUT`, `NOT_DIRECTORY`, `LIMIT` if the walk failed before it found anything, and the errors of opening. */
export async function find(request: FindRequest, call: Call): Promise<ListResult> {
  checkRange(request);
  const placed = isElsewhere(request.pattern)
    ? await (await import('./search-scope.ts')).placedGlob(request.pattern, request.path, 'pattern', call)
    : { path: request.path, glob: request.pattern };
  checkGlobSyntax(request.pattern, 'pattern');
  const { opened: directory, path: start } = await openDirectory(placed.path ?? '.', call);
  call.onEnd(() => directory.close());
  const pattern = placed.glob;
  const foreign = checkGlob(pattern);
  const limit = Math.min(request.limit, MAX_PAGE_RESULTS);
  const end = request.offset + limit;
  const place = { directories: [directory.path, startPath(start, call)], cwd: call.access.cwd };
  const filter = { kind: 'glob', pattern, place } as const;
  const shown = shownBelow(start, call);
  const walk = { filter, front: shown('x').slice(0, -1) };
  const { page, found, gaps } = await withProgress(call, 'walking', async () => {
    const walked = await (request.sort === 'time' ? newestPage : firstPage)(
      directory,
      walk,
      [request.offset, end],
      call,
    );
    return walked.found > 0 ? walked : { ...walked, ...(await namedFile(directory, pattern, request, call)) };
  });
  if (gaps.broken && found === 0) throw walkFailed(gaps);
  const hint =
    found === 0
      ? (foreign ??
        (await elsewhere(request, call)) ??
        (await slashHint(request, call)) ??
        (gaps.passed.directory ? undefined : wordsHint(request)) ??
        (await nearHint(directory, start, request, call)))
      : undefined;
  const search = { tool: 'find', path: placed.path, glob: pattern, nothing: found === 0 } as const;
  const entries = entriesOf(page, (name, i) => {
    const path = shown(name);
    return { path, use: urlOfShown(path, call), rank: request.offset + i };
  });
  const next = request.offset + entries.length;
  return {
    kind: 'entries',
    tokens: call.settings.tokens,
    entries,
    next: found > next && entries.length > 0 ? next : undefined,
    beyond: page.length === 0 && found > 0 ? found : undefined,
    gaps: gaps.facts,
    hint: hint || undefined,
    passed:
      found === 0 ? await (await import('./passed-over.ts')).passedOver({ gaps }, search, call) : undefined,
  };
}

/** The file that a pattern names literally is found though it is ignored or a link, but not in `.git`. */
async function namedFile(
  directory: OpenedDirectory,
  pattern: string,
  { offset }: FindRequest,
  call: Call,
): Promise<Pick<FoundPage, 'page' | 'found'> | undefined> {
  const path = pattern.replace(/^(?:\.?\/)+/, '');
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '..' || name === '.git' || name.includes('\0')))
    return undefined;
  try {
    const opened = await call.access.open(join(directory.path, path), call.signal);
    await opened.close();
    return opened.kind === 'file' ? { page: offset === 0 ? [path] : [], found: 1 } : undefined;
  } catch {
    call.signal.throwIfAborted();
    return undefined;
  }
}

async function elsewhere({ path, pattern }: FindRequest, call: Call): Promise<SearchHint | undefined> {
  const scope = (): Promise<typeof import('./search-scope.ts')> => import('./search-scope.ts');
  if (path === undefined && /^\.\.(?:\/|\/\.\.)*$/.test(pattern)) {
    const isThere = await (await scope()).selectsFile(pattern, '**', call);
    return isThere ? { kind: 'elsewhere', path: pattern, glob: '**', field: 'pattern' } : undefined;
  }
  if (path === undefined || !pattern.includes('/')) return undefined;
  return (await scope()).elsewhereHint(path, pattern, 'pattern', call);
}

/** The most characters of a pattern that a hint repeats: all notices of an answer together must stay below 1 KiB. */
const MAX_HINTED_PATTERN_CHARACTERS = 60;

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
  const { page } = await firstPage(
    directory,
    { filter: { kind: 'glob', pattern: '**' } },
    [0, MAX_COMPARED_PATHS],
    call,
  );
  const shown = shownBelow(start, call);
  const names = [...new Set(page.map((path) => basename(path)))];
  const [first, ...others] = [false, true]
    .flatMap((compiled) => {
      const ofKind = names.filter((name) => isCompiled(name) === compiled);
      return nearNames(basename(pattern), ofKind, MAX_NEAR_PATHS);
    })
    .flatMap((name) => page.filter((path) => basename(path) === name).map(shown))
    .filter((path) => path.length <= MAX_NEAR_PATH_CHARACTERS)
    .slice(0, MAX_NEAR_PATHS);
  return first === undefined ? undefined : { kind: 'near', pattern: first, others };
}

/** A hint for Windows paths such as `src\*.ts`, in which the backslash escapes the star. */
async function slashHint({ pattern, path = '.' }: FindRequest, call: Call): Promise<SearchHint | undefined> {
  if (pattern.length > MAX_HINTED_PATTERN_CHARACTERS || !/\\[\w*.]/.test(pattern)) return undefined;
  const meant = withoutEscapes(pattern);
  // That is the root of the file system.
  if (meant.startsWith('/')) return undefined;
  const { selectsFile } = await import('./search-scope.ts');
  return (await selectsFile(path, meant, call)) ? 'backslash' : undefined;
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
  how: Pick<WalkOptions, 'filter' | 'front'>,
  [offset, end]: Range,
  call: Call,
): Promise<FoundPage> {
  const page: string[] = [];
  let found = 0;
  const wants = { kind: 'paths', most: end + 1 } as const;
  const options: WalkOptions = { wants, ...how, deadline: lookUntil(call.deadline) };
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
  how: Pick<WalkOptions, 'filter' | 'front'>,
  [offset, end]: Range,
  call: Call,
): Promise<FoundPage> {
  const { paths, gaps } = await newestPaths(directory, how, call);
  return { page: paths.slice(offset, end), found: paths.length, gaps };
}

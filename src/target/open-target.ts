/** Opens the file or directory where a search, a walk or a listing starts, and formats paths below it. */

import { basename, dirname, join } from 'node:path';
import { advised, OrielError } from '../errors.ts';
import { foreignName } from '../files/paths.ts';
import { pathRewrites } from '../selector/rewrites.ts';
import { isSpelledSelector, isSelection } from '../selector/selection.ts';
import { quote } from '../text/visible.ts';
import type { OpenedDirectory, OpenedItem } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import { globInPath, openSpelling, withNextCall } from './find-target.ts';

const URL_FORM = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i;
const SPILL_FORM = /^artifact:\/\/(\d{1,15})$/;

/** What the tool does with the path: `directory` is a search that takes nothing else. The advice of errors depends on it. */
type Wanted = 'any' | 'directory' | 'list';

/** The start of a search, a walk or a listing, and the path by which it is shown. */
export interface SearchStart<Kind extends OpenedItem = OpenedItem> {
  readonly opened: Kind;
  /** The typed path, or the absolute spelling that exists. */
  readonly path: string;
}

/**
 * Opens a path as it was typed, or with quotes, shell escapes and backslashes interpreted, or the kept output of
 * `artifact://N`. Throws `UNSUPPORTED` for members of a file and for other URLs.
 */
export async function openTarget(typed: string, call: Call, wants: Wanted = 'any'): Promise<SearchStart> {
  const spill = SPILL_FORM.exec(typed)?.[1];
  if (spill !== undefined)
    return { opened: (await call.session.spills.open(Number(spill))).file, path: typed };
  if (URL_FORM.test(typed)) {
    const why = `${quote(typed)} is a URL: only files, directories and artifact://N are searched.`;
    const isRead = /^https?:/i.test(typed) && call.settings.web !== false;
    if (isRead) throw new OrielError('UNSUPPORTED', `${why} Read it instead.`, { next: typed });
    throw advised('UNSUPPORTED', why, 'Use . for the working directory.', { next: '.' });
  }
  try {
    return await openSpelling(typed, call);
  } catch (error) {
    const other = await openRewritten(typed, error, call);
    if (other) return other;
    throw (await memberOf(typed, wants, call, error)) ?? (await withAdvice(error, typed, wants, call));
  }
}

/** Opens paths with quotes or escapes: `"src/my app.ts"`, `my\ app.ts`, `src\app.ts`. */
async function openRewritten(typed: string, error: unknown, call: Call): Promise<SearchStart | undefined> {
  if (!(error instanceof OrielError) || error.code !== 'NOT_FOUND') return undefined;
  for (const other of pathRewrites(typed)) {
    try {
      return await openSpelling(other, call);
    } catch {
      call.signal.throwIfAborted();
    }
  }
  return undefined;
}

/** As `openTarget`. Throws `NOT_DIRECTORY` for a file. */
export async function openDirectory(
  typed: string,
  call: Call,
  wants: Exclude<Wanted, 'any'> = 'directory',
): Promise<SearchStart<OpenedDirectory>> {
  const { opened, path } = await openTarget(typed, call, wants);
  if (opened.kind === 'directory') return { opened, path };
  await opened.close();
  const parent = URL_FORM.test(typed) ? '.' : dirname(typed);
  const message = `${quote(typed)} is a file, not a directory. Use ${quote(parent)} for its directory, or read the file.`;
  throw new OrielError('NOT_DIRECTORY', message, { next: parent });
}

/** The shown form of a target, which can be typed again. */
export function shownTarget(typed: string, call: Call): string {
  return URL_FORM.test(typed) ? typed : call.access.display(call.access.absolute(typed));
}

/** The absolute path of `SearchStart.path`, in which `/` is the root of the file system. */
export function startPath(path: string, { access }: Call): string {
  return path === '/' ? path : access.absolute(path);
}

/** Returns the function that gives the shown form of a path relative to the directory `typed` (`SearchStart.path`). */
export function shownBelow(typed: string, call: Call): (path: string) => string {
  const base = startPath(typed, call);
  const front = call.access.display(join(base, 'x')).slice(0, -1);
  // In the working directory the bare path could be misread as something else, such as "https:/a".
  return (path) => (front === '' ? call.access.display(join(base, path)) : front + path);
}

/** The error for `a.zip:dir` if only `a.zip` exists: the caller means a member of the file, or a part of it. */
async function memberOf(
  typed: string,
  wants: Wanted,
  call: Call,
  cause: unknown,
): Promise<OrielError | undefined> {
  const colon = typed.indexOf(':');
  if (colon <= 0) return undefined;
  const outer = typed.slice(0, colon);
  let is: OpenedItem['kind'];
  try {
    const opened = await call.access.open(call.access.absolute(outer), call.signal);
    is = opened.kind;
    await opened.close();
  } catch {
    return undefined;
  }
  const unsupported = (why: string, advice: string, next: string): OrielError =>
    advised('UNSUPPORTED', why, advice, { next, cause });
  const [path, file] = [quote(typed), quote(outer)];
  const read = `Use read ${path}.`;
  if (!isSpelledSelector(typed.slice(colon + 1))) {
    const { isContainerName } = await import('../walk/walker.ts');
    if (is === 'directory' || !isContainerName(basename(outer))) return undefined;
    return wants === 'any'
      ? unsupported(
          `${path} lies inside ${file}: only whole files are searched.`,
          `Use ${file}, or read ${path}.`,
          typed,
        )
      : unsupported(`${path} lies inside the file ${file}: only directories are listed.`, read, typed);
  }
  const why = `${path} has a selector: only whole`;
  if (wants === 'list') {
    const list = `${why} directories are listed.`;
    const selector = typed.slice(colon + 1);
    // Whether it has such a symbol is not known here.
    if (isSelection(selector) && !selector.includes('#')) return unsupported(list, read, typed);
    if (is === 'directory') return unsupported(list, `Use ${file}.`, outer);
    const parent = dirname(outer);
    return unsupported(list, `Use ${quote(parent)} for its directory, or read ${file}.`, parent);
  }
  if (wants === 'any') return unsupported(`${why} files are searched.`, `Use ${file}.`, outer);
  const next = is === 'directory' ? outer : dirname(outer);
  return unsupported(`${why} directories are searched.`, `Use ${quote(next)}.`, next);
}

async function withAdvice(error: unknown, typed: string, wants: Wanted, call: Call): Promise<unknown> {
  if (!(error instanceof OrielError)) return error;
  if (error.code === 'NOT_DIRECTORY') {
    const { explainThrough } = await import('./missing-path.ts');
    return (
      (await explainThrough(typed, error, wants === 'any' ? 'searched' : 'directory', call)) ??
      withNextCall(error)
    );
  }
  if (error.code !== 'NOT_FOUND') return withNextCall(error);
  const foreign = foreignName(typed, call.access.roots.length > 0);
  if (foreign) return foreign;
  const glob = await globInPath(typed, call);
  if (glob) return new OrielError('NOT_FOUND', `${quote(typed)} does not exist`, { glob, cause: error });
  const { explainMissing } = await import('./missing-path.ts');
  return explainMissing(typed, 'selectors', error, call, wants === 'any' ? 'searched' : 'directory');
}

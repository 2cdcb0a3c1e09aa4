/** Opens the file or directory where a search, a walk or a listing starts, and formats paths below it. */

import { basename, dirname, join } from 'node:path';
import { advised, GlobPathError, OrielError } from '../errors.ts';
import { exists } from '../files/deepest-directory.ts';
import { foreignName } from '../files/paths.ts';
import { sources } from '../formats/table.ts';
import { MAX_LISTED_PATHS, pathLists, pathRewrites } from '../selector/rewrites.ts';
import { isSpelledSelector } from '../selector/selection.ts';
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
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(typed)} is a URL: only files, directories and artifact://N are searched. Read it instead.`,
      { next: typed },
    );
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
  if (opened.is === 'directory') return { opened, path };
  await opened.close();
  const parent = URL_FORM.test(typed) ? '.' : dirname(typed);
  const message = `${quote(typed)} is a file, not a directory. Use ${quote(parent)} for its directory, or read the file.`;
  throw new OrielError('NOT_DIRECTORY', message, { next: parent });
}

/** The shown form of a target, which can be typed again. */
export function shownTarget(typed: string, call: Call): string {
  return URL_FORM.test(typed) ? typed : call.access.display(call.access.absolute(typed));
}

/** Returns the function that gives the shown form of a path relative to the directory `typed`. */
export function shownBelow(typed: string, call: Call): (path: string) => string {
  const base = call.access.absolute(typed);
  const front = call.access.display(join(base, 'x')).slice(0, -1);
  // In the working directory the bare path could be misread as something else, such as "https:/a".
  return (path) => (front === '' ? call.access.display(join(base, path)) : front + path);
}

/** The error for `a.zip:dir` if only `a.zip` exists: the caller means a member of the file. */
async function memberOf(
  typed: string,
  wants: Wanted,
  call: Call,
  cause: unknown,
): Promise<OrielError | undefined> {
  const colon = typed.indexOf(':');
  if (colon <= 0) return undefined;
  const outer = typed.slice(0, colon);
  let is: OpenedItem['is'];
  try {
    const opened = await call.access.open(call.access.absolute(outer), call.signal);
    is = opened.is;
    await opened.close();
  } catch {
    return undefined;
  }
  const unsupported = ({ why, advice, next }: Refusal): OrielError =>
    advised('UNSUPPORTED', why, advice, { next, cause });
  if (isSpelledSelector(typed.slice(colon + 1)))
    return unsupported(withSelector({ typed, outer, is, wants }));
  const nested = wants === 'any' ? await nestedIn(typed, colon, call) : undefined;
  return unsupported({ ...insideFile({ typed, outer, wants, nested }), next: typed });
}

interface Refusal {
  readonly why: string;
  readonly advice: string;
  readonly next: string;
}

interface Selecting {
  readonly typed: string;
  /** The path in front of the selector, and what it is. */
  readonly outer: string;
  readonly is: OpenedItem['is'];
  readonly wants: Wanted;
}

function withSelector({ typed, outer, is, wants }: Selecting): Refusal {
  const why = `${quote(typed)} has a selector: only`;
  if (wants === 'list')
    return {
      why: `${why} whole directories are listed.`,
      advice: `Use read ${quote(typed)}.`,
      next: typed,
    };
  if (wants === 'any')
    return { why: `${why} whole files are searched.`, advice: `Use ${quote(outer)}.`, next: outer };
  const next = is === 'directory' ? outer : dirname(outer);
  return { why: `${why} whole directories are searched.`, advice: `Use ${quote(next)}.`, next };
}

interface InsideFile {
  readonly typed: string;
  readonly outer: string;
  readonly wants: Wanted;
  readonly nested: string | undefined;
}

function insideFile({ typed, outer, wants, nested }: InsideFile): Pick<Refusal, 'why' | 'advice'> {
  const [member, file] = [quote(typed), quote(outer)];
  const read = `Use read ${member}.`;
  if (wants !== 'any')
    return { why: `${member} lies inside the file ${file}: only directories are listed.`, advice: read };
  if (nested === undefined)
    return {
      why: `${member} lies inside ${file}: only whole files are searched.`,
      advice: `Use ${file}, or read ${member}.`,
    };
  if (nested === typed)
    return {
      why: `${member} is an archive or database inside ${file}, and these are not searched.`,
      advice: `Use read ${member} to list it, then read what it holds.`,
    };
  return {
    why: `${member} lies inside ${quote(nested)}, and archives and databases inside ${file} are not searched.`,
    advice: read,
  };
}

/**
 * The archive or database inside an archive that `typed` names, or of which it names a member: a search of the outer one
 * leaves it out too. `colon`: the position of the colon after the outer one.
 */
async function nestedIn(typed: string, colon: number, call: Call): Promise<string | undefined> {
  const end = typed.indexOf(':', colon + 1);
  // All others lie in the first. Opening each of hundreds that do not exist would take seconds.
  const first = end === -1 ? typed : typed.slice(0, end);
  for (const name of new Set([first, typed])) if (await isContainer(name, call)) return name;
  return undefined;
}

/** Whether a search of the outer archive leaves it out: an archive or database, by its name and its content. */
async function isContainer(typed: string, call: Call): Promise<boolean> {
  if (!sources.some((source) => source.holds?.(basename(typed.slice(typed.lastIndexOf(':') + 1)))))
    return false;
  try {
    const { findTarget } = await import('./find-target.ts');
    const resource = await call.open((await findTarget(typed, 'selectors', call, false)).subject);
    return resource.is === 'text' && resource.kind !== 'document' && resource.display === 'plain';
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof OrielError) return false;
    throw error;
  }
}

async function withAdvice(error: unknown, typed: string, wants: Wanted, call: Call): Promise<unknown> {
  if (!(error instanceof OrielError)) return error;
  if (error.code === 'NOT_DIRECTORY') {
    const { explainThrough } = await import('./missing-path.ts');
    return (
      (await explainThrough(typed, error, wants === 'any' ? 'any' : 'directory', call)) ?? withNextCall(error)
    );
  }
  if (error.code !== 'NOT_FOUND') return withNextCall(error);
  const foreign = foreignName(typed, call.access.roots.length > 0);
  if (foreign) return foreign;
  const glob = await globInPath(typed, call);
  if (glob)
    return new GlobPathError(
      new OrielError('NOT_FOUND', `${quote(typed)} does not exist`, { cause: error }),
      glob,
    );
  const first = await firstOfSeveral(typed, call);
  if (first !== undefined) {
    const why = `${quote(typed)} does not exist: these are several paths, and each needs a separate call.`;
    throw new OrielError('NOT_FOUND', `${why} Use ${quote(first)} first.`, { next: first, cause: error });
  }
  const { explainMissing } = await import('./missing-path.ts');
  return explainMissing(typed, 'selectors', error, call);
}

/** The first path of a list such as `src,test` or `src test`, if all of its paths exist. */
async function firstOfSeveral(typed: string, { access }: Call): Promise<string | undefined> {
  for (const paths of pathLists(typed)) {
    if (paths.length < 2 || paths.length > MAX_LISTED_PATHS || paths.includes('')) continue;
    const there = await Promise.all(paths.map((path) => exists(access.absolute(path), access)));
    if (there.every(Boolean)) return paths[0];
  }
  return undefined;
}

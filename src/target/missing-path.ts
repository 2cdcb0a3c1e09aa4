/** Explains a path that does not exist: files whose path ends in it, broken links, similar names. */

import { basename, dirname, join, resolve } from 'node:path';
import { advised, isOrielError, OrielError } from '../errors.ts';
import { type DeepestDirectory, deepestDirectory } from '../files/deepest-directory.ts';
import { isPathWithin } from '../files/paths.ts';
import { sourceFor } from '../formats/table.ts';
import { isBinary } from '../formats/text/open.ts';
import { readSourceHead } from '../text/bytes.ts';
import { storedEncoding } from '../text/encoding.ts';
import { didYouMean, nearNames } from '../text/near.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { PathGrammar } from '../types/request.ts';
import { WalkBroken, WalkRun } from '../walk/walk-run.ts';
import { isContainerName } from '../walk/walker.ts';
import { hasVariable, tellablePath } from './nameable-path.ts';

const DEADLINE_MS = 5_000;
/** One more than are listed, to know whether there are more. */
const MAX_ENDING_MATCHES = 6;

/**
 * Files whose last path components are those of `typed`, as sorted paths relative to the working directory; at most six.
 * Ignored files are left out. Empty for absolute paths, and if the walk could not be finished, because files that it did
 * not reach might match too.
 */
export async function findBySuffix(typed: string, call: Call): Promise<string[]> {
  const suffix = typed.replace(/^@/, '').replace(/^(\.\/)+/, '');
  if (suffix === '' || /^([/~]|file:)/i.test(suffix) || suffix.split('/').includes('..')) return [];
  const deadline = performance.now() + Math.min(DEADLINE_MS, call.deadline - performance.now());
  const cwd = await call.access.open(call.access.cwd, call.signal).catch(() => undefined);
  try {
    if (cwd?.kind !== 'directory') return [];
    const filter = { kind: 'ending', names: suffix } as const;
    const wants = { kind: 'paths', most: MAX_ENDING_MATCHES } as const;
    const walk = await WalkRun.start(cwd, { wants, filter, deadline }, call);
    try {
      const matches: string[] = [];
      for await (const batch of walk.paths()) matches.push(...batch);
      return walk.gaps.timedOut ? [] : matches;
    } finally {
      await walk.close();
    }
  } catch (error) {
    call.signal.throwIfAborted();
    // The walk could not be finished: no guess; the caller reports that the path does not exist.
    if (error instanceof WalkBroken || (error instanceof OrielError && error.code === 'BUSY')) return [];
    throw error;
  } finally {
    await cwd?.close();
  }
}

/** The most entries of a directory that are compared with a name. */
const MAX_COMPARED_ENTRIES = 20_000;

/**
 * The error that explains why `typed` does not exist: the working directory is gone, a link is broken, or the nearest
 * existing directory has entries with similar names.
 */
export async function explainMissing(
  typed: string,
  grammar: PathGrammar,
  cause: OrielError | undefined,
  call: Call,
  // A tool with a literal grammar reads only files.
  wants: WantedKind = grammar === 'literal' ? 'file' : 'any',
): Promise<OrielError> {
  const { access } = call;
  const error = (problem: string, advice: string, next?: string): OrielError =>
    advised('NOT_FOUND', problem, advice, { next, cause });
  const gone = await explainGone(call, cause);
  if (gone) return gone;
  const why = `${quote(typed)} does not exist${hasVariable(typed) ? ', and variables are not expanded' : ''}.`;
  const other = await otherReading(typed, wants, call);
  const path = access.absolute(typed.replace(/^@/, '') || '.');
  const found = await nearestDirectory(path, call, wants);
  const here = found === undefined || found.at === access.cwd;
  const shown = here ? '.' : access.display(found.at);
  const use =
    grammar === 'literal'
      ? here
        ? 'Use a path below the working directory, or an absolute one.'
        : `Use a path in ${quote(shown)}, the nearest directory.`
      : here
        ? 'Use . to list the working directory.'
        : `Use ${quote(shown)} to list the nearest directory.`;
  if (!found) return error(why, use, grammar === 'literal' ? undefined : '.');
  const link = found.linkTo;
  // A link to outside the roots must have been created meanwhile. The error then says nothing about its target.
  if (link !== undefined && mayLead(resolve(found.at, link), access.roots)) {
    const name = quote(access.display(join(found.at, found.name)));
    return error(`${name} is a link to ${quote(link)}, which does not exist.`, use, shown);
  }
  const near =
    other !== undefined ? [other] : found.near.map((name) => tellablePath(join(found.at, name), typed, call));
  const next = grammar === 'literal' ? near[0] : (near[0] ?? shown);
  return error(`${why}${didYouMean(near.map(quote))}`, use, next);
}

/** The path that exists and was probably meant: `$HOME/x`, `:src/app.ts`, and `a/src/app.ts` as a diff writes it. */
async function otherReading(typed: string, wants: WantedKind, call: Call): Promise<string | undefined> {
  const meant = typed.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, '~').replace(/^:(?=.)|^[ab]\/(?=.)/, '');
  if (meant === typed) return undefined;
  const path = call.access.absolute(meant);
  return (await isThere(path, wants, call)) ? tellablePath(path, typed, call) : undefined;
}

/** The error for `src/app.ts/x`, where `src/app.ts` is a file; undefined if that is not known. */
export async function explainThrough(
  typed: string,
  cause: OrielError,
  wants: WantedKind,
  call: Call,
): Promise<OrielError | undefined> {
  const path = await fileWithin(typed, call);
  if (path === undefined) return undefined;
  const file = call.access.display(path);
  const why = throughFile(quote(typed), quote(file));
  if (await isThere(path, wants, call))
    return advised(cause.code, why, `Use ${quote(file)}.`, { next: file, cause });
  if (wants === 'file') return advised(cause.code, why, 'Use the path of a text.', { cause });
  const parent = call.access.display(dirname(path));
  const advice = `Use ${quote(parent)} for its directory${wants === 'searched' ? '' : ', or read the file'}.`;
  return advised(cause.code, why, advice, { next: parent, cause });
}

/** Both as they are shown. */
export function throughFile(typed: string, file: string): string {
  return `${typed} goes through ${file}, which is a file.`;
}

/** The absolute path of the file within `typed`: of `src/app.ts` in `src/app.ts/x`. Undefined if there is none. */
export async function fileWithin(typed: string, { access, signal }: Call): Promise<string | undefined> {
  const found = await deepestDirectory(access, access.absolute(typed), signal);
  await found?.opened.close();
  const [name] = found?.names ?? [];
  if (!found || name === undefined) return undefined;
  const path = join(found.at, name);
  const opened = await access.open(path, signal).catch(() => undefined);
  await opened?.close();
  signal.throwIfAborted();
  return opened?.kind === 'file' ? path : undefined;
}

function mayLead(path: string, roots: readonly string[]): boolean {
  return roots.length === 0 || roots.some((root) => isPathWithin(path, root));
}

/** The error for a working directory that no longer exists; undefined if it exists, or `cause` says that it is outside the roots. */
export async function explainGone(call: Call, cause: unknown): Promise<OrielError | undefined> {
  if (isOrielError(cause) && cause.code === 'OUTSIDE_ROOT') return undefined;
  const { cwd } = call.access;
  const opened = await openDirectory(cwd, call);
  await opened?.close();
  if (opened) return undefined;
  const { roots } = call.access;
  const use =
    roots.length > 0 && roots.every((root) => isPathWithin(root, cwd))
      ? 'It has to be made before anything can be read.'
      : 'Use an absolute path, or start in a directory that exists.';
  const message = `The working directory ${quote(cwd)} does not exist. ${use}`;
  return new OrielError('NOT_FOUND', message, { cause });
}

/** Paths similar to one that does not exist, in the form in which they are shown. */
export async function nearPaths(typed: string, call: Call): Promise<string[]> {
  const { access } = call;
  const found = await nearestDirectory(access.absolute(typed.replace(/^@/, '') || '.'), call, 'directory');
  return found?.near.map((name) => tellablePath(join(found.at, name), typed, call)) ?? [];
}

/** What the tool of the call takes. `file`: no binary without a source. `searched`: a directory, a text or a container. */
type WantedKind = 'any' | 'file' | 'directory' | 'searched';

function isWantedKind(kind: string, wants: WantedKind): boolean {
  return wants === 'any' || wants === 'searched' || (kind === 'directory') === (wants === 'directory');
}

/** Whether there is something of that path that the tool takes. */
async function isThere(path: string, wants: WantedKind, call: Call): Promise<boolean> {
  const opened = await call.access.open(path, call.signal).catch(() => undefined);
  try {
    if (!opened || !isWantedKind(opened.kind, wants)) return false;
    if (wants === 'any' || opened.kind !== 'file') return true;
    const head = await readSourceHead(opened.bytes, call.signal);
    if (!isBinary(head) || storedEncoding(head).unit > 1) return true;
    const name = basename(path);
    if (wants === 'searched') return isContainerName(name);
    return sourceFor({ typed: path, rest: '', name, path, opened, head }, undefined).format !== 'file';
  } finally {
    await opened?.close();
  }
}

interface Nearest {
  /** The absolute path of the nearest existing directory above the path. */
  readonly at: string;
  /** The name that does not exist in it. */
  readonly name: string;
  /** The target, if an entry of that name is a broken link. */
  readonly linkTo?: string | undefined;
  /** Similar paths, relative to `at`. */
  readonly near: readonly string[];
}

/** Undefined if no directory above the path may be read. */
async function nearestDirectory(path: string, call: Call, wants: WantedKind): Promise<Nearest | undefined> {
  const found = await deepestDirectory(call.access, path, call.signal);
  if (!found) return undefined;
  try {
    return await lookIn(found, call, wants);
  } finally {
    await found.opened.close();
  }
}

async function lookIn(
  { opened: directory, at, names: missing }: DeepestDirectory,
  call: Call,
  wants: WantedKind,
): Promise<Nearest> {
  const [name = '', ...rest] = missing;
  const linkTo = await directory.linkTarget(name);
  if (linkTo !== undefined) return { at, name, linkTo, near: [] };
  const { entries } = await directory.list(MAX_COMPARED_ENTRIES, call.signal);
  const isLast = rest.length === 0;
  const known = entries
    .filter(({ type }) =>
      isLast ? type === 'link' || isWantedKind(type, wants) : type === 'directory' || type === 'link',
    )
    .map((entry) => entry.name);
  // A name with control characters, typed as it is shown.
  const shown = known.filter((other) => oneLine(other) === name);
  const names = shown.length > 0 ? shown : nearNames(name, known);
  // A directory in the path may be mistyped: if the rest of the path exists below a similar name, that is suggested.
  const near: string[] = [];
  for (const other of names) {
    const full = join(other, ...rest);
    if (await isThere(join(at, full), wants, call)) near.push(full);
    else if (!isLast && wants !== 'file') near.push(other);
  }
  return { at, name, near };
}

async function openDirectory(path: string, call: Call): Promise<OpenedDirectory | undefined> {
  const opened = await call.access.open(path, call.signal).catch((error: unknown) => {
    call.signal.throwIfAborted();
    if (error instanceof OrielError) return undefined;
    throw error;
  });
  if (opened?.kind === 'directory') return opened;
  await opened?.close();
  return undefined;
}

/** Explains a list of paths in one string, `a.ts,b.ts`, if only some of them exist. */

import { sep } from 'node:path';
import { advised, type ErrorCode, isOrielError, type OrielError } from '../errors.ts';
import { joinedPaths, MOST_PATHS, type SeparatedList, separatedLists } from '../selector/path-lists.ts';
import { isWeb } from '../sources/web.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import { nearPaths } from './missing-path.ts';
import { openSpelling } from './open-spelling.ts';
import { canonicalTarget, findTarget } from './target.ts';

/** Missing paths that the error names. */
const MOST_NAMED = 3;

/** A list of which only some paths exist; without duplicates. */
interface PartialList {
  readonly separator: SeparatedList['separator'];
  /** The paths that exist, in the form of notices. */
  readonly names: readonly string[];
  readonly missing: readonly string[];
  readonly urls: readonly string[];
}

/**
 * The error that names what is missing, with the call for the other paths. Undefined if `target` may be something else: one
 * mistyped path, a URL, a shell command, prose.
 */
export async function explainList(target: string, call: Call): Promise<OrielError | undefined> {
  if (isUrl(target.trim())) return undefined;
  const list = await partialList(target, call);
  // The string is one path if its commas belong to a query or a member name.
  if (!list || (await canonicalTarget(target, call)) !== undefined) return undefined;
  if (await isNearOnePath(target, call)) return undefined;
  const problem = await problemOf(list, call);
  call.signal.throwIfAborted();
  if (!problem) return undefined;
  const { code, why, cause } = problem;
  const next = joinedPaths(list.names, [list.separator === ';' ? ';' : ',']);
  if (next === undefined) return advised(code, why, 'Read the other paths one by one.', { cause });
  const others = list.names.length === 1 ? 'the other path' : 'the other paths';
  return advised(code, why, `Use ${quote(next)} for ${others}.`, { next, cause });
}

/** The list with the most paths that exist. Everything else in it must look like a path or a URL. */
async function partialList(target: string, call: Call): Promise<PartialList | undefined> {
  let best: PartialList | undefined;
  for (const { separator, paths } of separatedLists(target)) {
    if (paths.length < 2 || paths.length > MOST_PATHS) continue;
    const found = await Promise.all(paths.map((path) => canonicalTarget(path, call)));
    const names = [...new Set(found.filter((name) => name !== undefined))];
    const others = [...new Set(paths.filter((_, at) => found[at] === undefined))];
    const urls = others.filter(isUrl);
    const missing = others.filter((path) => !isUrl(path));
    if (others.length === 0 || names.length <= (best?.names.length ?? 0)) continue;
    if (!missing.every(looksLikePath)) continue;
    // `Smith, John.pdf` is one name, although a directory `Smith` exists.
    if (names.some(hasPathForm) || !/\s/.test(target) || (await someFile(names, call)))
      best = { separator, names, missing, urls };
  }
  return best;
}

/** Whether one of the existing paths is a file, such as `Makefile`. */
async function someFile(names: readonly string[], call: Call): Promise<boolean> {
  for (const name of names) {
    const { opened } = await openSpelling(withoutSelector(name), call);
    await opened.close();
    if (opened.is === 'file') return true;
  }
  return false;
}

function isUrl(text: string): boolean {
  return !/\s/.test(text) && (isWeb(text) || /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(text));
}

/** Whether there is a slash or an extension before the selector. */
function hasPathForm(path: string): boolean {
  return /[/\\]|\.\w+$/.test(withoutSelector(path));
}

/** Whether a string has the form of a path, without blanks, separators, and characters of shells and quotations. */
function looksLikePath(text: string): boolean {
  return hasPathForm(text) && !/\s/.test(text) && !/["'`|<>&$,;{}]/.test(withoutSelector(text));
}

function withoutSelector(path: string): string {
  return path.split(/[:#?]/, 1)[0] ?? '';
}

/**
 * Whether the whole string is similar to an existing path, as `test,data/x.json` to `test-data/x.json`. A path with which
 * the string begins does not count: it is the first path of the list.
 */
async function isNearOnePath(target: string, call: Call): Promise<boolean> {
  const { access } = call;
  const whole = access.display(access.absolute(target.replace(/^@/, ''))).toLowerCase();
  const near = await nearPaths(target, call);
  return near.some(
    (path) => path.split(sep).length === whole.split(sep).length && !whole.startsWith(path.toLowerCase()),
  );
}

interface Problem {
  readonly code: ErrorCode;
  readonly why: string;
  readonly cause?: unknown;
}

/** Undefined if a missing path can be read in another way. */
async function problemOf({ missing, urls }: PartialList, call: Call): Promise<Problem | undefined> {
  const ofPaths = missing.length > 0 ? await problemOfPaths(missing, call) : undefined;
  if (urls.length === 0 || (missing.length > 0 && !ofPaths)) return ofPaths;
  const verb = urls.length === 1 ? 'is a URL' : 'are URLs';
  const each = urls.length === 1 ? 'a URL' : 'each URL';
  const ofUrls = `${named(urls)} ${verb}: a list holds only paths, and ${each} is read alone.`;
  return ofPaths ? { ...ofPaths, why: `${ofPaths.why} ${ofUrls}` } : { code: 'UNSUPPORTED', why: ofUrls };
}

async function problemOfPaths(missing: readonly string[], call: Call): Promise<Problem | undefined> {
  const [first, second] = missing;
  if (first !== undefined && second === undefined) {
    const error = await errorOf(findTarget(first, 'selectors', call, false));
    return error && { code: error.code, why: error.why, cause: error };
  }
  const codes = await Promise.all(missing.map((path) => codeOf(path, call)));
  const other = codes.find((code) => code !== 'NOT_FOUND');
  return {
    code: other ?? 'NOT_FOUND',
    why: `${named(missing)} ${other ? 'cannot be read' : 'do not exist'}.`,
  };
}

async function codeOf(path: string, call: Call): Promise<ErrorCode> {
  const opening = openSpelling(path, call).then(({ opened }) => opened.close());
  return (await errorOf(opening))?.code ?? 'NOT_FOUND';
}

async function errorOf(work: Promise<unknown>): Promise<OrielError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isOrielError(error)) return error;
    throw error;
  }
}

/** `a.ts, b.ts and c.ts`, `a.ts, b.ts, c.ts and 2 more` */
function named(all: readonly string[]): string {
  const shown = all.slice(0, MOST_NAMED).map(quote);
  const left = all.length - shown.length;
  const last = left > 0 ? `${left} more` : shown.pop();
  return shown.length === 0 ? `${last}` : `${shown.join(', ')} and ${last}`;
}

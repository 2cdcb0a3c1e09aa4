/** Resolves a typed string: which part of it is the path, which spelling exists, and what is similar if none does. */

import { basename } from 'node:path';
import { advised, type ErrorCode, type GlobInPath, isOrielError, OrielError } from '../errors.ts';
import { validGlob } from '../files/glob-text.ts';
import { absolutePath, foreignName, pathSpellings, withoutTrailingDots } from '../files/paths.ts';
import { sources } from '../formats/table.ts';
import { pathRewrites, targetRewrites, withFragment } from '../selector/rewrites.ts';
import { candidates, isSelection, isSpelledSelector, type PathCandidate } from '../selector/selection.ts';
import { readSourceHead } from '../text/bytes.ts';
import { quote, shellWord } from '../text/visible.ts';
import type { OpenedItem } from '../types/access.ts';
import type { Call, SourceSubject } from '../types/call.ts';
import type { PathGrammar } from '../types/request.ts';
import { hasVariable, nameablePath } from './nameable-path.ts';

export interface FoundTarget {
  readonly subject: SourceSubject;
  /** Set if the path did not exist and the only path that ends in it was read instead. */
  readonly suffix?: { readonly from: string; readonly to: string } | undefined;
}

/**
 * Opens what `typed` names. `subject.opened` is closed at the end of the call. Throws OrielError. If no such path exists,
 * `unlessPath` may find something else. Then, if `walks` is set, the working directory is searched for a file whose path ends
 * in it; this may take seconds.
 */
export async function findTarget<T = never>(
  typed: string,
  grammar: PathGrammar,
  call: Call,
  walks = true,
  unlessPath?: () => Promise<T | undefined>,
): Promise<FoundTarget | T> {
  const target = grammar === 'selectors' ? withFragment(typed) : typed;
  const candidatesOf = grammar === 'selectors' ? candidates : (path: string) => [{ path, rest: '' }];
  const misses: Miss[] = [];
  const found = await firstThatOpens(candidatesOf(target), grammar, misses, call);
  if (found) return { subject: await subjectOf(found, found.rest, call) };
  const instead = await unlessPath?.();
  if (instead !== undefined) return instead;
  for (const other of otherTargets(target, grammar)) {
    const rewritten = await firstThatOpens(candidatesOf(other), grammar, [], call);
    if (rewritten) return { subject: await subjectOf(rewritten, rewritten.rest, call) };
  }
  if (grammar === 'literal') await refuseSelector(target, call);
  return missing(target, grammar, misses, call, walks);
}

/** Other spellings of `target`, most likely first. */
function otherTargets(target: string, grammar: PathGrammar): string[] {
  return grammar === 'selectors' ? targetRewrites(target, holds) : pathRewrites(target);
}

/** Throws if `target` is an existing file with a selector, `src/app.ts:12:5`, for a tool that has fields for lines. */
async function refuseSelector(target: string, call: Call): Promise<void> {
  for (const typed of [target, ...targetRewrites(target, () => false)]) {
    const found = await firstExisting(
      candidates(typed).filter(({ rest }) => rest !== '' && isSpelledSelector(rest)),
      call,
      'file',
    );
    if (!found) continue;
    const next = nameablePath(found.path, call);
    const why = `${quote(target)} does not exist. Did you mean ${quote(next)}?`;
    throw advised('NOT_FOUND', why, 'Use that path, and the fields for lines beside it.', { next });
  }
}

/** The form of `target` in notices, with its selector; undefined if it does not exist. */
export async function canonicalTarget(target: string, call: Call): Promise<string | undefined> {
  for (const typed of [target, ...otherTargets(target, 'selectors')]) {
    const found = await firstExisting(candidates(typed).filter(mayFollow), call);
    if (found) return joined(nameablePath(found.path, call), found.rest);
  }
  return undefined;
}

/** The first candidate that exists, with its absolute path. */
async function firstExisting(
  ways: readonly PathCandidate[],
  call: Call,
  wants: 'any' | 'file' = 'any',
): Promise<PathCandidate | undefined> {
  for (const { path, rest } of ways) {
    const found = await openSpelling(path, call).catch((error: unknown) => {
      if (error instanceof OrielError) return undefined;
      throw error;
    });
    await found?.opened.close();
    if (found && (wants === 'any' || found.opened.kind === wants)) return { path: found.path, rest };
  }
  return undefined;
}

/** A path with its selector or query. */
function joined(path: string, rest: string): string {
  return rest === '' ? path : `${path}${rest.startsWith('?') ? '' : ':'}${rest}`;
}

interface Miss {
  readonly candidate: PathCandidate;
  readonly error: OrielError;
}

/** Opens the first of `ordered` that exists; the errors of those before it are added to `misses`. */
async function firstThatOpens(
  ordered: readonly PathCandidate[],
  grammar: PathGrammar,
  misses: Miss[],
  call: Call,
): Promise<(SpelledPath & { readonly rest: string }) | undefined> {
  for (const candidate of ordered) {
    const found = await openSpelling(candidate.path, call).catch((error: unknown) => {
      if (!(error instanceof OrielError)) throw error;
      if (!isMiss(error.code)) throw grammar === 'literal' ? error : withNextCall(error);
      misses.push({ candidate, error });
      return undefined;
    });
    if (found) return { ...found, rest: candidate.rest };
  }
  return undefined;
}

/** Whether names may follow the path of a file with this name: a member of an archive, a table. */
function holds(name: string): boolean {
  return sources.some((source) => source.holds?.(name));
}

async function subjectOf({ opened, path }: SpelledPath, rest: string, call: Call): Promise<SourceSubject> {
  call.onEnd(() => opened.close());
  const head = opened.kind === 'file' ? await readSourceHead(opened.bytes, call.signal) : new Uint8Array(0);
  return {
    typed: nameablePath(path, call),
    rest,
    name: basename(opened.path),
    path: opened.path,
    opened,
    head,
  };
}

/** Opens the only file whose path ends in the missing path, or throws. Not for literal paths. */
async function missing(
  target: string,
  grammar: PathGrammar,
  misses: readonly Miss[],
  call: Call,
  walks: boolean,
): Promise<FoundTarget> {
  const outside = misses.findLast(({ error }) => error.code === 'OUTSIDE_ROOT');
  if (outside)
    throw (await insideInstead(target, outside.error, grammar, call)) ?? ownOutside(outside.error, grammar);
  if (grammar === 'selectors' && /^:(?!\/)/.test(target) && isSpelledSelector(target.slice(1))) {
    const message = `There is no path in front of ${quote(target)}. Use . to list the working directory.`;
    throw new OrielError('BAD_PATH', message, { next: '.' });
  }
  if (target.trim() === '') throw blankPath(grammar);
  const foreign = foreignName(target, call.access.roots.length > 0);
  if (foreign) throw (await withoutEnd(target, foreign, grammar, call)) ?? foreign;
  // A path that is too long, or uses a file as a directory, cannot be the end of another path.
  const other = misses.find(({ error }) => error.code !== 'NOT_FOUND');
  if (other) throw await explained(other, misses, grammar, call);
  const wanted = misses.findLast(({ candidate }) => mayFollow(candidate))?.candidate ?? {
    path: target,
    rest: '',
  };
  const { findBySuffix } = await import('./missing-path.ts');
  const matches = walks ? await findBySuffix(wanted.path, call) : [];
  const [only, ...others] = matches;
  if (grammar === 'selectors' && only !== undefined && others.length === 0) {
    const path = call.access.absolute(only);
    const opened = await call.access.open(path, call.signal);
    const subject = await subjectOf({ opened, path }, wanted.rest, call);
    return { subject, suffix: { from: wanted.path, to: only } };
  }
  throw await notFound(wanted.path, grammar, matches, misses.at(-1)?.error, call);
}

function ownOutside(error: OrielError, grammar: PathGrammar): OrielError {
  if (grammar !== 'literal') return error;
  return advised(error.code, error.why, 'Use a path below the working directory.', { cause: error });
}

/** A tool with a literal grammar reads only files. */
const kindOf = (grammar: PathGrammar): 'any' | 'file' => (grammar === 'literal' ? 'file' : 'any');

function blankPath(grammar: PathGrammar): OrielError {
  return grammar === 'literal'
    ? new OrielError('BAD_PATH', 'The path is blank. Use the path of a file.')
    : new OrielError('BAD_PATH', 'The path is blank. Use . for the working directory.', { next: '.' });
}

/** The error with a call to make instead, where there is one. */
async function explained(
  { error }: Miss,
  misses: readonly Miss[],
  grammar: PathGrammar,
  call: Call,
): Promise<OrielError> {
  const through = misses.findLast(
    ({ candidate, error: { code } }) => code === 'NOT_DIRECTORY' && mayFollow(candidate),
  );
  if (through) {
    const { explainThrough } = await import('./missing-path.ts');
    const named = await explainThrough(through.candidate.path, through.error, kindOf(grammar), call);
    if (named) return named;
  }
  return grammar === 'literal' ? error : withNextCall(error);
}

/** The error for `src/app.ts ` if `src/app.ts` exists. It is not opened: two names for a file could bypass host rules. */
async function withoutEnd(
  target: string,
  { code, why }: OrielError,
  grammar: PathGrammar,
  call: Call,
): Promise<OrielError | undefined> {
  const path = withoutTrailingDots(target.trim());
  if (path === target || !(await firstExisting([{ path, rest: '' }], call, kindOf(grammar))))
    return undefined;
  // Some tools with a literal grammar take only absolute paths.
  const next = grammar === 'literal' ? path : nameablePath(call.access.absolute(path), call);
  return advised(code, why, `Use ${quote(next)} without it.`, { next });
}

/** The most leading directories that are removed from a path of another machine. */
const MAX_LEADING_DIRECTORIES = 8;

/** The error for `/workspace/src/app.ts` if that is outside the roots and `src/app.ts` exists. */
async function insideInstead(
  target: string,
  { code, why, cause }: OrielError,
  grammar: PathGrammar,
  call: Call,
): Promise<OrielError | undefined> {
  const ways = grammar === 'selectors' ? candidates(target).filter(mayFollow) : [{ path: target, rest: '' }];
  for (const { path, rest } of ways) {
    const names = path.split('/').filter((name) => name !== '');
    if (!path.startsWith('/') || names.includes('..')) continue;
    for (let from = 0; from < Math.min(names.length, MAX_LEADING_DIRECTORIES); from += 1) {
      const inside = names.slice(from).join('/');
      if (!(await firstExisting([{ path: inside, rest: '' }], call, kindOf(grammar)))) continue;
      const next = joined(inside, isSelection(rest) || holds(basename(path)) ? rest : '');
      return advised(code, why, `Use ${quote(next)}.`, { next, cause });
    }
  }
  return undefined;
}

/** Whether `rest` can follow the path: it is a selector, or the path is a container with named members or tables. */
function mayFollow({ path, rest }: PathCandidate): boolean {
  return rest === '' || isSpelledSelector(rest) || holds(basename(path));
}

const MAX_NAMED_MATCHES = 5;

/** The error for a path that does not exist, with similar paths and a directory to list. */
async function notFound(
  path: string,
  grammar: PathGrammar,
  [first, ...others]: readonly string[],
  cause: OrielError | undefined,
  call: Call,
): Promise<OrielError> {
  const why = `${quote(path)} does not exist.`;
  if (first === undefined) {
    const { explainMissing } = await import('./missing-path.ts');
    const error = await explainMissing(path, grammar, cause, call);
    const glob = hasVariable(path) ? undefined : await globInPath(path, call);
    const { code, message, why: problem, next } = error;
    return glob ? new OrielError(code, message, { why: problem, next, glob, cause: error }) : error;
  }
  if (others.length === 0)
    return advised('NOT_FOUND', `${why} One file ends in it: ${quote(first)}.`, 'Use that path.', {
      next: first,
      cause,
    });
  const listed = [first, ...others].slice(0, MAX_NAMED_MATCHES).map(quote).join(', ');
  const more = others.length >= MAX_NAMED_MATCHES ? ', …' : '';
  return advised('NOT_FOUND', `${why} Several files end in it: ${listed}${more}.`, 'Use one of them.', {
    next: first,
    cause,
  });
}

// Opens a typed path: the first of its possible spellings that exists.

/** Errors that mean that the path does not exist, so that the next shorter candidate is tried. */
const MISSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_FOUND',
  'NOT_DIRECTORY',
  'OUTSIDE_ROOT',
  'NAME_TOO_LONG',
  'BAD_PATH',
]);

function isMiss(code: ErrorCode): boolean {
  return MISSES.has(code);
}

interface SpelledPath {
  readonly opened: OpenedItem;
  /** The absolute path that exists; links in it are not resolved. */
  readonly path: string;
}

/** The first spelling of `path` that exists. */
export async function openAny(path: string, call: Call): Promise<OpenedItem> {
  return (await openSpelling(path, call)).opened;
}

/** What is at `path`; undefined for what cannot be opened, such as a broken link. */
export async function kindAt(path: string, call: Call): Promise<OpenedItem['kind'] | undefined> {
  try {
    const opened = await openAny(path, call);
    await opened.close();
    return opened.kind;
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof OrielError) return undefined;
    throw error;
  }
}

export async function openSpelling(path: string, call: Call): Promise<SpelledPath> {
  if (path.includes('/..')) for (const name of listsTakenBack(path)) await mustExist(name, call);
  let first: OrielError | undefined;
  for (const spelling of pathSpellings(path, call.access.cwd)) {
    try {
      return { opened: await call.access.open(spelling, call.signal), path: spelling };
    } catch (error) {
      if (!(error instanceof OrielError) || !isMiss(error.code)) throw error;
      first ??= error;
    }
  }
  throw first ?? new OrielError('BAD_PATH', `${quote(path)} is not a path.`);
}

/** Possible separators of a list of paths. */
const between = /[,;|{\s]/;

/**
 * The prefixes of a path that look like a list and are removed by a later `..`: `a.ts,src/../b.ts` → `a.ts,src`. If such
 * a prefix does not exist, the string is a list and not one path.
 */
function listsTakenBack(path: string): string[] {
  const taken: string[] = [];
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name !== '..') names.push(name);
    else {
      if (between.test(names.at(-1) ?? '')) taken.push(names.join('/'));
      names.pop();
    }
  }
  return taken;
}

/** Throws if the name does not exist. Names outside the roots are reported when the path itself is opened. */
async function mustExist(name: string, call: Call): Promise<void> {
  try {
    const opened = await call.access.open(absolutePath(name, call.access.cwd), call.signal);
    await opened.close();
  } catch (error) {
    if (!(error instanceof OrielError) || error.code === 'NOT_FOUND') throw error;
  }
}

// Splits a path with a glob, such as `src/*.ts`, into an existing directory and the glob below it.

/** Undefined if `typed` has no `*`, or if the directory in front of the glob does not exist. */
export async function globInPath(typed: string, call: Call): Promise<GlobInPath | undefined> {
  if (!typed.includes('*')) return undefined;
  const list = listOf(typed);
  if (list) return list;
  // The form with slashes first: `src\*.ts` is a path of Windows if `src` is a directory.
  for (const path of [...pathRewrites(typed).reverse(), typed]) {
    const split = await splitGlob(path, async (at) => (await kindAt(at, call)) === 'directory');
    if (split) return split;
  }
  return undefined;
}

/** Splits a path with a glob behind the directory for which `exists` is true; without wildcards, before its last name. */
export async function splitGlob(
  path: string,
  exists: (at: string) => Promise<boolean>,
): Promise<GlobInPath | undefined> {
  // `[id]` may be the name of a directory, or a part of the glob.
  for (const first of [/\*/, /[*?[{]/, /[^/]*$/]) {
    const index = path.search(first);
    const split = index === -1 ? undefined : splitAt(path, index);
    if (split && (await exists(split.at))) return split;
  }
  return undefined;
}

/** Several globs, such as `src/*.ts, test/*.ts`, are one glob with alternatives. */
function listOf(typed: string): GlobInPath | undefined {
  const paths = typed.trim().split(/[,;\s]+/);
  const all = paths.length > 1 && paths.every((path) => /^(?![/~]|\.\.)[^{}\\"']*\*[^{}\\"']*$/.test(path));
  return all ? { at: '.', glob: validGlob(`{${paths.join(',')}}`) } : undefined;
}

/** `src/*.ts` → `src` and `*.ts`: splits before the name that holds the character at `index`. */
function splitAt(path: string, index: number): GlobInPath {
  const slash = path.lastIndexOf('/', index);
  const at = path.slice(0, slash + 1).replace(/(?<=.)\/+$/, '');
  return { at: at === '' ? '.' : at, glob: validGlob(path.slice(slash + 1)) };
}

// Adds a next call to errors about paths that exist, at least in part, but cannot be opened or read.

const DEAD_ENDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'DENIED',
  'LOOP',
  'NAME_TOO_LONG',
]);

/** The error with a next call, if it has none. */
export function withNextCall(error: OrielError): OrielError {
  if (error.next !== undefined || !DEAD_ENDS.has(error.code)) return error;
  return advised(error.code, error.why, 'Use . to list the working directory.', { next: '.', cause: error });
}

/**
 * For a damaged file that no other call can read either, the error advises to inspect it with a shell. A message in
 * brackets stands in place of a document and already says what to do.
 */
export function withShell(error: unknown, typed: string): unknown {
  if (!isOrielError(error) || error.code !== 'CORRUPT' || error.message.startsWith('[')) return error;
  if (error.next !== undefined && error.next !== typed && error.next !== '.') return error;
  const word = shellWord(typed);
  const message = `${error.message} Use a shell to look at it: file ${word}, or xxd ${word} | head -100.`;
  return new OrielError(error.code, message, { cause: error });
}

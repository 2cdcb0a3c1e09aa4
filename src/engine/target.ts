/** Resolves a typed string: which part of it is the path, which spelling exists, and what is similar if none does. */

import { basename } from 'node:path';
import { headOf } from '../access/bytes.ts';
import { foreignName } from '../access/paths.ts';
import { advised, GlobPathError, OrielError, PlaceError } from '../errors.ts';
import { isSpelledSelector, parseBehind } from '../selector/selection.ts';
import { pathRewrites, targetRewrites, withFragment, withSymbol } from '../selector/rewrites.ts';
import { type Candidate, candidates } from '../selector/split.ts';
import { sources } from '../sources/source-table.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { Grammar } from '../types/request.ts';
import type { Subject } from '../types/resource.ts';
import { withNextCall } from './error-advice.ts';
import { nameable } from './nameable.ts';
import { isMiss, openSpelling, type Spelled } from './open-spelling.ts';

export interface FoundTarget {
  readonly subject: Subject;
  /** Set if the path did not exist and the only path that ends in it was read instead. */
  readonly suffix?: { readonly from: string; readonly to: string };
}

/**
 * Opens what `typed` names. `subject.opened` is closed at the end of the call. Throws OrielError. If no such path exists
 * and `walks` is set, the working directory is searched for a file whose path ends in it; this may take seconds.
 */
export async function findTarget(
  typed: string,
  grammar: Grammar,
  call: Call,
  walks = true,
): Promise<FoundTarget> {
  const target = grammar === 'selectors' ? withFragment(typed) : typed;
  const candidatesOf = (name: string): readonly Candidate[] =>
    grammar === 'selectors' ? candidates(name) : [{ path: name, rest: '' }];
  const misses: Miss[] = [];
  const found = await firstThatOpens(candidatesOf(target), grammar, misses, call);
  if (found) return { subject: await subjectOf(found, found.rest, call) };
  for (const other of [...otherTargets(target, grammar), ...belowOwnName(target, call)]) {
    const rewritten = await firstThatOpens(candidatesOf(other), grammar, [], call);
    if (rewritten) return { subject: await subjectOf(rewritten, rewritten.rest, call) };
  }
  if (grammar === 'literal') await refusePlace(target, call);
  return missing(target, grammar, misses, call, walks);
}

/** In the working directory `project`, `src/app.ts` for `project/src/app.ts`: some tools put the workspace name first. */
function belowOwnName(target: string, { access }: Call): string[] {
  const own = `${basename(access.cwd)}/`;
  return target.startsWith(own) && target.length > own.length ? [target.slice(own.length)] : [];
}

/** Other spellings of `target`, most likely first. */
function otherTargets(target: string, grammar: Grammar): string[] {
  if (grammar !== 'selectors') return pathRewrites(target);
  const symbol = withSymbol(target);
  return [...targetRewrites(target, holds), ...(symbol === undefined ? [] : [symbol])];
}

/** Throws `PlaceError` if `target` is an existing path with a line range: `src/app.ts:12:5`, `src/app.ts#L3-L9`. */
async function refusePlace(target: string, call: Call): Promise<void> {
  for (const typed of [target, ...targetRewrites(target, () => false)]) {
    for (const candidate of candidates(typed).filter(({ rest }) => rest !== '' && isSpelledSelector(rest))) {
      const { window, mode, symbol } = parseBehind(candidate.path, candidate.rest) ?? {};
      const [range, ...others] = window?.by === 'lines' ? window.ranges : [];
      if (!range || others.length > 0 || mode || symbol) continue;
      const found = await firstThatOpens([candidate], 'literal', [], call);
      if (!found) continue;
      await found.opened.close();
      const path = nameable(found.path, call);
      const why = `${quote(target)} does not exist. Did you mean ${quote(path)}?`;
      const line = window?.by === 'lines' ? window.around : undefined;
      throw new PlaceError(
        { ...range, path, absolute: found.path, ...(line !== undefined && { line }) },
        `${why} Use that path, and the fields for lines beside it.`,
      );
    }
  }
}

/** The form of `target` in notices, with its selector; undefined if it does not exist. */
export async function canonicalTarget(target: string, call: Call): Promise<string | undefined> {
  for (const typed of [target, ...otherTargets(target, 'selectors')]) {
    const found = await firstExisting(candidates(typed).filter(mayFollow), call);
    if (found) return joined(nameable(found.path, call), found.rest);
  }
  return undefined;
}

/** The first candidate that exists, with its absolute path. */
async function firstExisting(ways: readonly Candidate[], call: Call): Promise<Candidate | undefined> {
  for (const { path, rest } of ways) {
    const found = await openSpelling(path, call).catch((error: unknown) => {
      if (error instanceof OrielError) return undefined;
      throw error;
    });
    await found?.opened.close();
    if (found) return { path: found.path, rest };
  }
  return undefined;
}

/** A path with its selector or query. */
function joined(path: string, rest: string): string {
  return rest === '' ? path : `${path}${rest.startsWith('?') ? '' : ':'}${rest}`;
}

interface Miss {
  readonly candidate: Candidate;
  readonly error: OrielError;
}

/** Opens the first of `ordered` that exists; the errors of those before it are added to `misses`. */
async function firstThatOpens(
  ordered: readonly Candidate[],
  grammar: Grammar,
  misses: Miss[],
  call: Call,
): Promise<(Spelled & { readonly rest: string }) | undefined> {
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

async function subjectOf({ opened, path }: Spelled, rest: string, call: Call): Promise<Subject> {
  call.onEnd(() => opened.close());
  const head = opened.is === 'file' ? await headOf(opened.bytes, call.signal) : new Uint8Array(0);
  return {
    typed: nameable(path, call),
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
  grammar: Grammar,
  misses: readonly Miss[],
  call: Call,
  walks: boolean,
): Promise<FoundTarget> {
  const outside = misses.findLast(({ error }) => error.code === 'OUTSIDE_ROOT');
  if (outside) throw (await insideInstead(target, outside.error, grammar, call)) ?? outside.error;
  if (grammar === 'selectors' && /^:(?!\/)/.test(target) && isSpelledSelector(target.slice(1))) {
    const message = `There is no path in front of ${quote(target)}. Use . to list the working directory.`;
    throw new OrielError('BAD_PATH', message, { next: '.' });
  }
  if (target.trim() === '')
    throw new OrielError('BAD_PATH', 'The path is blank. Use . for the working directory.', { next: '.' });
  const foreign = foreignName(target, call.access.roots.length > 0);
  if (foreign) throw (await withoutEnd(target, foreign, call)) ?? foreign;
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

/** The error with a call to make instead, where there is one. */
async function explained(
  { error }: Miss,
  misses: readonly Miss[],
  grammar: Grammar,
  call: Call,
): Promise<OrielError> {
  const through = misses.findLast(
    ({ candidate, error: { code } }) => code === 'NOT_DIRECTORY' && mayFollow(candidate),
  );
  if (through) {
    const { explainThrough } = await import('./missing-path.ts');
    const named = await explainThrough(through.candidate.path, through.error, 'any', call);
    if (named) return named;
  }
  return grammar === 'literal' ? error : withNextCall(error);
}

/** The error for `src/app.ts ` if `src/app.ts` exists. It is not opened: two names for a file could bypass host rules. */
async function withoutEnd(
  target: string,
  { code, why }: OrielError,
  call: Call,
): Promise<OrielError | undefined> {
  const path = withoutTrailing(target.trim());
  if (path === target || !(await firstExisting([{ path, rest: '' }], call))) return undefined;
  const next = nameable(call.access.absolute(path), call);
  return advised(code, why, `Use ${quote(next)}.`, { next });
}

/** Removes dots and blanks at the end. A regular expression would take quadratic time on a long run of dots. */
function withoutTrailing(path: string): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === '.' || path[end - 1] === ' ')) end -= 1;
  return path.slice(0, end);
}

/** The most leading directories that are removed from a path of another machine. */
const MOST_IN_FRONT = 8;

/** The error for `/workspace/src/app.ts` if that is outside the roots and `src/app.ts` exists. */
async function insideInstead(
  target: string,
  { code, why, cause }: OrielError,
  grammar: Grammar,
  call: Call,
): Promise<OrielError | undefined> {
  const ways = grammar === 'selectors' ? candidates(target).filter(mayFollow) : [{ path: target, rest: '' }];
  for (const { path, rest } of ways) {
    const names = path.split('/').filter((name) => name !== '');
    if (!path.startsWith('/') || names.includes('..')) continue;
    for (let from = 0; from < Math.min(names.length, MOST_IN_FRONT); from += 1) {
      const inside = names.slice(from).join('/');
      if (!(await firstExisting([{ path: inside, rest: '' }], call))) continue;
      const next = joined(inside, rest);
      return advised(code, why, `Use ${quote(next)}.`, { next, cause });
    }
  }
  return undefined;
}

/** Whether `rest` can follow the path: it is a selector, or the path is a container with named members or tables. */
function mayFollow({ path, rest }: Candidate): boolean {
  return rest === '' || isSpelledSelector(rest) || holds(basename(path));
}

const MOST_CANDIDATES = 5;

/** The error for a path that does not exist, with similar paths and a directory to list. */
async function notFound(
  path: string,
  grammar: Grammar,
  [first, ...others]: readonly string[],
  cause: OrielError | undefined,
  call: Call,
): Promise<OrielError> {
  const why = `${quote(path)} does not exist.`;
  if (first === undefined) {
    const { explainMissing } = await import('./missing-path.ts');
    const error = await explainMissing(path, grammar, cause, call);
    const glob = await (await import('./glob-path.ts')).globInPath(path, call);
    return glob ? new GlobPathError(error, glob) : error;
  }
  if (others.length === 0)
    return advised('NOT_FOUND', `${why} One file ends in it: ${quote(first)}.`, 'Use that path.', {
      next: first,
      cause,
    });
  const listed = [first, ...others].slice(0, MOST_CANDIDATES).map(quote).join(', ');
  const more = others.length >= MOST_CANDIDATES ? ', …' : '';
  return advised('NOT_FOUND', `${why} Several files end in it: ${listed}${more}.`, 'Use one of them.', {
    next: first,
    cause,
  });
}

/** Finds what a typed string names: which part is the path, which spelling exists, and what may have been meant. */

import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { headOf } from '../access/bytes.ts';
import { foreignName, spellings } from '../access/paths.ts';
import { type ErrorCode, OrielError } from '../errors.ts';
import { isSelector } from '../selector/selection.ts';
import { type Candidate, candidates } from '../selector/split.ts';
import { sources } from '../sources/table.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { Opened } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { Subject } from '../types/resource.ts';

export interface Found {
  readonly subject: Subject;
  /** Set when the path did not exist and another one, ending in it, was read instead. */
  readonly suffix?: { readonly from: string; readonly to: string };
}

/** Opens what `target` names. Throws OrielError; the caller closes `subject.opened` at the end of the call. */
export async function findTarget(
  target: string,
  grammar: 'selectors' | 'literal',
  call: Call,
): Promise<Found> {
  const ways = grammar === 'selectors' ? candidates(target) : [{ path: target, rest: '' }];
  const misses: { way: Candidate; error: OrielError }[] = [];
  for (const way of ways) {
    const opened = await openAny(way.path, call).catch((error: unknown) => {
      if (!(error instanceof OrielError)) throw error;
      if (!isMiss(error.code)) throw withWay(error, grammar);
      misses.push({ way, error });
      return undefined;
    });
    if (opened) return { subject: await subjectOf(way, opened, call) };
  }
  return missing(target, grammar, misses, call);
}

/** Failures that leave room for a shorter path: the longer one does not exist. */
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

/** The first spelling of `path` that exists. */
export async function openAny(path: string, call: Call): Promise<Opened> {
  let first: OrielError | undefined;
  for (const spelling of spellings(path, call.access.cwd)) {
    try {
      return await call.access.open(spelling, call.signal);
    } catch (error) {
      if (!(error instanceof OrielError) || !isMiss(error.code)) throw error;
      first ??= error;
    }
  }
  throw first ?? new OrielError('BAD_PATH', `${quote(path)} is not a path.`);
}

export async function subjectOf(way: Candidate, opened: Opened, call: Call): Promise<Subject> {
  call.onEnd(() => opened.close());
  const head = opened.is === 'file' ? await headOf(opened.bytes, call.signal) : new Uint8Array(0);
  return {
    typed: nameable(way.path, opened.path),
    rest: way.rest,
    name: basename(opened.path),
    path: opened.path,
    opened,
    head,
  };
}

/** A path stands in notices as it was typed, unless it would break their line: then as a file URL. */
function nameable(typed: string, real: string): string {
  return oneLine(typed) === typed ? typed : pathToFileURL(real).href;
}

/** Nothing of that name exists: one file that ends in it, or an error that names what does. A literal path is no guess. */
async function missing(
  target: string,
  grammar: 'selectors' | 'literal',
  misses: readonly { way: Candidate; error: OrielError }[],
  call: Call,
): Promise<Found> {
  const outside = misses.findLast(({ error }) => error.code === 'OUTSIDE_ROOT');
  if (outside) throw outside.error;
  const foreign = foreignName(target, call.access.roots.length > 0);
  if (foreign) throw foreign;
  // A path that is too long, or goes through a file, cannot be the end of another one.
  const other = misses.find(({ error }) => error.code !== 'NOT_FOUND');
  if (other) throw withWay(other.error, grammar);
  const wanted = misses.findLast(({ way }) => mayFollow(way))?.way ?? { path: target, rest: '' };
  const { findBySuffix } = await import('./lookup.ts');
  const matches = await findBySuffix(wanted.path, call);
  const [only, ...others] = matches;
  if (grammar === 'selectors' && only !== undefined && others.length === 0) {
    const opened = await call.access.open(call.access.absolute(only), call.signal);
    const subject = await subjectOf({ path: only, rest: wanted.rest }, opened, call);
    return { subject, suffix: { from: wanted.path, to: only } };
  }
  throw notFound(wanted.path, grammar, matches, misses.at(-1)?.error);
}

/** What a path met on the disk and cannot be opened at all. */
const DEAD_ENDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_DIRECTORY',
  'NOT_REGULAR',
  'DENIED',
  'LOOP',
  'NAME_TOO_LONG',
]);

/** The error with a call to make instead, where it names none and the grammar can list a directory. */
function withWay(error: OrielError, grammar: 'selectors' | 'literal'): OrielError {
  if (grammar === 'literal' || error.next !== undefined || !DEAD_ENDS.has(error.code)) return error;
  return new OrielError(error.code, `${error.message} Use . to list the working directory.`, {
    next: '.',
    cause: error,
  });
}

/** Whether `rest` can be what was asked of a file called so: a selector, a member of an archive, a table. */
function mayFollow({ path, rest }: Candidate): boolean {
  return rest === '' || isSelector(rest) || sources.some((source) => source.holds?.(basename(path)));
}

const MOST_CANDIDATES = 5;

function notFound(
  path: string,
  grammar: 'selectors' | 'literal',
  [first, ...others]: readonly string[],
  cause: OrielError | undefined,
): OrielError {
  const why = `${quote(path)} does not exist.`;
  if (first === undefined && grammar === 'selectors')
    return new OrielError('NOT_FOUND', `${why} Use . to list the working directory.`, { next: '.', cause });
  if (first === undefined)
    return new OrielError('NOT_FOUND', `${why} Use a path below the working directory, or an absolute one.`, {
      cause,
    });
  if (others.length === 0)
    return new OrielError('NOT_FOUND', `${why} One file ends in it: ${quote(first)}. Use that path.`, {
      next: first,
      cause,
    });
  const listed = [first, ...others].slice(0, MOST_CANDIDATES).map(quote).join(', ');
  const more = others.length >= MOST_CANDIDATES ? ', …' : '';
  return new OrielError('NOT_FOUND', `${why} Several files end in it: ${listed}${more}. Use one of them.`, {
    next: first,
    cause,
  });
}

/** The ways to read what is typed after `git://`, and `REV:path` as git writes it. */

import { posix } from 'node:path';
import { OrielError } from '../../errors.ts';
import { candidates, isSelector } from '../../selector/selection.ts';
import { decodeUri, quote } from '../../text/visible.ts';
import type {
  ChangesQuestion,
  DiffQuestion,
  LogQuestion,
  RevisionPath,
  ShowQuestion,
  StateQuestion,
} from './protocol.ts';

const MAX_REVISION_SLASHES = 16;

/** The URL of a path at a revision, without its selector. */
export function revisionUrl({ revision, path }: RevisionPath): string {
  return path === '' ? `git://${revision}` : `git://${revision}/${path}`;
}

/**
 * `main/src/x.ts:5-9` → a revision with its path: the longest revision first, because branches have slashes in their names,
 * and then the longest path.
 */
export function waysOfUrl(typed: string): RevisionPath[] {
  const end = /[:?]/.exec(typed)?.index ?? typed.length;
  const [revision, rest] = [typed.slice(0, end), typed.slice(typed[end] === ':' ? end + 1 : end)];
  const ends: number[] = [];
  for (let at = typed.indexOf('/'); at !== -1 && at < end; at = typed.indexOf('/', at + 1)) ends.push(at);
  return [
    ...(typed[end] === ':' && rest !== '' ? pathsAfter(revision, rest) : []),
    ...(rest === '' || isSelector(rest) || rest.startsWith('?') ? [{ revision, path: '', rest }] : []),
    ...ends
      .slice(0, MAX_REVISION_SLASHES)
      .toReversed()
      .flatMap((at) => pathsAfter(typed.slice(0, at), typed.slice(at + 1))),
  ].filter((way) => way.revision !== '');
}

/** A question whose answer is a text, with the selector of that text. */
export interface GitTextRequest {
  readonly question: LogQuestion | ShowQuestion | DiffQuestion | StateQuestion | ChangesQuestion;
  readonly rest: string;
}

/**
 * Parses what follows `git://`: nothing, `log…`, `show/REV`, `diff/A..B/path`, `diff/path`, `diff/REV/path` and
 * `diff/staged/path`. Undefined for others. Throws `BAD_PATH`.
 */
export function textRequest(typed: string, now: number): GitTextRequest | undefined {
  const alone = /^(?::(.*))?$/s.exec(typed);
  if (alone) {
    const [, own = ''] = alone;
    return own === '' || isSelector(own)
      ? { question: { kind: 'state', target: 'git://' }, rest: own }
      : undefined;
  }
  // The longest selector at the end.
  const way = candidates(typed).findLast(
    ({ rest }) => rest !== '' && !rest.startsWith('?') && isSelector(rest),
  );
  const { path: url, rest } = way ?? { path: typed, rest: '' };
  const target = `git://${url}`;
  const [, word, behind = '', query = ''] = /^(log|show|diff)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? [];
  const path = decodeUri(behind).replace(/\/+$/, '');
  switch (word) {
    case 'log':
      return { question: logQuestion(target, path, query, now), rest };
    case 'show':
      return { question: { kind: 'show', target, revision: path === '' ? 'HEAD' : path }, rest };
    case 'diff': {
      const [, from, to] = /^(?!\.\/|staged\/)((?:(?!\/\.\/).)*?)\.\.(?!\.)(.*)$/s.exec(path) ?? [];
      if (from === undefined || to === undefined) {
        const [, isStaged, inside = ''] = /^(staged(?:\/|$))?(.*)$/s.exec(path) ?? [];
        const of = isStaged === undefined ? 'changed' : 'staged';
        const inTree = inside.replace(/^\.\//, '');
        const since = of === 'changed' && inTree === inside ? ways(inside) : [];
        return { question: { kind: 'changes', target, of, path: inTree, ways: since }, rest };
      }
      const ends = ways(to).map((one) => ({ ...one, revision: one.revision === '' ? 'HEAD' : one.revision }));
      return { question: { kind: 'diff', target, from: from === '' ? 'HEAD' : from, ways: ends }, rest };
    }
    default:
      return undefined;
  }
}

/** `main/src` → `main/src`, and `src` of `main`. */
function ways(text: string): RevisionPath[] {
  const names = text.split('/');
  const ends = Array.from({ length: Math.min(names.length, MAX_REVISION_SLASHES) }, (_, i) => i + 1);
  return ends.toReversed().map((end) => ({
    revision: names.slice(0, end).join('/'),
    path: names.slice(end).join('/').replace(/^\.\//, ''),
    rest: '',
  }));
}

const DEFAULT_LOG_COMMITS = 50;
const MAX_LOG_LINES = 100_000;

function logQuestion(target: string, path: string, query: string, now: number): LogQuestion {
  const given = new URLSearchParams(query);
  const refuse = (why: string): OrielError => {
    const next = path === '' ? 'git://log' : `git://log/${path}`;
    return new OrielError(
      'BAD_PATH',
      `${why} Use ${quote(next)} with ?range=A..B, author=, since= or limit=.`,
      { next },
    );
  };
  const known = ['range', 'author', 'since', 'limit'];
  const wrong = [...given.keys()].find((name) => !known.includes(name));
  if (wrong !== undefined) throw refuse(`git://log takes no ?${quote(wrong)}=.`);
  const limit = Number(given.get('limit') ?? DEFAULT_LOG_COMMITS);
  if (!Number.isInteger(limit) || limit < 1)
    throw refuse(`limit=${quote(given.get('limit') ?? '')} is not a number from 1.`);
  const range = given.get('range') ?? 'HEAD';
  if (range.includes('...'))
    throw refuse(`The range ${quote(range)} has three dots, which is not supported.`);
  const [first = '', last] = range.split('..');
  const since = given.get('since');
  const seconds = since === null ? undefined : timeOf(since, now);
  if (seconds !== undefined && Number.isNaN(seconds))
    throw refuse(`since=${quote(since ?? '')} is neither a date (2026-01-31) nor an age (2 weeks).`);
  return {
    kind: 'log',
    target,
    path,
    from: last === undefined ? undefined : first || 'HEAD',
    until: (last ?? first) || 'HEAD',
    author: given.get('author') ?? undefined,
    since: seconds,
    limit: Math.min(limit, MAX_LOG_LINES),
  };
}

const SECONDS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_629_746,
  year: 31_556_952,
};

/** Seconds since the epoch, of a date or of an age such as `2 weeks ago`. NaN if it is neither. */
function timeOf(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})[ .]?([a-z]+?)s?(?:[ .]ago)?$/i.exec(text.trim()) ?? [];
  if (count === undefined) return Math.floor(Date.parse(text) / 1000);
  return Math.floor(now / 1000) - Number(count) * (SECONDS[unit.toLowerCase()] ?? Number.NaN);
}

/** `REV:path`; a path that begins with `./` or `../` is relative to `front`, the working directory inside the repository. */
export function waysOfRevisionPath(typed: string, front: string): RevisionPath[] {
  const at = typed.indexOf(':');
  const behind = typed.slice(at + 1);
  const path = /^\.\.?(?:\/|$)/.test(behind) ? posix.join(front, behind).replace(/^\.$/, '') : behind;
  return pathsAfter(typed.slice(0, at), path);
}

function pathsAfter(revision: string, behind: string): RevisionPath[] {
  const ways = candidates(behind).map(({ path, rest }) => ({
    revision,
    path: path.replace(/\/+$/, ''),
    rest,
  }));
  const decoded = decodeUri(behind);
  return decoded === behind ? ways : [...ways, ...pathsAfter(revision, decoded)];
}

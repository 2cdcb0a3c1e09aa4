/** Parses the part after `issue://` and `pr://`: a list, an issue or pull request, a diff or a part of one. */

import { OrielError } from '../../errors.ts';
import { candidates, isSelector, type PathCandidate } from '../../selector/selection.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import { REPOSITORY_PART, type RepositoryName } from './repository.ts';

export type GitHubScheme = 'issue' | 'pr';

export type GitHubTarget = { readonly repository: RepositoryName | undefined } & (
  | { readonly kind: 'list'; readonly list: ThreadListQuery }
  | { readonly kind: 'thread'; readonly number: number; readonly comments: boolean }
  /** `part` is the list of changed files, one of them (1-based), or the complete diff. */
  | { readonly kind: 'diff'; readonly number: number; readonly part: 'files' | 'all' | number }
);

export interface ThreadListQuery {
  readonly state: string;
  readonly limit: number;
  readonly author?: string | undefined;
  /** An entry must have all of these labels. */
  readonly labels: readonly string[];
  /** The number of entries in GitHub's own list that earlier pages have already examined. */
  readonly offset: number;
}

interface GitHubAddress {
  readonly asked: GitHubTarget;
  readonly rest: string;
}

const STATES = { issue: ['open', 'closed', 'all'], pr: ['open', 'closed', 'merged', 'all'] } as const;

const DEFAULT_LIST_LIMIT = 30;
const MAX_LIST_LIMIT = 100;
/** The highest offset; GitHub's own lists end before it. */
const MAX_LIST_OFFSET = 1_000_000;

/** "acme/widget/7?comments=0:5-9" → issue 7 of acme/widget without comments, and `5-9`. Throws OrielError. */
export function parseGitHubAddress(scheme: GitHubScheme, typed: string): GitHubAddress {
  if (typed.length > MAX_GITHUB_URL_CHARACTERS) {
    throw new OrielError(
      'BAD_PATH',
      `${scheme}:// has at most ${MAX_GITHUB_URL_CHARACTERS} characters after it, not ${typed.length}. Use ${scheme}:// for the list.`,
      { next: `${scheme}://` },
    );
  }
  const { path, rest } = splitSelector(typed);
  const [, name = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const parameters = [...new URLSearchParams(query)];
  // People also write "acme/widget#7".
  const segments = name.replaceAll('#', '/').split('/').filter(Boolean);
  const here = NUMBER.test(segments[0] ?? '') && (segments.length === 1 || segments[1] === 'diff');
  const [owner = '', named = ''] = here ? [] : segments.splice(0, 2);
  // Clone URLs end in `.git`.
  const repo = named.replace(/\.git$/, '');
  if (!here && owner !== '' && !(REPOSITORY_PART.test(owner) && REPOSITORY_PART.test(repo)))
    throw noForm(scheme, typed);
  const repository: RepositoryName | undefined = owner === '' ? undefined : `${owner}/${repo}`;
  const [digits, diff, part, ...others] = segments;
  const list = `${scheme}://${repository ?? ''}`;
  if (digits === undefined) {
    return { asked: { repository, kind: 'list', list: listOf(scheme, list, parameters) }, rest };
  }
  if (!NUMBER.test(digits) || others.length > 0) throw noForm(scheme, typed);
  const number = Number(digits);
  const one = repository === undefined ? `${list}${digits}` : `${list}/${digits}`;
  if (diff === undefined) {
    return { asked: { repository, kind: 'thread', number, comments: commentsOf(one, parameters) }, rest };
  }
  if (scheme !== 'pr' || diff !== 'diff') throw noForm(scheme, typed);
  refuseOthers(parameters, [], `pr://${typed}`, `${one}/diff`);
  return { asked: { repository, kind: 'diff', number, part: partOf(part, typed) }, rest };
}

const NUMBER = /^\d{1,10}$/;

/** The most characters, as for other URLs. */
const MAX_GITHUB_URL_CHARACTERS = 8_192;

/** Splits off the selector at the end. A parameter value that looks like a selector must be written with %3A. */
function splitSelector(typed: string): PathCandidate {
  const isSelected = ({ rest }: PathCandidate): boolean => rest !== '' && isSelector(rest);
  return candidates(typed).findLast(isSelected) ?? { path: typed, rest: '' };
}

function partOf(part: string | undefined, typed: string): 'files' | 'all' | number {
  if (part === undefined) return 'files';
  if (part === 'all') return 'all';
  if (NUMBER.test(part) && Number(part) > 0) return Number(part);
  throw noForm('pr', typed);
}

function noForm(scheme: GitHubScheme, typed: string): OrielError {
  const one = `${scheme}://7, ${scheme}://OWNER/REPOSITORY/7`;
  const more = scheme === 'pr' ? ', pr://7/diff, pr://7/diff/1, pr://7/diff/all' : '';
  return new OrielError(
    'BAD_PATH',
    `${quote(`${scheme}://${typed}`)} names nothing of GitHub. Use ${scheme}:// for the list, ${one}${more}.`,
    { next: `${scheme}://` },
  );
}

type Parameters = readonly (readonly [string, string])[];

/** `list` is the URL without parameters. */
function listOf(scheme: GitHubScheme, list: string, parameters: Parameters): ThreadListQuery {
  refuseOthers(
    parameters,
    ['state', 'limit', 'author', 'label', 'offset'],
    `the list of ${scheme}://`,
    `${list}?state=closed&limit=50`,
  );
  const last = (name: string): string | undefined => parameters.findLast(([key]) => key === name)?.[1];
  const state = (last('state') ?? 'open').toLowerCase();
  if (!(STATES[scheme] as readonly string[]).includes(state)) {
    throw badValue('state', state, `one of ${STATES[scheme].join(', ')}`, `${list}?state=closed`);
  }
  const author = last('author');
  return {
    state,
    limit: numberOf('limit', last('limit') ?? String(DEFAULT_LIST_LIMIT), 1, MAX_LIST_LIMIT, list),
    author,
    labels: parameters.filter(([key]) => key === 'label').flatMap(([, value]) => value.split(',')),
    offset: numberOf('offset', last('offset') ?? '0', 0, MAX_LIST_OFFSET, list),
  };
}

/** `one` is the URL without parameters. */
function commentsOf(one: string, parameters: Parameters): boolean {
  refuseOthers(parameters, ['comments'], one, `${one}?comments=0`);
  const given = parameters.at(-1)?.[1];
  if (given === undefined || given === '1' || given === 'true') return true;
  if (given === '0' || given === 'false') return false;
  throw badValue('comments', given, '0 or 1', `${one}?comments=0`);
}

function numberOf(name: string, value: string, least: number, most: number, list: string): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw badValue(name, value, `a number from ${least} to ${most}`, `${list}?${name}=${most}`);
}

function badValue(name: string, value: string, what: string, next: string): OrielError {
  return new OrielError('BAD_QUERY', `${name} is ${what}, not ${quote(value)}. Use ${next}.`, { next });
}

function refuseOthers(parameters: Parameters, known: readonly string[], of: string, next: string): void {
  const other = parameters.find(([name]) => !known.includes(name))?.[0];
  if (other === undefined) return;
  const have = known.length === 0 ? 'none' : known.join(', ');
  const near = didYouMean(nearNames(other, known));
  throw new OrielError(
    'BAD_QUERY',
    `${quote(other)} is not a parameter of ${quote(of)}, which has ${have}.${near} Use ${next}.`,
    { next },
  );
}

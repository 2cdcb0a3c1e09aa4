/** What follows `issue://` and `pr://`: a list, an issue or pull request, a diff or a part of one. */

import { OrielError } from '../../errors.ts';
import { isSelector } from '../../selector/selection.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import { NAME, type Repository } from './repository.ts';

export type SchemeName = 'issue' | 'pr';

export type Asked = { readonly repository: Repository | undefined } & (
  | { readonly is: 'list'; readonly list: ListAsk }
  | { readonly is: 'thread'; readonly number: number; readonly comments: boolean }
  /** `part`: the listing of its files, one of them (1-based), or all of it. */
  | { readonly is: 'diff'; readonly number: number; readonly part: 'files' | 'all' | number }
);

export interface ListAsk {
  readonly state: string;
  readonly limit: number;
  readonly author?: string;
  /** All of them have to be there. */
  readonly labels: readonly string[];
  /** Entries of GitHub's own list that were looked at by earlier pages. */
  readonly offset: number;
}

export interface Typed {
  readonly asked: Asked;
  /** What follows, without the colon. */
  readonly rest: string;
}

const STATES = { issue: ['open', 'closed', 'all'], pr: ['open', 'closed', 'merged', 'all'] } as const;

const DEFAULT_LIMIT = 30;
const MOST_LIMIT = 100;
/** GitHub's own lists end before. */
const MOST_OFFSET = 1_000_000;

/** "acme/widget/7?comments=0:5-9" → issue 7 of acme/widget without comments, and `5-9`. Throws OrielError. */
export function askOf(scheme: SchemeName, typed: string): Typed {
  const { path, rest } = splitSelector(typed);
  const [, name = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(path) ?? [];
  const parameters = [...new URLSearchParams(query)];
  // "acme/widget#7" is how people write it.
  const segments = name.replaceAll('#', '/').split('/').filter(Boolean);
  const here = NUMBER.test(segments[0] ?? '') && (segments.length === 1 || segments[1] === 'diff');
  const [owner = '', repo = ''] = here ? [] : segments.splice(0, 2);
  if (!here && owner !== '' && !(NAME.test(owner) && NAME.test(repo))) throw noForm(scheme, typed);
  const repository: Repository | undefined = owner === '' ? undefined : `${owner}/${repo}`;
  const [digits, diff, part, ...others] = segments;
  if (digits === undefined) {
    return { asked: { repository, is: 'list', list: listOf(scheme, parameters) }, rest };
  }
  if (!NUMBER.test(digits) || others.length > 0) throw noForm(scheme, typed);
  const number = Number(digits);
  if (diff === undefined) {
    return { asked: { repository, is: 'thread', number, comments: commentsOf(scheme, parameters) }, rest };
  }
  if (scheme !== 'pr' || diff !== 'diff') throw noForm(scheme, typed);
  refuseOthers(parameters, [], `pr://${typed}`, 'pr://12/diff');
  return { asked: { repository, is: 'diff', number, part: partOf(part, typed) }, rest };
}

const NUMBER = /^\d{1,10}$/;

/** A selector stands at the end. A value of a parameter that looks like one is written with %3A. */
function splitSelector(typed: string): { readonly path: string; readonly rest: string } {
  for (let at = typed.indexOf(':'); at !== -1; at = typed.indexOf(':', at + 1)) {
    const rest = typed.slice(at + 1);
    if (isSelector(rest)) return { path: typed.slice(0, at), rest };
  }
  return { path: typed, rest: '' };
}

function partOf(part: string | undefined, typed: string): 'files' | 'all' | number {
  if (part === undefined) return 'files';
  if (part === 'all') return 'all';
  if (NUMBER.test(part) && Number(part) > 0) return Number(part);
  throw noForm('pr', typed);
}

function noForm(scheme: SchemeName, typed: string): OrielError {
  const one = `${scheme}://7, ${scheme}://OWNER/REPOSITORY/7`;
  const more = scheme === 'pr' ? ', pr://7/diff, pr://7/diff/1, pr://7/diff/all' : '';
  return new OrielError(
    'BAD_PATH',
    `${quote(`${scheme}://${typed}`)} names nothing of GitHub. Use ${scheme}:// for the list, ${one}${more}.`,
    { next: `${scheme}://` },
  );
}

type Parameters = readonly (readonly [string, string])[];

function listOf(scheme: SchemeName, parameters: Parameters): ListAsk {
  refuseOthers(
    parameters,
    ['state', 'limit', 'author', 'label', 'offset'],
    `the list of ${scheme}://`,
    `${scheme}://?state=closed&limit=50`,
  );
  const last = (name: string): string | undefined => parameters.findLast(([key]) => key === name)?.[1];
  const state = (last('state') ?? 'open').toLowerCase();
  if (!(STATES[scheme] as readonly string[]).includes(state)) {
    throw badValue('state', state, `one of ${STATES[scheme].join(', ')}`, `${scheme}://?state=closed`);
  }
  const author = last('author');
  return {
    state,
    limit: numberOf('limit', last('limit') ?? String(DEFAULT_LIMIT), 1, MOST_LIMIT, scheme),
    ...(author !== undefined && { author }),
    labels: parameters.filter(([key]) => key === 'label').flatMap(([, value]) => value.split(',')),
    offset: numberOf('offset', last('offset') ?? '0', 0, MOST_OFFSET, scheme),
  };
}

function commentsOf(scheme: SchemeName, parameters: Parameters): boolean {
  refuseOthers(parameters, ['comments'], `one of ${scheme}://`, `${scheme}://7?comments=0`);
  const given = parameters.at(-1)?.[1];
  if (given === undefined || given === '1' || given === 'true') return true;
  if (given === '0' || given === 'false') return false;
  throw badValue('comments', given, '0 or 1', `${scheme}://7?comments=0`);
}

function numberOf(name: string, value: string, least: number, most: number, scheme: SchemeName): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw badValue(name, value, `a number from ${least} to ${most}`, `${scheme}://?${name}=${most}`);
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

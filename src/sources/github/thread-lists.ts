/** Lists issues and pull requests: one line each, beginning with the call that reads it. */

import { oneLine } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import type { ListAsk, SchemeName } from './github-ask.ts';
import type { Wanted } from './github-api.ts';
import { authorOf, dayOf, labelsOf, stateOf } from './github-markdown.ts';
import { type Reader, pageAt } from './replies.ts';
import type { Repository } from './local-repository.ts';
import type { Thread } from './shapes.ts';

/** The most pages of 100 entries that one call reads. */
const MOST_PAGES = 10;
const PER_PAGE = 100;

export interface Listed {
  readonly text: string;
  readonly more?: Notice;
}

/** A list and its parameters. */
interface Place {
  readonly scheme: SchemeName;
  readonly repository: Repository;
  readonly list: ListAsk;
}

export async function listText(place: Place, wanted: Wanted, reader: Reader): Promise<Listed> {
  const { scheme, repository, list } = place;
  const found: Thread[] = [];
  let { offset } = list;
  let more = true;
  for (let page = 0; page < MOST_PAGES && more && found.length < list.limit; page += 1) {
    const { value, continues } = await pageAt(pageUrl(place, offset), 'threads', wanted, reader);
    const entries = value.slice(offset % PER_PAGE);
    const room = list.limit - found.length;
    const fitting = entries.flatMap((entry, i) => (fits(entry, place) ? [i] : []));
    found.push(...fitting.slice(0, room).map((i) => entries[i] as Thread));
    if (fitting.length > room) {
      offset += (fitting[room - 1] as number) + 1;
      break;
    }
    more = continues;
    // A page may have fewer entries than requested. The next page still begins where a full one would end.
    offset += more ? PER_PAGE - (offset % PER_PAGE) : entries.length;
  }
  const lines = found.map((thread) => lineOf(thread, scheme, repository));
  const use = nextCall(place, offset);
  return {
    text: lines.join('') || `(no ${describe(place)}${more ? ' so far' : ''})\n`,
    ...(more && {
      more: {
        kind: 'said',
        text: `Showing ${found.length}, and there may be more. Use ${use} to continue`,
        use,
      },
    }),
  };
}

/** The URL of a page. `/issues` also lists pull requests; it is used for filters, which `/pulls` does not support. */
function pageUrl({ scheme, repository, list }: Place, offset: number): string {
  const { state, author, labels } = list;
  const filtered = author !== undefined || labels.length > 0;
  const query = new URLSearchParams({
    state: state === 'merged' ? 'closed' : state,
    ...(author !== undefined && { creator: author }),
    ...(labels.length > 0 && { labels: labels.join(',') }),
    per_page: String(PER_PAGE),
    page: String(Math.floor(offset / PER_PAGE) + 1),
  });
  return `/repos/${repository}/${scheme === 'pr' && !filtered ? 'pulls' : 'issues'}?${query}`;
}

function fits(thread: Thread, { scheme, list }: Place): boolean {
  const isPull = Boolean(thread.pull_request ?? thread.head);
  if (isPull !== (scheme === 'pr')) return false;
  return list.state !== 'merged' || stateOf(thread) === 'merged';
}

/** A line of the list: "pr://acme/widget/12  draft  ana  2026-05-01  A title  [bug, ui]". */
function lineOf(thread: Thread, scheme: SchemeName, repository: Repository): string {
  const labels = labelsOf(thread);
  const parts = [
    `${scheme}://${repository}/${thread.number ?? 0}`,
    stateOf(thread),
    authorOf(thread),
    dayOf(thread.created_at),
    oneLine(thread.title ?? '').slice(0, 300),
    ...(labels.length > 0 ? [`[${oneLine(labels.join(', ')).slice(0, 200)}]`] : []),
  ];
  return `${parts.join('  ')}\n`;
}

function describe({ scheme, repository, list }: Place): string {
  const what = scheme === 'pr' ? 'pull requests' : 'issues';
  return `${list.state === 'all' ? '' : `${list.state} `}${what} in ${repository}`;
}

/** The call for the next page, which begins at entry `offset` of GitHub's list. */
function nextCall({ scheme, repository, list }: Place, offset: number): string {
  return `${scheme}://${repository}?${queryOf({ ...list, offset })}`;
}

/** The query string of the parameters that differ from the defaults. */
export function queryOf({ state, limit, author, labels, offset }: ListAsk): string {
  const given: [string, string][] = [];
  if (state !== 'open') given.push(['state', state]);
  if (limit !== 30) given.push(['limit', String(limit)]);
  if (author !== undefined) given.push(['author', author]);
  for (const label of labels) given.push(['label', label]);
  if (offset > 0) given.push(['offset', String(offset)]);
  return new URLSearchParams(given).toString();
}

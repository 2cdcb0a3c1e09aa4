/** Formats an issue or pull request with its comments as Markdown. */

import { oneLine } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { GitHubCall } from './api.ts';
import { type GitHubReader, objectAt, pageAt, pagesAt } from './replies.ts';
import type { RepositoryName } from './repository.ts';
import type { GitHubScheme, ThreadListQuery } from './select.ts';
import type { GitHubRemark, GitHubReview, GitHubThread, PlacedRemark } from './shapes.ts';

/** The most pages of 100 comments, per kind of comment. */
const MAX_COMMENT_PAGES = 10;

interface ThreadPlace {
  readonly scheme: GitHubScheme;
  readonly repository: RepositoryName;
  readonly number: number;
  readonly comments: boolean;
}

export async function threadText(place: ThreadPlace, wanted: GitHubCall, reader: GitHubReader) {
  const { scheme, repository, number } = place;
  const url = `/repos/${repository}/${scheme === 'pr' ? 'pulls' : 'issues'}/${number}`;
  const thread = await objectAt(url, 'thread', wanted, reader);
  const { said, more } = place.comments ? await remarksOn(place, wanted, reader) : { said: [], more: false };
  const isPull = scheme === 'issue' && Boolean(thread.pull_request);
  const parts = [headOf(thread, place), threadBody(thread), ...said.map(remarkText)];
  const bytes = Buffer.from(`${parts.filter(Boolean).join('\n\n')}\n`);
  return {
    bytes,
    notes: [
      ...movedNotes(thread, place),
      ...(more ? [`Only ${said.length} comments are shown, and GitHub has more`] : []),
      ...(isPull
        ? [`This is a pull request: pr://${repository}/${number} has its reviews and its diff`]
        : []),
    ],
    facts: {
      url: thread.html_url ?? undefined,
      repository,
      number,
      state: threadState(thread),
    },
  };
}

/** The notice for a transferred issue, for which GitHub returns the new one. */
function movedNotes({ html_url: url }: GitHubThread, { scheme, repository, number }: ThreadPlace): string[] {
  const [, now, kind, digits] = /\/([\w.-]+\/[\w.-]+)\/(issues|pull)\/(\d+)$/.exec(url ?? '') ?? [];
  if (now === undefined || (Number(digits) === number && now.toLowerCase() === repository.toLowerCase()))
    return [];
  return [`It has moved: it is ${kind === 'pull' ? 'pr' : scheme}://${now}/${digits} now`];
}

interface Said {
  readonly at: string;
  readonly by: string;
  readonly about: string;
  readonly body: string;
}

/** Comments, reviews and comments on the diff, oldest first. */
async function remarksOn(
  { scheme, repository, number }: ThreadPlace,
  wanted: GitHubCall,
  reader: GitHubReader,
): Promise<{ readonly said: readonly Said[]; readonly more: boolean }> {
  const list = <N extends 'remarks' | 'reviews' | 'placed'>(path: string, shape: N) =>
    pagesAt(`/repos/${repository}/${path}?per_page=100`, shape, MAX_COMMENT_PAGES, wanted, reader);
  const comments = await list(`issues/${number}/comments`, 'remarks');
  const said = comments.items.map((one) => saidBy(one, ''));
  if (scheme === 'issue') return { said, more: comments.more };
  const reviews = await list(`pulls/${number}/reviews`, 'reviews');
  const placed = await list(`pulls/${number}/comments`, 'placed');
  const all = [
    ...said,
    ...reviews.items
      .filter(
        (one) => threadBody(one) !== '' || one.state === 'APPROVED' || one.state === 'CHANGES_REQUESTED',
      )
      .map((one) => saidBy({ ...one, created_at: one.submitted_at ?? null }, reviewed(one))),
    ...placed.items.map((one) => saidBy(one, placeOf(one))),
  ];
  return {
    said: all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    more: comments.more || reviews.more || placed.more,
  };
}

function saidBy(remark: GitHubRemark, about: string): Said {
  return { at: remark.created_at ?? '', by: authorOf(remark), about, body: threadBody(remark) };
}

function reviewed({ state }: GitHubReview): string {
  const words: Readonly<Record<string, string>> = {
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'requested changes',
    DISMISSED: 'a review that was dismissed',
  };
  return words[state] ?? 'a review';
}

function placeOf({ path, line, original_line: before }: PlacedRemark): string {
  const at = line ?? before;
  return `on ${oneLine(path)}${at === null || at === undefined ? '' : `:${at}`}`;
}

function remarkText({ at, by, about, body }: Said): string {
  const head = [`**${by}**`, threadDay(at), about].filter(Boolean).join(' ');
  return `---\n\n${head}${body === '' ? '' : `\n\n${body}`}`;
}

function headOf(thread: GitHubThread, { scheme, repository, number }: ThreadPlace): string {
  const labels = labelsOf(thread);
  const assignees = (thread.assignees ?? []).flatMap((one) => one?.login ?? []);
  const closed = thread.merged_at ?? thread.closed_at;
  const facts = [
    `State: ${threadState(thread)}`,
    `Author: ${authorOf(thread)}`,
    `Created: ${threadDay(thread.created_at)}`,
    closed ? `Closed: ${threadDay(closed)}` : '',
    labels.length > 0 ? `Labels: ${oneLine(labels.join(', '))}` : '',
    assignees.length > 0 ? `Assigned to: ${oneLine(assignees.join(', '))}` : '',
    !thread.milestone?.title ? '' : `Milestone: ${oneLine(thread.milestone.title)}`,
  ];
  const lines = [
    `# ${oneLine(thread.title ?? '')} (#${number})`,
    '',
    facts.filter(Boolean).join(' · '),
    ...(scheme === 'pr' ? [changesOf(thread, repository, number)] : []),
    ...(!thread.html_url ? [] : [oneLine(thread.html_url)]),
  ];
  return lines.join('\n');
}

function changesOf(
  { head, base, ...thread }: GitHubThread,
  repository: RepositoryName,
  number: number,
): string {
  const { changed_files: files, additions, deletions } = thread;
  const counts =
    files === undefined || files === null ? '' : `: ${files} files, +${additions ?? 0} -${deletions ?? 0}`;
  const branches = `${head?.label ?? head?.ref ?? '?'} → ${base?.label ?? base?.ref ?? '?'}`;
  return `${oneLine(branches)} · pr://${repository}/${number}/diff${counts}`;
}

// Lists issues and pull requests: one line each, beginning with the call that reads it.

/** The most pages of 100 entries that one call reads. */
const MAX_LIST_PAGES = 10;
const PER_PAGE = 100;

interface ListPlace {
  readonly scheme: GitHubScheme;
  readonly repository: RepositoryName;
  readonly list: ThreadListQuery;
}

export async function listText(place: ListPlace, wanted: GitHubCall, reader: GitHubReader) {
  const { scheme, repository, list } = place;
  const found: GitHubThread[] = [];
  let { offset } = list;
  let more = true;
  for (let page = 0; page < MAX_LIST_PAGES && more && found.length < list.limit; page += 1) {
    const { value, continues } = await pageAt(pageUrl(place, offset), 'threads', wanted, reader);
    const entries = value.slice(offset % PER_PAGE);
    const room = list.limit - found.length;
    const fitting = entries.flatMap((entry, i) => (fits(entry, place) ? [i] : []));
    found.push(...fitting.slice(0, room).map((i) => entries[i] as GitHubThread));
    if (fitting.length > room) {
      offset += (fitting[room - 1] as number) + 1;
      break;
    }
    more = continues;
    // A page may have fewer entries than requested. The next page still begins where a full one would end.
    offset += more ? PER_PAGE - (offset % PER_PAGE) : entries.length;
  }
  const lines = found.map((thread) => lineOf(thread, scheme, repository));
  const use = `${scheme}://${repository}?${queryOf({ ...list, offset })}`;
  const said = `Showing ${found.length}, and there may be more. Use ${use} to continue`;
  const next: Notice | undefined = more ? { kind: 'said', text: said, use } : undefined;
  return { text: lines.join('') || `(no ${describe(place)}${more ? ' so far' : ''})\n`, more: next };
}

/** The URL of a page. `/issues` also lists pull requests; it is used for filters, which `/pulls` does not support. */
function pageUrl({ scheme, repository, list }: ListPlace, offset: number): string {
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

function fits(thread: GitHubThread, { scheme, list }: ListPlace): boolean {
  const isPull = Boolean(thread.pull_request ?? thread.head);
  if (isPull !== (scheme === 'pr')) return false;
  return list.state !== 'merged' || threadState(thread) === 'merged';
}

/** A line of the list: "pr://acme/widget/12  draft  ana  2026-05-01  A title  [bug, ui]". */
function lineOf(thread: GitHubThread, scheme: GitHubScheme, repository: RepositoryName): string {
  const labels = labelsOf(thread);
  const parts = [
    `${scheme}://${repository}/${thread.number ?? 0}`,
    threadState(thread),
    authorOf(thread),
    threadDay(thread.created_at),
    oneLine(thread.title ?? '').slice(0, 300),
    ...(labels.length > 0 ? [`[${oneLine(labels.join(', ')).slice(0, 200)}]`] : []),
  ];
  return `${parts.join('  ')}\n`;
}

function describe({ scheme, repository, list }: ListPlace): string {
  const what = scheme === 'pr' ? 'pull requests' : 'issues';
  return `${list.state === 'all' ? '' : `${list.state} `}${what} in ${repository}`;
}

/** The query string of the parameters that differ from the defaults. */
export function queryOf({ state, limit, author, labels, offset }: ThreadListQuery): string {
  const given: [string, string][] = [];
  if (state !== 'open') given.push(['state', state]);
  if (limit !== 30) given.push(['limit', String(limit)]);
  if (author !== undefined) given.push(['author', author]);
  for (const label of labels) given.push(['label', label]);
  if (offset > 0) given.push(['offset', String(offset)]);
  return new URLSearchParams(given).toString();
}

/** The state: open, closed, closed (not planned), merged, draft. */
function threadState(thread: GitHubThread): string {
  if (thread.merged_at ?? thread.pull_request?.merged_at) return 'merged';
  if (thread.draft === true && thread.state === 'open') return 'draft';
  const reason = thread.state === 'closed' && thread.state_reason === 'not_planned' ? ' (not planned)' : '';
  return (thread.state ?? 'unknown') + reason;
}

function labelsOf({ labels }: GitHubThread): readonly string[] {
  return labels.filter((label) => label !== '');
}

/** The author. For removed accounts GitHub shows `ghost`. */
function authorOf({ user: author }: GitHubRemark): string {
  return oneLine(author?.login ?? 'ghost');
}

/** The day of a date: `2026-05-01`. */
function threadDay(date: string | null | undefined): string {
  return oneLine((date ?? '').slice(0, 10));
}

function threadBody({ body }: GitHubRemark): string {
  return (body ?? '').replaceAll('\r\n', '\n').trim();
}

/** Formats an issue or pull request with its comments as Markdown. */

import { sha256Of } from '../../access/digest.ts';
import { oneLine } from '../../text/visible.ts';
import type { Wanted } from './github-api.ts';
import type { SchemeName } from './github-ask.ts';
import { authorOf, bodyOf, dayOf, labelsOf, stateOf } from './github-markdown.ts';
import { madeOnce, objectAt, pagesAt, type Reader } from './replies.ts';
import type { Placed, Remark, Review, Thread } from './shapes.ts';
import type { Repository } from './local-repository.ts';

/** The most pages of 100 comments, per kind of comment. */
const MOST_PAGES = 10;

export interface ThreadText {
  readonly bytes: Uint8Array;
  /** The digest of `bytes`. */
  readonly sha256: string;
  readonly notes: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Place {
  readonly scheme: SchemeName;
  readonly repository: Repository;
  readonly number: number;
  readonly comments: boolean;
}

/** The text, cached as long as its replies are unchanged, so that paging does not build it again. */
export function threadText(place: Place, wanted: Wanted, reader: Reader): Promise<ThreadText> {
  const { scheme, repository, number, comments } = place;
  const url = `/repos/${repository}/${scheme === 'pr' ? 'pulls' : 'issues'}/${number}`;
  const once = {
    ask: { url },
    name: JSON.stringify([scheme, repository, number, comments]),
    sizeOf: ({ bytes }: ThreadText) => bytes.length,
  };
  return madeOnce(once, () => madeThread(url, place, wanted, reader), wanted, reader);
}

async function madeThread(url: string, place: Place, wanted: Wanted, reader: Reader): Promise<ThreadText> {
  const { scheme, repository, number } = place;
  const thread = await objectAt(url, 'thread', wanted, reader);
  const { said, more } = place.comments ? await remarksOn(place, wanted, reader) : { said: [], more: false };
  const isPull = scheme === 'issue' && Boolean(thread.pull_request);
  const parts = [headOf(thread, place), bodyOf(thread), ...said.map(remarkText)];
  const bytes = Buffer.from(`${parts.filter(Boolean).join('\n\n')}\n`);
  return {
    bytes,
    sha256: await sha256Of(bytes),
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
      state: stateOf(thread),
    },
  };
}

/** The notice for a transferred issue, for which GitHub returns the new one. */
function movedNotes({ html_url: url }: Thread, { scheme, repository, number }: Place): string[] {
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
  { scheme, repository, number }: Place,
  wanted: Wanted,
  reader: Reader,
): Promise<{ readonly said: readonly Said[]; readonly more: boolean }> {
  const list = <N extends 'remarks' | 'reviews' | 'placed'>(path: string, shape: N) =>
    pagesAt(`/repos/${repository}/${path}?per_page=100`, shape, MOST_PAGES, wanted, reader);
  const comments = await list(`issues/${number}/comments`, 'remarks');
  const said = comments.items.map((one) => saidBy(one, ''));
  if (scheme === 'issue') return { said, more: comments.more };
  const reviews = await list(`pulls/${number}/reviews`, 'reviews');
  const placed = await list(`pulls/${number}/comments`, 'placed');
  const all = [
    ...said,
    ...reviews.items
      .filter((one) => bodyOf(one) !== '' || one.state === 'APPROVED' || one.state === 'CHANGES_REQUESTED')
      .map((one) => saidBy({ ...one, created_at: one.submitted_at ?? null }, reviewed(one))),
    ...placed.items.map((one) => saidBy(one, placeOf(one))),
  ];
  return {
    said: all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    more: comments.more || reviews.more || placed.more,
  };
}

function saidBy(remark: Remark, about: string): Said {
  return { at: remark.created_at ?? '', by: authorOf(remark), about, body: bodyOf(remark) };
}

/** The result of a review: "approved", "requested changes". */
function reviewed({ state }: Review): string {
  const words: Readonly<Record<string, string>> = {
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'requested changes',
    DISMISSED: 'a review that was dismissed',
  };
  return words[state] ?? 'a review';
}

function placeOf({ path, line, original_line: before }: Placed): string {
  const at = line ?? before;
  return `on ${oneLine(path)}${at === null || at === undefined ? '' : `:${at}`}`;
}

function remarkText({ at, by, about, body }: Said): string {
  const head = [`**${by}**`, dayOf(at), about].filter(Boolean).join(' ');
  return `---\n\n${head}${body === '' ? '' : `\n\n${body}`}`;
}

function headOf(thread: Thread, { scheme, repository, number }: Place): string {
  const labels = labelsOf(thread);
  const assignees = (thread.assignees ?? []).flatMap((one) => one?.login ?? []);
  const closed = thread.merged_at ?? thread.closed_at;
  const facts = [
    `State: ${stateOf(thread)}`,
    `Author: ${authorOf(thread)}`,
    `Created: ${dayOf(thread.created_at)}`,
    closed ? `Closed: ${dayOf(closed)}` : '',
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

function changesOf({ head, base, ...thread }: Thread, repository: Repository, number: number): string {
  const { changed_files: files, additions, deletions } = thread;
  const counts =
    files === undefined || files === null ? '' : `: ${files} files, +${additions ?? 0} -${deletions ?? 0}`;
  const branches = `${head?.label ?? head?.ref ?? '?'} → ${base?.label ?? base?.ref ?? '?'}`;
  return `${oneLine(branches)} · pr://${repository}/${number}/diff${counts}`;
}

/** Opens `issue://` and `pr://`: lists, issues, pull requests and their diffs, through GitHub's REST API. */

import { memoryBytes } from '../../access/bytes.ts';
import { sha256Of } from '../../access/digest.ts';
import { OrielError } from '../../errors.ts';
import { Identity } from '../../identity.ts';
import { age } from '../../render/units.ts';
import type { Call } from '../../types/call.ts';
import type { Notice } from '../../types/notice.ts';
import type { TextResource } from '../../types/resource.ts';
import type { WebSettings } from '../../types/settings.ts';
import { selectionOf } from '../file.ts';
import { gitHub } from './github-api.ts';
import { type Asked, askOf, type SchemeName } from './github-ask.ts';
import { diffOf, fileAt, listingText } from './pull-diff.ts';
import { listText, queryOf } from './thread-lists.ts';
import { LIVE, type Reader, readerOf, THREAD_AGES } from './replies.ts';
import { type Repository, repositoryHere } from './local-repository.ts';
import { threadText } from './thread.ts';

/** The cache ages of further pages of a list: for this long they are consistent with its first page. */
const LIST_AGES = { soft: 60_000, hard: 60_000 };

/** Throws OrielError: `UNSUPPORTED` if the network is off, a refusal of GitHub, or the errors of the connection. */
export async function openGitHub(scheme: SchemeName, typed: string, call: Call): Promise<TextResource> {
  const web = webOf(scheme, call);
  const { asked, rest } = askOf(scheme, typed);
  const github = gitHub(web);
  const repository = asked.repository ?? (await repositoryHere(scheme, github.base, call));
  const target = targetOf(scheme, repository, asked);
  const selection = selectionOf({ typed: target, rest });
  const ages = asked.is !== 'list' ? THREAD_AGES : selection.window ? LIST_AGES : LIVE;
  const reader = readerOf(github, call, ages);
  const next = asked.is === 'list' ? undefined : `${scheme}://${repository}`;
  const shown = await textOf(scheme, asked, repository, { target, next }, reader);
  const { bytes, name, display, encoding = 'utf-8', notes = [], facts = {}, more } = shown;
  const sha256 = shown.sha256 ?? (await sha256Of(bytes));
  return {
    is: 'text',
    kind: 'internal',
    bytes: memoryBytes(bytes, Identity.of('github', { sha256 })),
    encoding,
    selection,
    target,
    name,
    display,
    editable: false,
    facts: { repository, ...facts },
    notes: [...notes, ...staleNotes(reader)].map((sentence): Notice => ({ kind: 'said', text: sentence })),
    ...(more && { more }),
  };
}

/** Identifies an issue or pull request. */
export interface ThreadName {
  readonly scheme: SchemeName;
  readonly repository: Repository;
  readonly number: number;
}

/** An issue or pull request with all comments, and notices about it. Throws as `openGitHub`. */
export async function readThread(
  thread: ThreadName,
  { web, fresh }: { readonly web: WebSettings; readonly fresh: boolean },
  call: Call,
): Promise<{ readonly bytes: Uint8Array; readonly notes: readonly string[] }> {
  const { scheme, repository, number } = thread;
  const reader = readerOf(gitHub(web), call, fresh ? LIVE : THREAD_AGES);
  const wanted = { target: `${scheme}://${repository}/${number}` };
  const { bytes, notes } = await threadText({ ...thread, comments: true }, wanted, reader);
  return { bytes, notes: [...notes, ...staleNotes(reader)] };
}

function staleNotes({ oldest, call }: Reader): string[] {
  return Number.isFinite(oldest)
    ? [`Read ${age(call.now() - oldest)} ago, and being read again: the same call soon has the newest`]
    : [];
}

function webOf(scheme: SchemeName, { settings: { web, operator } }: Call): WebSettings {
  if (web !== false) return web;
  throw new OrielError(
    'UNSUPPORTED',
    `${scheme}:// is not read: the web is off here. The operator of oriel can allow it ${operator.web}.`,
  );
}

function targetOf(scheme: SchemeName, repository: Repository, asked: Asked): string {
  const front = `${scheme}://${repository}`;
  switch (asked.is) {
    case 'list': {
      const query = queryOf(asked.list);
      return query === '' ? front : `${front}?${query}`;
    }
    case 'thread':
      return `${front}/${asked.number}${asked.comments ? '' : '?comments=0'}`;
    case 'diff':
      return `${front}/${asked.number}/diff${asked.part === 'files' ? '' : `/${asked.part}`}`;
  }
}

interface Shown {
  readonly bytes: Uint8Array;
  readonly sha256?: string;
  /** UTF-8 when absent. */
  readonly encoding?: 'stored';
  /** The file name that selects the language of its outline. */
  readonly name: string;
  readonly display: TextResource['display'];
  readonly notes?: readonly string[];
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly more?: Notice;
}

async function textOf(
  scheme: SchemeName,
  asked: Asked,
  repository: Repository,
  wanted: { readonly target: string; readonly next: string | undefined },
  reader: Reader,
): Promise<Shown> {
  switch (asked.is) {
    case 'list': {
      const { text, ...list } = await listText({ scheme, repository, list: asked.list }, wanted, reader);
      return { ...list, bytes: Buffer.from(text), name: scheme, display: 'plain' };
    }
    case 'thread':
      return {
        ...(await threadText({ scheme, ...asked, repository }, wanted, reader)),
        name: `${asked.number}.md`,
        display: 'lines',
      };
    case 'diff': {
      const place = { repository, number: asked.number };
      const { diff, notes } = await diffOf(place, wanted, reader);
      if (asked.part === 'files') {
        return { bytes: Buffer.from(await listingText(diff, place)), notes, name: scheme, display: 'plain' };
      }
      const shown = asked.part === 'all' ? diff : fileAt(diff, asked.part, place);
      const bytes = Buffer.from(shown || '(no changes)\n', 'latin1');
      return { bytes, encoding: 'stored', notes, name: `${asked.number}.diff`, display: 'lines' };
    }
  }
}

/** Opens `issue://` and `pr://`: lists, issues, pull requests and their diffs, through GitHub's REST API. */

import { setImmediate } from 'node:timers/promises';
import { isOrielError, OrielError } from '../../errors.ts';
import { sha256Of } from '../../files/package-files.ts';
import { Identity } from '../../identity.ts';
import { unquotedName } from '../../git/settings.ts';
import { age } from '../../render/display.ts';
import { memoryBytes } from '../../text/bytes.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { Call, TextResource } from '../../types/call.ts';
import type { WebSettings } from '../../types/settings.ts';
import { selectionOf } from '../text/open.ts';
import { DIFF_TYPE, gitHub, type GitHubCall } from './api.ts';
import { listText, queryOf, threadText } from './render.ts';
import { type GitHubReader, LIVE, objectAt, readerOf, replyTo, THREAD_AGES } from './replies.ts';
import { repositoryHere, type RepositoryName } from './repository.ts';
import { type GitHubScheme, type GitHubTarget, parseGitHubAddress } from './select.ts';

/** The cache ages of further pages of a list: for this long they are consistent with its first page. */
const LIST_AGES = { soft: 60_000, hard: 60_000 };

/** Throws OrielError: `UNSUPPORTED` if the network is off, a refusal of GitHub, or the errors of the connection. */
export async function openGitHub(scheme: GitHubScheme, typed: string, call: Call): Promise<TextResource> {
  const web = webOf(scheme, call);
  const { asked, rest } = parseGitHubAddress(scheme, typed);
  const github = gitHub(web);
  const repository = asked.repository ?? (await repositoryHere(scheme, github.base, call));
  const target = targetOf(scheme, repository, asked);
  const selection = selectionOf({ typed: target, rest });
  const ages = asked.kind !== 'list' ? THREAD_AGES : selection.window ? LIST_AGES : LIVE;
  const reader = readerOf(github, call, ages);
  const next = asked.kind === 'list' ? undefined : `${scheme}://${repository}`;
  const shown = await textOf(scheme, asked, repository, { target, next }, reader).catch(async (error) => {
    const isMissing =
      scheme === 'pr' && asked.kind !== 'list' && isOrielError(error) && error.code === 'NOT_FOUND';
    throw (isMissing && (await issueInstead(repository, asked.number, target, reader))) || error;
  });
  const { bytes, name, display, encoding = 'utf-8', notes = [], facts = {}, more } = shown;
  const sha256 = await sha256Of(bytes);
  return {
    kind: 'text',
    format: 'internal',
    bytes: memoryBytes(bytes, Identity.of('github', { sha256 })),
    encoding,
    selection,
    target,
    name,
    display,
    editable: false,
    facts: { repository, ...facts },
    notes: [...notes, ...staleNotes(reader)].map((sentence): Notice => ({ kind: 'said', text: sentence })),
    more,
  };
}

async function issueInstead(
  repository: RepositoryName,
  number: number,
  target: string,
  reader: GitHubReader,
): Promise<OrielError | undefined> {
  const next = `issue://${repository}/${number}`;
  const issue = await objectAt(
    `/repos/${repository}/issues/${number}`,
    'thread',
    { target: next, next: undefined },
    reader,
  ).catch(() => undefined);
  if (!issue || issue.pull_request) return undefined;
  return new OrielError(
    'NOT_FOUND',
    `${quote(target)} is an issue, not a pull request. Use ${quote(next)}.`,
    { next },
  );
}

export interface ThreadName {
  readonly scheme: GitHubScheme;
  readonly repository: RepositoryName;
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

function staleNotes({ oldest, call }: GitHubReader): string[] {
  return Number.isFinite(oldest)
    ? [`Read ${age(call.now() - oldest)} ago, and being read again: the same call soon has the newest`]
    : [];
}

function webOf(scheme: GitHubScheme, { settings: { web, operator } }: Call): WebSettings {
  if (web !== false) return web;
  throw new OrielError(
    'UNSUPPORTED',
    `${scheme}:// is not read: the web is off here. The operator of oriel can allow it ${operator.web}.`,
  );
}

function targetOf(scheme: GitHubScheme, repository: RepositoryName, asked: GitHubTarget): string {
  const front = `${scheme}://${repository}`;
  switch (asked.kind) {
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

/** Its encoding is UTF-8 when absent. */
interface ShownText extends Pick<TextResource, 'name' | 'display' | 'facts' | 'more'> {
  readonly bytes: Uint8Array;
  readonly encoding?: 'stored' | undefined;
  readonly notes?: readonly string[] | undefined;
}

async function textOf(
  scheme: GitHubScheme,
  asked: GitHubTarget,
  repository: RepositoryName,
  wanted: { readonly target: string; readonly next: string | undefined },
  reader: GitHubReader,
): Promise<ShownText> {
  switch (asked.kind) {
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

// The diff of a pull request: fetched once, listed file by file, and sliced byte by byte.
//
// Files are found by their `diff --git` lines, which are unique because every line of a hunk begins with a blank, a sign or
// a backslash. parse-diff 0.12.0 was tried: it gives no positions, so the original text could not be sliced, and it does
// not decode the octal escapes of quoted names.

interface DiffPlace {
  readonly repository: RepositoryName;
  readonly number: number;
}

/** As latin1, because files may have different encodings. Throws `LIMIT` for over 20,000 lines or 300 files. */
async function diffOf(place: DiffPlace, wanted: GitHubCall, reader: GitHubReader) {
  const path = `/repos/${place.repository}/pulls/${place.number}`;
  const reply = await replyTo({ url: path, accept: DIFF_TYPE }, wanted, reader);
  const notes = reply.cut ? [`The diff is longer: only its first ${reply.body.length} bytes were read`] : [];
  const diff = reply.body.toString('latin1');
  if (diff.trim() !== '' && bordersOf(diff).length === 0) {
    throw new OrielError(
      'CORRUPT',
      `The answer of GitHub for ${quote(wanted.target)} is not a diff. Use ${quote(wanted.next ?? wanted.target)}.`,
      { next: wanted.next },
    );
  }
  return { diff, notes };
}

/**
 * The offsets where the texts of files begin, and the end of the last one. Only a line feed ends a line, because a hunk may
 * contain carriage returns.
 */
function bordersOf(diff: string): number[] {
  const borders: number[] = diff.startsWith(MARK) ? [0] : [];
  for (let at = diff.indexOf(`\n${MARK}`); at !== -1; at = diff.indexOf(`\n${MARK}`, at + 1))
    borders.push(at + 1);
  return borders.length === 0 ? [] : [...borders, diff.length];
}

const MARK = 'diff --git ';

/** Lines and files that are counted before the event loop gets control again. */
const LINES_AT_ONCE = 50_000;
const FILES_AT_ONCE = 500;

async function factsOf(text: string) {
  const at = text.indexOf('\n@@ ');
  const head = at === -1 ? text : text.slice(0, at + 1);
  const named = (pattern: RegExp): string | undefined => {
    const name = pattern.exec(head)?.[1];
    return name === undefined || name === '/dev/null' ? undefined : unquoted(name);
  };
  const before = named(/^rename from (.+)$/m);
  const name =
    named(/^rename to (.+)$/m) ??
    withoutSide(named(/^\+\+\+ ([^\t\n]+)/m) ?? named(/^--- ([^\t\n]+)/m)) ??
    nameInFirstLine(head);
  return {
    name,
    about: [
      ...(/^new file/m.test(head) ? ['added'] : []),
      ...(/^deleted file/m.test(head) ? ['deleted'] : []),
      ...(before === undefined ? [] : [`renamed from ${before}`]),
      ...(/^(?:Binary files |GIT binary patch)/m.test(head) ? ['binary'] : []),
    ],
    ...(at === -1 ? { added: 0, removed: 0 } : await countsOf(text, at)),
  };
}

/** Counts added and removed lines of the hunks after offset `from`. */
async function countsOf(text: string, from: number): Promise<{ added: number; removed: number }> {
  let [added, removed, lines] = [0, 0, 0];
  for (let at = from; at !== -1; at = text.indexOf('\n', at + 1)) {
    const sign = text[at + 1];
    if (sign === '+') added += 1;
    else if (sign === '-') removed += 1;
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) await setImmediate();
  }
  return { added, removed };
}

function withoutSide(name: string | undefined): string | undefined {
  return name?.replace(/^[ab]\//, '');
}

/** The name from the first line, for a file without other headers. Both names are equal: `diff --git a/x y b/x y`. */
function nameInFirstLine(head: string): string {
  const line = head.slice('diff --git '.length).split('\n', 1)[0] ?? '';
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(line)?.[0];
  const half = quoted ?? line.slice(0, (line.length - 1) / 2);
  return withoutSide(unquoted(half)) ?? line;
}

/** The text of a name: `"s\303\274\303\237.txt"` → `süß.txt`. Git quotes names that are not plain ASCII. */
function unquoted(name: string): string {
  // Not `trimEnd`: in latin1 a byte of a UTF-8 name may look like a blank character.
  const plain = Buffer.from(name.replace(/[ \t\r]+$/, ''), 'latin1').toString('utf8');
  const inner = /^"(.*)"$/s.exec(plain)?.[1];
  return inner === undefined ? plain : unquotedName(inner);
}

/** The list: one line per file, beginning with the call that reads its part. */
async function listingText(diff: string, { repository, number }: DiffPlace): Promise<string> {
  const borders = bordersOf(diff);
  const lines: string[] = [];
  for (let i = 0; i + 1 < borders.length; i += 1) {
    if (i % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
    const { name, about, added, removed } = await factsOf(diff.slice(borders[i], borders[i + 1]));
    const facts = [...about, `+${added} -${removed}`].map(oneLine).join(', ');
    lines.push(`pr://${repository}/${number}/diff/${i + 1}  ${oneLine(name)}  (${facts})\n`);
  }
  return lines.join('') || '(no changes)\n';
}

/** The part of the file at `index` (1-based). Throws `OUT_OF_RANGE` with the valid numbers. */
function fileAt(diff: string, index: number, { repository, number }: DiffPlace): string {
  const borders = bordersOf(diff);
  const files = Math.max(0, borders.length - 1);
  if (index <= files) return diff.slice(borders[index - 1], borders[index]);
  const target = `pr://${repository}/${number}/diff`;
  const valid = files === 0 ? 'which changes no file' : `which has files 1 to ${files}`;
  throw new OrielError(
    'OUT_OF_RANGE',
    `There is no file ${index} in the diff of pr://${repository}/${number}, ${valid}. Use ${target} for the list.`,
    { next: target },
  );
}

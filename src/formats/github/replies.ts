/** Caches replies of GitHub with their age, also on disk, and follows the pages of lists through their `Link` header. */

import { OrielError } from '../../errors.ts';
import type { WebResponse } from '../../network/fetch.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import { type CacheAges, createReplyCache, readThrough } from '../reply-cache.ts';
import { convert, convertedText } from '../web/convert.ts';
import { type GitHub, type GitHubCall, gitHubRefusal, JSON_TYPE, refuseCut } from './api.ts';
import { type GitHubShape, parseShape, type ShapeName, type ShapeResult } from './shapes.ts';

interface GitHubReply {
  readonly body: Buffer;
  readonly cut: boolean;
  readonly etag: string | undefined;
  /** The URL of the next page, on the same origin. */
  readonly next: string | undefined;
  /** Whether there is a next page, even one at another origin, which is not requested. */
  readonly continues: boolean;
}

/** For threads and diffs: fresh for 5 minutes; up to 7 days stale, used while they are refreshed in the background. */
export const THREAD_AGES: CacheAges = { soft: 5 * 60_000, hard: 7 * 24 * 60 * 60_000 };
/** For lists, which are never served from the cache. */
export const LIVE: CacheAges = { soft: 0, hard: 0 };

const weigh = (reply: GitHubReply): number => 1024 + reply.body.length;

const replies = createReplyCache<GitHubReply>('github-reply', weigh, {
  version: 5,
  parts: ({ body, ...head }) => ({ head, body }),
  value: (head, body) => ({ ...(head as Omit<GitHubReply, 'body'>), body }),
});

export interface GitHubReader {
  readonly github: GitHub;
  readonly call: Call;
  readonly ages: CacheAges;
  /** When the oldest stale reply that was used was read (ms since the epoch); Infinity if none was stale. */
  oldest: number;
  /** The requests of this call so far, with their replies. */
  readonly used: Map<string, GitHubReply>;
}

export function readerOf(github: GitHub, call: Call, ages: CacheAges): GitHubReader {
  return { github, call, ages, oldest: Number.POSITIVE_INFINITY, used: new Map() };
}

interface Ask {
  /** A path below the base, or an absolute URL. */
  readonly url: string;
  readonly accept?: string | undefined;
}

/** Throws OrielError: a refusal of GitHub, or the errors of the connection. */
export async function replyTo(ask: Ask, wanted: GitHubCall, reader: GitHubReader): Promise<GitHubReply> {
  const { url, accept = JSON_TYPE } = ask;
  const { github, call, ages, used } = reader;
  const key = `${accept} ${url}`;
  // Within one call the same request always gives the same reply, even if it was refreshed meanwhile.
  const before = used.get(key);
  if (before) return before;
  const facts = { base: github.base, url, accept, token: github.tokenDigest, allow: github.allow };
  const found = await readThrough(
    replies,
    facts,
    ages,
    async (signal, known) => {
      const reply = await github.get(url, { accept, etag: known?.etag, signal });
      if (reply.status === 304 && known) return known;
      if (reply.status !== 200) throw gitHubRefusal(reply, github, wanted);
      return {
        body: Buffer.from(reply.body),
        cut: reply.cut,
        etag: reply.headers['etag'],
        ...nextPage(reply, github),
      };
    },
    call,
  );
  used.set(key, found.value);
  if (found.stale) reader.oldest = Math.min(reader.oldest, found.at);
  return found.value;
}

/** Throws as `replyTo`, `LIMIT` for a truncated reply, and `CORRUPT` for invalid JSON or another shape. */
export async function objectAt<N extends ShapeName>(
  url: string,
  shape: N,
  wanted: GitHubCall,
  reader: GitHubReader,
): Promise<GitHubShape<N>> {
  return (await pageAt(url, shape, wanted, reader)).value;
}

interface PageOf<T> {
  readonly value: T;
  readonly length: number;
  readonly next: string | undefined;
  readonly continues: boolean;
}

/** As `objectAt`, with the URL of the next page. */
export async function pageAt<N extends ShapeName>(
  url: string,
  shape: N,
  wanted: GitHubCall,
  reader: GitHubReader,
): Promise<PageOf<GitHubShape<N>>> {
  const { body, next, continues, cut } = await replyTo({ url }, wanted, reader);
  refuseCut({ cut }, wanted);
  const value = await shapedAs(shape, body, wanted, reader.call.signal);
  return { value, length: body.length, next, continues };
}

/** The most bytes of JSON that are parsed in this process, which takes 2 ms. */
const MAX_LOCAL_JSON_BYTES = 64 << 10;

async function shapedAs<N extends ShapeName>(
  shape: N,
  body: Buffer,
  { target }: GitHubCall,
  signal: AbortSignal,
): Promise<GitHubShape<N>> {
  const found =
    body.length <= MAX_LOCAL_JSON_BYTES
      ? parseShape(shape, body.toString())
      : await takenElsewhere(shape, body, signal);
  if (found?.kind === 'value') return found.value;
  const what = found?.kind === 'notJson' ? 'not valid JSON' : 'not of the shape that its REST API has';
  throw found
    ? new OrielError('CORRUPT', `GitHub's answer for ${quote(target)} is ${what}.`, { cause: found.cause })
    : new OrielError('LIMIT', `GitHub's answer for ${quote(target)} takes too long to parse.`);
}

/** Parses in a child process, because large JSON may have any shape. Undefined if the child exceeded a limit. */
async function takenElsewhere<N extends ShapeName>(
  shape: N,
  body: Buffer,
  signal: AbortSignal,
): Promise<ShapeResult<N> | undefined> {
  const converted = await convert({ kind: 'github', shape, url: 'https://github.com' }, body, signal);
  if (!converted) return undefined;
  const { reply } = converted;
  if (reply.kind === 'text')
    return { kind: 'value', value: JSON.parse(convertedText(converted)) as GitHubShape<N> };
  return { kind: reply.why ?? 'otherShape', cause: undefined };
}

interface GitHubPages<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

const MAX_LIST_BYTES = 16 << 20;

type Lists = Exclude<ShapeName, 'thread'>;

/** The items of up to `most` pages from the first one on. A page that occurs again ends the list. */
export async function pagesAt<N extends Lists>(
  first: string,
  shape: N,
  most: number,
  wanted: GitHubCall,
  reader: GitHubReader,
): Promise<GitHubPages<GitHubShape<N>[number]>> {
  const items: GitHubShape<N>[number][] = [];
  const seen = new Set<string>();
  let [url, bytes, isElsewhere]: [string | undefined, number, boolean] = [first, 0, false];
  while (url !== undefined && !seen.has(url) && seen.size < most && bytes < MAX_LIST_BYTES) {
    seen.add(url);
    const found: PageOf<GitHubShape<N>> = await pageAt(url, shape, wanted, reader);
    items.push(...found.value);
    bytes += found.length;
    url = found.next;
    isElsewhere = url === undefined && found.continues;
  }
  return { items, more: isElsewhere || (url !== undefined && !seen.has(url)) };
}

/** The next page, found as in @octokit/plugin-paginate-rest. Pages at another origin are ignored because of the token. */
function nextPage({ headers }: WebResponse, { base }: GitHub): Pick<GitHubReply, 'next' | 'continues'> {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers['link'] ?? '')?.[1];
  if (next === undefined || !URL.canParse(next)) return { next: undefined, continues: next !== undefined };
  const isHere = new URL(next).origin === new URL(base).origin;
  return { next: isHere ? next : undefined, continues: true };
}

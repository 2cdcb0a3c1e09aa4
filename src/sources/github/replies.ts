/** What GitHub answered, kept with its age, also on disk: each reply once, and lists page by page through their `Link`. */

import type { WebResponse } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import { type Ages, memoryOf, remember } from '../remembered.ts';
import { convert, textOf } from '../web/convert.ts';
import { type GitHub, JSON_TYPE, refusal, refuseCut, type Wanted } from './api.ts';
import { type Shaped, type ShapeName, type Taken, taken } from './shapes.ts';

export interface Reply {
  readonly text: string;
  /** The body was longer. */
  readonly cut: boolean;
  readonly status: number;
  readonly etag: string | undefined;
  /** The URL of the next page, on the same origin. */
  readonly next: string | undefined;
}

/** Threads and diffs: used for 5 minutes as they are, for 7 days while they are read again. */
export const THREAD_AGES: Ages = { soft: 5 * 60_000, hard: 7 * 24 * 60 * 60_000 };
/** Lists are live. */
export const LIVE: Ages = { soft: 0, hard: 0 };

const replies = memoryOf<Reply>('github-reply', ({ text }) => 1024 + 2 * text.length, {
  version: 1,
  parts: ({ text, ...head }) => ({ head, body: Buffer.from(text) }),
  value: (head, body) => ({ ...(head as Omit<Reply, 'text'>), text: body.toString('utf8') }),
});

/** How one call reads from GitHub. */
export interface Reader {
  readonly github: GitHub;
  readonly call: Call;
  readonly ages: Ages;
  /** When the oldest of what was used was read; Infinity where all of it is new. */
  oldest: number;
}

export function readerOf(github: GitHub, call: Call, ages: Ages): Reader {
  return { github, call, ages, oldest: Number.POSITIVE_INFINITY };
}

interface Ask {
  /** Below the base, or a whole URL. */
  readonly url: string;
  readonly accept?: string;
  /** Statuses beside 200 that are no failure. */
  readonly also?: readonly number[];
}

/** Throws OrielError: a refusal of GitHub's, or what its connection throws. */
export async function replyTo(
  { url, accept = JSON_TYPE, also = [] }: Ask,
  wanted: Wanted,
  reader: Reader,
): Promise<Reply> {
  const { github, call, ages } = reader;
  const facts = { base: github.base, url, accept, token: github.tokenDigest, allow: github.allow };
  const found = await remember(
    replies,
    facts,
    ages,
    async (signal, known) => {
      const reply = await github.get(url, { accept, etag: known?.etag, signal });
      if (reply.status === 304 && known) return known;
      if (reply.status !== 200 && !also.includes(reply.status)) throw refusal(reply, github, wanted);
      return {
        text: new TextDecoder().decode(reply.body),
        cut: reply.cut,
        status: reply.status,
        etag: reply.headers['etag'],
        next: nextPage(reply, github),
      };
    },
    call,
  );
  if (found.stale) reader.oldest = Math.min(reader.oldest, found.at);
  return found.value;
}

/** Throws as `replyTo`, `LIMIT` for what is too long, and `CORRUPT` for what is no JSON or has another shape. */
export async function objectAt<N extends ShapeName>(
  url: string,
  shape: N,
  wanted: Wanted,
  reader: Reader,
): Promise<Shaped<N>> {
  return (await pageAt(url, shape, wanted, reader)).value;
}

interface PageOf<T> {
  readonly value: T;
  /** Characters of the reply. */
  readonly length: number;
  readonly next: string | undefined;
}

/** As `objectAt`, with the page that follows. */
export async function pageAt<N extends ShapeName>(
  url: string,
  shape: N,
  wanted: Wanted,
  reader: Reader,
): Promise<PageOf<Shaped<N>>> {
  const { text, next, cut } = await replyTo({ url }, wanted, reader);
  refuseCut({ cut }, wanted);
  return { value: await shapedAs(shape, text, wanted, reader.call.signal), length: text.length, next };
}

/** Characters that are parsed here: 2 ms. */
const MOST_HERE = 64 << 10;

async function shapedAs<N extends ShapeName>(
  shape: N,
  text: string,
  { target }: Wanted,
  signal: AbortSignal,
): Promise<Shaped<N>> {
  const found = text.length <= MOST_HERE ? taken(shape, text) : await takenElsewhere(shape, text, signal);
  if (found?.is === 'value') return found.value;
  const what = found?.is === 'notJson' ? 'not valid JSON' : 'not of the shape that its REST API has';
  throw found
    ? new OrielError('CORRUPT', `GitHub's answer for ${quote(target)} is ${what}.`, { cause: found.cause })
    : new OrielError('LIMIT', `GitHub's answer for ${quote(target)} takes too long to parse.`);
}

/** In the child that reads JSON: it may have any shape. Undefined where that has passed a limit. */
async function takenElsewhere<N extends ShapeName>(
  shape: N,
  text: string,
  signal: AbortSignal,
): Promise<Taken<N> | undefined> {
  const converted = await convert({ is: 'github', shape, url: 'https://github.com' }, text, signal);
  if (!converted) return undefined;
  const { reply } = converted;
  if (reply.is === 'text') return { is: 'value', value: JSON.parse(textOf(converted)) as Shaped<N> };
  return { is: reply.why ?? 'otherShape', cause: undefined };
}

export interface Pages<T> {
  readonly items: readonly T[];
  /** There are more pages. */
  readonly more: boolean;
}

/** Characters of all pages of one list that are read. */
const MOST_CHARACTERS = 16 << 20;

type Lists = Exclude<ShapeName, 'thread'>;

/** The items of up to `most` pages, from the first one on. A page that was read before is not read again. */
export async function pagesAt<N extends Lists>(
  first: string,
  shape: N,
  most: number,
  wanted: Wanted,
  reader: Reader,
): Promise<Pages<Shaped<N>[number]>> {
  const items: Shaped<N>[number][] = [];
  const seen = new Set<string>();
  let [url, characters]: [string | undefined, number] = [first, 0];
  while (url !== undefined && !seen.has(url) && seen.size < most && characters < MOST_CHARACTERS) {
    seen.add(url);
    const found: PageOf<Shaped<N>> = await pageAt(url, shape, wanted, reader);
    items.push(...found.value);
    characters += found.length;
    url = found.next;
  }
  return { items, more: url !== undefined && !seen.has(url) };
}

/** As @octokit/plugin-paginate-rest reads it. The token is for one origin: a page elsewhere is not asked for. */
function nextPage({ headers }: WebResponse, { base }: GitHub): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers['link'] ?? '')?.[1];
  if (next === undefined || !URL.canParse(next)) return undefined;
  return new URL(next).origin === new URL(base).origin ? next : undefined;
}

/** What GitHub answered, kept with its age, also on disk: each reply once, and lists page by page through their `Link`. */

import { z } from 'zod';
import type { WebResponse } from '../../access/network/fetch.ts';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Call } from '../../types/call.ts';
import { type Ages, memoryOf, remember } from '../remembered.ts';
import { type GitHub, JSON_TYPE, refusal, refuseCut, type Wanted } from './api.ts';

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
export async function objectAt<T>(
  url: string,
  shape: z.ZodType<T>,
  wanted: Wanted,
  reader: Reader,
): Promise<T> {
  return (await pageAt(url, shape, wanted, reader)).value;
}

interface PageOf<T> {
  readonly value: T;
  readonly next: string | undefined;
}

/** As `objectAt`, with the page that follows. */
export async function pageAt<T>(
  url: string,
  shape: z.ZodType<T>,
  wanted: Wanted,
  reader: Reader,
): Promise<PageOf<T>> {
  const reply = await replyTo({ url }, wanted, reader);
  refuseCut(reply, wanted);
  const wrong = (what: string, cause: unknown): OrielError =>
    new OrielError('CORRUPT', `GitHub's answer for ${quote(wanted.target)} is ${what}.`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(reply.text);
  } catch (cause) {
    throw wrong('not valid JSON', cause);
  }
  const { data, error } = shape.safeParse(value);
  if (data === undefined) throw wrong('not of the shape that its REST API has', error);
  return { value: data, next: reply.next };
}

export interface Pages<T> {
  readonly items: readonly T[];
  /** There are more pages. */
  readonly more: boolean;
}

/** The items of up to `most` pages, from the first one on. */
export async function pagesAt<T>(
  first: string,
  shape: z.ZodType<T>,
  most: number,
  wanted: Wanted,
  reader: Reader,
): Promise<Pages<T>> {
  const items: T[] = [];
  let url: string | undefined = first;
  for (let page = 0; page < most && url !== undefined; page += 1) {
    const found: PageOf<readonly T[]> = await pageAt(url, z.array(shape), wanted, reader);
    items.push(...found.value);
    url = found.next;
  }
  return { items, more: url !== undefined };
}

/** As @octokit/plugin-paginate-rest reads it. The token is for one origin: a page elsewhere is not asked for. */
function nextPage({ headers }: WebResponse, { base }: GitHub): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers['link'] ?? '')?.[1];
  if (next === undefined || !URL.canParse(next)) return undefined;
  return new URL(next).origin === new URL(base).origin ? next : undefined;
}

/**
 * Requests to GitHub's REST API, with the base URL and token from the environment, and error messages for refusals.
 *
 * @octokit/core 7.0.8 was tried (8 packages, 6 MB): only a GET with four headers would be used, and connections, timeouts
 * and limits must be those of network/ anyway.
 */

import { createHash } from 'node:crypto';
import { type ErrorCode, OrielError } from '../../errors.ts';
import { webNetwork, type WebResponse } from '../../network/fetch.ts';
import { startDeadline } from '../../queues/caller.ts';
import { binarySize } from '../../render/display.ts';
import { oneLine, quote, withoutTrailingSlashes } from '../../text/visible.ts';
import type { WebSettings } from '../../types/settings.ts';

export interface GitHub {
  /** Without a slash at its end: `https://api.github.com`. */
  readonly base: string;
  readonly hasToken: boolean;
  /** A part of the cache key, because different tokens may see different things. */
  readonly tokenDigest: string;
  /** The hosts that the operator allows for redirects; a part of the cache key too. */
  readonly allow: readonly string[];
  /** `url` is a path below the base, or an absolute URL from a reply. Throws as `Network.get` does, and `TIMEOUT`. */
  get(url: string, ask: GitHubFetchOptions): Promise<WebResponse>;
}

interface GitHubFetchOptions {
  readonly accept: string;
  /** The entity tag of the cached reply; a 304 means that it is still valid. */
  readonly etag?: string | undefined;
  readonly signal: AbortSignal;
}

export const JSON_TYPE = 'application/vnd.github+json';
export const DIFF_TYPE = 'application/vnd.github.diff';

/** The timeout of one request in ms, and the most bytes of one reply. */
const REQUEST_MS = 15_000;
const MAX_GITHUB_REPLY_BYTES = 8 << 20;

/** The API that the environment names, and what is sent to it alone. */
export function gitHubServer() {
  const set = process.env['GITHUB_API_URL'] || undefined;
  const token = process.env['GITHUB_TOKEN'] || process.env['GH_TOKEN'] || '';
  const credentials: Readonly<Record<string, string>> =
    token === '' ? {} : { authorization: `Bearer ${token}` };
  const base = withoutTrailingSlashes(set ?? 'https://api.github.com');
  return { base, trusted: set !== undefined, token, credentials };
}

/** Reads the environment at each call. Throws `BAD_INPUT` if GITHUB_API_URL is not a URL. */
export function gitHub(web: WebSettings): GitHub {
  const { base, trusted, token, credentials } = gitHubServer();
  const { origin } = parsed(base);
  const network = webNetwork(web);
  return {
    base,
    hasToken: token !== '',
    tokenDigest: token === '' ? '' : createHash('sha256').update(token).digest('hex'),
    allow: web.allow,
    get: (url, { accept, etag, signal }) => {
      const full = url.startsWith('/') ? base + url : url;
      return within(signal, (until) =>
        network.get(full, {
          headers: {
            accept,
            'x-github-api-version': '2022-11-28',
            ...(etag !== undefined && { 'if-none-match': etag }),
          },
          ...(parsed(full).origin === origin && { credentials, trusted }),
          signal: until,
          mostBytes: () => MAX_GITHUB_REPLY_BYTES,
        }),
      );
    },
  };
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new OrielError('BAD_INPUT', `GITHUB_API_URL is not a URL: ${quote(url)}. Set it or remove it.`, {
      cause,
    });
  }
}

async function within<T>(signal: AbortSignal, act: (until: AbortSignal) => Promise<T>): Promise<T> {
  const seconds = REQUEST_MS / 1000;
  const late = (): Error =>
    new OrielError('TIMEOUT', `GitHub took longer than ${seconds} seconds. Use the same call later.`);
  const deadline = startDeadline(signal, REQUEST_MS, late);
  try {
    return await act(deadline.signal);
  } finally {
    deadline.stop();
  }
}

export interface GitHubCall {
  /** The URL of the call: `issue://acme/widget/7`. */
  readonly target: string;
  readonly next?: string | undefined;
}

/** The error for a reply that is not a success: one sentence, and what to do. */
export function gitHubRefusal(
  reply: WebResponse,
  { hasToken }: GitHub,
  { target, next }: GitHubCall,
): OrielError {
  const { status, headers } = reply;
  const said = messageOf(reply);
  const what = quote(target);
  if (isRateLimit(reply, said)) {
    const raise = hasToken ? '' : ' The operator of oriel can raise it with a token in GITHUB_TOKEN.';
    return new OrielError(
      'BUSY',
      `The rate limit of GitHub is reached (${status}): use the same call ${whenAgain(headers)}.${raise}`,
    );
  }
  const why = said === '' ? '' : `: ${said}`;
  const refused = (code: ErrorCode, sentence: string): OrielError =>
    new OrielError(code, next === undefined ? sentence : `${sentence} Use ${next}.`, { next });
  switch (status) {
    case 401:
      return new OrielError(
        'DENIED',
        `GitHub does not accept the token of GITHUB_TOKEN or GH_TOKEN (401): the operator of oriel has to renew or remove it.`,
      );
    case 403: {
      const token = hasToken
        ? 'the token in GITHUB_TOKEN has no access to it'
        : 'it takes a token with access to it in GITHUB_TOKEN';
      return refused('DENIED', `GitHub does not show ${what} (403${why}): ${token}.`);
    }
    case 404: {
      const token = hasToken
        ? 'is private and not for the token in GITHUB_TOKEN'
        : 'is private: then it takes a token in GITHUB_TOKEN';
      return refused('NOT_FOUND', `${what} does not exist, or ${token}.`);
    }
    case 406:
      return refused('LIMIT', `GitHub makes no diff of ${what}: it has more than 20,000 lines or 300 files.`);
    case 410:
      return refused('NOT_FOUND', `${what} is gone (410${why}).`);
    case 422:
      return refused('BAD_QUERY', `GitHub does not accept ${what} (422${why}).`);
    default:
      return new OrielError('NETWORK', `GitHub answered ${what} with ${status}. Use the same call later.`);
  }
}

/** Rate limits are reported with status 403 or 429. Source: "Rate limits for the REST API", docs.github.com. */
function isRateLimit({ status, headers }: WebResponse, said: string): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['x-ratelimit-remaining'] === '0' ||
      headers['retry-after'] !== undefined ||
      /rate limit/i.test(said))
  );
}

/** When the rate limit ends: "in 60 seconds", "after 2030-03-17T17:46:40Z". */
function whenAgain(headers: WebResponse['headers']): string {
  const seconds = headers['retry-after'];
  if (seconds !== undefined && /^\d{1,6}$/.test(seconds)) return `in ${Number(seconds)} seconds`;
  const reset = headers['x-ratelimit-reset'];
  if (reset === undefined || !/^\d{1,11}$/.test(reset)) return 'in an hour at the latest';
  return `after ${new Date(Number(reset) * 1000).toISOString().replace('.000', '')}`;
}

/** The `message` of an error reply. It is text of the server, so it is quoted. */
function messageOf({ body }: WebResponse): string {
  try {
    const { message } = JSON.parse(new TextDecoder().decode(body.subarray(0, 64 << 10))) as {
      readonly message?: unknown;
    };
    return typeof message === 'string' ? quote(oneLine(message).replace(/\.$/, '')) : '';
  } catch {
    return '';
  }
}

/** Throws `LIMIT` if a reply was truncated at the limit, because it is then not valid JSON. */
export function refuseCut({ cut }: { readonly cut: boolean }, { target, next }: GitHubCall): void {
  if (!cut) return;
  const use = next === undefined ? '' : ` Use ${next}.`;
  throw new OrielError(
    'LIMIT',
    `GitHub's answer for ${quote(target)} has more than ${binarySize(MAX_GITHUB_REPLY_BYTES)}, and is not read.${use}`,
    { next },
  );
}

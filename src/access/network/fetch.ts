/**
 * HTTP requests with limits on everything: addresses, redirects, time, headers, the body and its unpacked
 * size.
 */

import { Agent, type Dispatcher, request } from 'undici';
import { OrielError } from '../../errors.ts';
import { queues } from '../../queues/queue-table.ts';
import { quote } from '../../text/visible.ts';
import { type Allowed, parseAllowed } from './addresses.ts';
import { BUFFERED_BYTES, type BodyOptions, bodyOf, discard, type Headers } from './reply-body.ts';
import { checkedConnector, type Resolve } from './http-connect.ts';
import { networkError } from './network-error.ts';

export interface NetworkOptions {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses. */
  readonly allow: readonly string[];
  readonly resolve?: Resolve;
  /** How the operator can allow a host; `HOST` stands for that host. */
  readonly howToAllow?: string;
}

/** The signal also covers the body. */
export interface WebRequest extends BodyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent only to the origin of the first URL, and not even there after a redirect to another origin. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** The operator configured the origin of this URL, so its address may be private. */
  readonly trusted?: boolean;
  /** `false`: a redirect is returned like any other response. */
  readonly follow?: false;
}

export interface WebResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The body is longer than `mostBytes`: this is its beginning. */
  readonly cut: boolean;
}

export interface Network {
  /** Throws OrielError: `BLOCKED_ADDRESS`, `BLOCKED_PORT`, `REDIRECT`, `NETWORK`, `TLS`, `TIMEOUT`, `LIMIT`, `CORRUPT`, `BAD_PATH`, `BUSY`. */
  get(url: string, options: WebRequest): Promise<WebResponse>;
  close(): Promise<void>;
}

const MOST_REDIRECTS = 10;
/** Maximum characters of the URL of a redirect, because every answer repeats it. */
const MOST_URL = 8_192;
const MOST_HEADER_BYTES = 64 << 10;
/** Informational responses, such as 103 Early Hints, before the final one. */
const MOST_INFORMATIONAL = 16;
/** Timeout in milliseconds without a byte. */
const IDLE_MS = 10_000;

/** Maximum agents of trusted origins, each with its connections. */
const MOST_TRUSTED = 64;

export function createNetwork({ allow, resolve, howToAllow }: NetworkOptions): Network {
  const allowed: readonly Allowed[] = allow.map(parseAllowed);
  const agentOf = (open: readonly Allowed[]): Agent =>
    new Agent({
      connect: checkedConnector(open, { resolve, howToAllow }),
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: IDLE_MS,
      bodyTimeout: IDLE_MS,
      connections: 8,
      keepAliveTimeout: 1_000,
    });
  const agent = agentOf(allowed);
  /** Agents by origin. If the bucket is part of the host name, each bucket is another origin. */
  const trusted = new Map<string, Agent>();
  const trusting = (url: URL): Agent => {
    let known = trusted.get(url.origin);
    if (!known) trusted.set(url.origin, (known = agentOf([...allowed, originOf(url)])));
    if (trusted.size > MOST_TRUSTED) {
      const [[origin, oldest] = ['', known]] = trusted;
      trusted.delete(origin);
      // Running requests are completed first.
      void oldest.close();
    }
    return known;
  };
  return {
    async get(address, options) {
      const first = webUrl(address);
      // A redirect to another origin is checked like any other URL, and so are further redirects.
      const dispatcherOf = (isOwn: boolean): Agent =>
        options.trusted === true && isOwn ? trusting(first) : agent;
      const { signal } = options;
      return queues.requests.run(() => follow(first, options, dispatcherOf), { signal, timed: true });
    },
    async close() {
      await Promise.all([agent, ...trusted.values()].map((one) => one.destroy()));
    },
  };
}

function originOf({ hostname, port, protocol }: URL): Allowed {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** An `http:` or `https:` URL without credentials in it. Throws `BAD_PATH`. */
export function webUrl(text: string, base?: string): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch (cause) {
    throw new OrielError('BAD_PATH', `${quote(text)} is not a valid URL. Use https://HOST/PATH.`, { cause });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OrielError(
      'REDIRECT',
      `${quote(url.protocol)} is not read from the web. Use https:// or http://.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new OrielError('BAD_PATH', 'The URL holds a user name or a password. Use it without.');
  }
  url.hash = '';
  return url;
}

async function follow(
  first: URL,
  options: WebRequest,
  dispatcherOf: (isOwn: boolean) => Agent,
): Promise<WebResponse> {
  let url = first;
  let isOwn = true;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    isOwn &&= url.origin === first.origin;
    const credentials = isOwn ? options.credentials : {};
    const response = await send(
      url,
      {
        ...(options.stored && { 'accept-encoding': 'identity' }),
        ...options.headers,
        ...credentials,
      },
      options.signal,
      dispatcherOf(isOwn),
    );
    const headers = flat(response.headers);
    const location = options.follow === false ? undefined : headers['location'];
    if (![301, 302, 303, 307, 308].includes(response.statusCode) || location === undefined) {
      const { body, cut } = await bodyOf(response, headers, options);
      return { url: url.href, status: response.statusCode, headers, body, cut };
    }
    discard(response.body);
    const next = redirected(location, url);
    if (next.href.length > MOST_URL) {
      throw new OrielError(
        'REDIRECT',
        `${quote(url.href)} redirects to a URL of more than ${MOST_URL} characters. Use another URL.`,
      );
    }
    if (url.protocol === 'https:' && next.protocol === 'http:' && next.hostname !== url.hostname) {
      throw new OrielError(
        'REDIRECT',
        `${quote(url.href)} redirects from https to ${quote(next.href)}, and is not followed. Use that URL, if it may be read without encryption.`,
      );
    }
    url = next;
  }
  throw new OrielError(
    'REDIRECT',
    `${quote(first.href)} redirects more than ${MOST_REDIRECTS} times. Use another URL.`,
  );
}

/** The URL of a redirect. Throws `REDIRECT` if it is not allowed. */
function redirected(location: string, from: URL): URL {
  try {
    return webUrl(location, from.href);
  } catch (cause) {
    throw new OrielError(
      'REDIRECT',
      `${quote(from.href)} redirects to a URL that is not followed. Use another URL.`,
      {
        cause,
      },
    );
  }
}

async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  dispatcher: Agent,
): Promise<Dispatcher.ResponseData> {
  let informational = 0;
  try {
    return await request(url, {
      dispatcher,
      signal,
      highWaterMark: BUFFERED_BYTES,
      onInfo() {
        informational += 1;
        if (informational > MOST_INFORMATIONAL) {
          throw new OrielError(
            'LIMIT',
            `${quote(url.host)} sends more than ${MOST_INFORMATIONAL} informational responses.`,
          );
        }
      },
      headers: { 'user-agent': 'oriel', 'accept-encoding': 'gzip, deflate, br', ...headers },
    });
  } catch (error) {
    throw networkError(error, url, signal);
  }
}

function flat(headers: Dispatcher.ResponseData['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** HTTP requests of which everything is bounded: addresses, redirects, time, headers, body, what the body unpacks to. */

import { type Duplex, pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { OrielError } from '../../errors.ts';
import { oneLine, quote } from '../../text/visible.ts';
import { type Allowed, parseAllowed } from './addresses.ts';
import { checkedConnector, type Resolve } from './connect.ts';
import { createAnyInflate } from './inflate.ts';

export interface NetworkOptions {
  /** `HOST|CIDR[:PORT]`, beside all public addresses. */
  readonly allow: readonly string[];
  readonly resolve?: Resolve;
}

export interface WebRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the origin of the first URL only, and not there either once a redirect has led to another one. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** The origin of this URL is one that the operator has set: it is reached whatever its address. */
  readonly trusted?: boolean;
  /** `false`: a redirect is an answer like any other. */
  readonly follow?: false;
  /** The body as it is stored, whatever it is packed with: ranges are parts of that. */
  readonly stored?: true;
  /** Covers everything, the body too. */
  readonly signal: AbortSignal;
  /** Bytes of the body as it unpacks, by what the headers say of it. */
  readonly mostBytes: (headers: Headers) => number;
}

/** Names in lower case; several values joined by `, `. */
export type Headers = Readonly<Record<string, string>>;

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
  /** Throws OrielError: `BLOCKED_ADDRESS`, `BLOCKED_PORT`, `REDIRECT`, `NETWORK`, `TLS`, `TIMEOUT`, `LIMIT`, `CORRUPT`, `BAD_PATH`. */
  get(url: string, options: WebRequest): Promise<WebResponse>;
  close(): Promise<void>;
}

const MOST_REDIRECTS = 10;
/** Characters of a URL that a redirect names: every answer repeats it. */
const MOST_URL = 8_192;
const MOST_HEADER_BYTES = 64 << 10;
/** Milliseconds without a byte. */
const IDLE_MS = 10_000;
/** A body may unpack to this many times its size beyond the first 1 MiB. */
const MOST_RATIO = 200;
const FREE_BYTES = 1 << 20;

/** Agents of trusted origins, each with its connections. */
const MOST_TRUSTED = 64;

export function createNetwork({ allow, resolve }: NetworkOptions): Network {
  const allowed: readonly Allowed[] = allow.map(parseAllowed);
  const agentOf = (open: readonly Allowed[]): Agent =>
    new Agent({
      connect: checkedConnector(open, resolve),
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: IDLE_MS,
      bodyTimeout: IDLE_MS,
      connections: 8,
      keepAliveTimeout: 1_000,
    });
  const agent = agentOf(allowed);
  /** By origin. An endpoint with the bucket in its host is another origin for each bucket. */
  const trusted = new Map<string, Agent>();
  const trusting = (url: URL): Agent => {
    let known = trusted.get(url.origin);
    if (!known) trusted.set(url.origin, (known = agentOf([...allowed, originOf(url)])));
    if (trusted.size > MOST_TRUSTED) {
      const [[origin, oldest] = ['', known]] = trusted;
      trusted.delete(origin);
      // What it does still is done to its end.
      void oldest.close();
    }
    return known;
  };
  return {
    get(address, options) {
      const first = webUrl(address);
      // A redirect to another origin is judged like any other, and so is what that leads to.
      const dispatcherOf = (isOwn: boolean): Agent =>
        options.trusted === true && isOwn ? trusting(first) : agent;
      return follow(first, options, dispatcherOf);
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
        `${quote(url.href)} redirects to a URL of more than ${MOST_URL} characters.`,
      );
    }
    if (url.protocol === 'https:' && next.protocol === 'http:' && next.hostname !== url.hostname) {
      throw new OrielError('REDIRECT', `${quote(url.href)} redirects from https to ${quote(next.href)}.`);
    }
    url = next;
  }
  throw new OrielError('REDIRECT', `${quote(first.href)} redirects more than ${MOST_REDIRECTS} times.`);
}

/** Throws `REDIRECT` for what a page may not lead to. */
function redirected(location: string, from: URL): URL {
  try {
    return webUrl(location, from.href);
  } catch (cause) {
    throw new OrielError('REDIRECT', `${quote(from.href)} redirects to a URL that is not followed.`, {
      cause,
    });
  }
}

async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  dispatcher: Agent,
): Promise<Dispatcher.ResponseData> {
  try {
    return await request(url, {
      dispatcher,
      signal,
      headers: { 'user-agent': 'oriel', 'accept-encoding': 'gzip, deflate, br', ...headers },
    });
  } catch (error) {
    throw networkError(error, url, signal);
  }
}

/** A connection whose body nobody wants is closed, not drained. */
function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

function flat(headers: Dispatcher.ResponseData['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

async function bodyOf(
  { body }: Dispatcher.ResponseData,
  headers: Headers,
  { mostBytes, signal, stored }: WebRequest,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const most = mostBytes(headers);
  const chunks: Uint8Array[] = [];
  let [packed, unpacked] = [0, 0];
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  try {
    for await (const chunk of piped([body, count, ...decoders(stored ? '' : headers['content-encoding'])])) {
      const room = most - unpacked;
      unpacked += chunk.length;
      if (unpacked > FREE_BYTES && unpacked > packed * MOST_RATIO) {
        throw new OrielError(
          'LIMIT',
          `The body unpacks to more than ${MOST_RATIO} times its size, and is not read.`,
        );
      }
      chunks.push(chunk.subarray(0, room));
      if (chunk.length > room) break;
    }
  } catch (error) {
    // Nothing is packed as nothing.
    const isNothing = packed === 0 && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    if (!isNothing) throw networkError(error, undefined, signal);
  } finally {
    discard(body);
  }
  return { body: Buffer.concat(chunks), cut: unpacked > most };
}

/** What comes out of the last stage. Whatever fails in one of them fails there. */
function piped(stages: readonly [Readable, ...Duplex[]]): AsyncIterable<Uint8Array> {
  pipeline(stages as unknown as [Readable, Transform], () => undefined);
  return stages.at(-1) as Readable;
}

/** In the order in which they have to be undone. Throws `LIMIT` and `CORRUPT`. */
function decoders(encoding = ''): Duplex[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 3)
    throw new OrielError('LIMIT', 'The body is packed more than three times, and is not read.');
  return names.toReversed().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createAnyInflate();
    if (name === 'br') return createBrotliDecompress();
    throw new OrielError('CORRUPT', `The body is packed in a way that is not read here: ${quote(name)}.`);
  });
}

/** What helps where a server is away for a while. */
const LATER = ' Use the same call later.';

function networkError(error: unknown, url: URL | undefined, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  const chain = [error, (error as Error).cause, ...((error as AggregateError).errors ?? [])];
  const known = chain.find((one) => one instanceof OrielError);
  if (known) return known;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const what = url ? quote(url.host) : 'The server';
  const options = { cause: error };
  if (/TIMEOUT/.test(code))
    return new OrielError('TIMEOUT', `${what} did not answer in time.${LATER}`, options);
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return new OrielError(
      'NETWORK',
      `${what} has no address. Use the URL of another host, or the same call later.`,
      options,
    );
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new OrielError('TLS', `${what} has no valid certificate: ${oneLine(message)}.`, options);
  }
  if (/HEADERS_OVERFLOW/.test(code))
    return new OrielError('LIMIT', `${what} sends too many headers.`, options);
  const said = oneLine(message).slice(0, 200).replace(/\.$/, '');
  return new OrielError('NETWORK', `${what} could not be read: ${said}.${LATER}`, options);
}

/**
 * HTTP requests with limits on everything: addresses, redirects, time, headers, the body and its unpacked
 * size.
 */

import { Duplex, pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { OrielError } from '../errors.ts';
import { queues } from '../queues/queue-table.ts';
import { QueueFull, type QueueSlot } from '../queues/queue.ts';
import { GrowingBytes } from '../text/bytes.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { WebSettings } from '../types/settings.ts';
import {
  type AllowedAddress,
  checkedConnector,
  nextBodyTurn,
  parseAllowed,
  type ResolveHost,
} from './addresses.ts';

interface NetworkOptions {
  /** `HOST|CIDR[:PORT]`, in addition to all public addresses. */
  readonly allow: readonly string[];
  readonly resolve?: ResolveHost | undefined;
  /** How the operator can allow a host; `HOST` stands for that host. */
  readonly howToAllow?: string | undefined;
}

/** The signal also covers the body. */
export interface WebRequest extends BodyOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers that are sent only to the origin of the first URL, and not even there after a redirect to another origin. */
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** The operator configured the origin of this URL, so its address may be private. */
  readonly trusted?: boolean | undefined;
  /** `false`: a redirect is returned like any other response. */
  readonly follow?: false | undefined;
}

export interface WebResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: Uint8Array;
  /** The body is longer than `mostBytes`: this is its beginning. */
  readonly cut: boolean;
}

export interface NetworkAccess {
  /** Throws OrielError: `BLOCKED_ADDRESS`, `BLOCKED_PORT`, `REDIRECT`, `NETWORK`, `TLS`, `TIMEOUT`, `LIMIT`, `CORRUPT`, `BAD_PATH`, `BUSY`. */
  get(url: string, options: WebRequest): Promise<WebResponse>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 10;
/** Maximum characters of the URL of a redirect, because every answer repeats it. */
const MAX_REDIRECT_URL_CHARACTERS = 8_192;
const MAX_HEADER_BYTES = 64 << 10;
/** Informational responses, such as 103 Early Hints, before the final one. */
const MAX_INFORMATIONAL_RESPONSES = 16;
const IDLE_MS = 10_000;

/** Maximum agents of trusted origins, each with its connections. */
const MAX_TRUSTED_AGENTS = 64;

export function createNetwork({ allow, resolve, howToAllow }: NetworkOptions): NetworkAccess {
  const allowed: readonly AllowedAddress[] = allow.map(parseAllowed);
  const agentOf = (open: readonly AllowedAddress[]): Agent =>
    new Agent({
      connect: checkedConnector(open, { resolve, howToAllow }),
      maxHeaderSize: MAX_HEADER_BYTES,
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
    if (trusted.size > MAX_TRUSTED_AGENTS) {
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

const networks = new WeakMap<WebSettings, NetworkAccess>();

/** The network of these settings: one, so that connections are reused. */
export function webNetwork(web: WebSettings): NetworkAccess {
  const network = networks.get(web) ?? createNetwork(web);
  networks.set(web, network);
  return network;
}

function originOf({ hostname, port, protocol }: URL): AllowedAddress {
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
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    isOwn &&= url.origin === first.origin;
    const credentials = isOwn ? options.credentials : {};
    const response = await send(
      url,
      { ...(options.stored && { 'accept-encoding': 'identity' }), ...options.headers, ...credentials },
      options.signal,
      dispatcherOf(isOwn),
    );
    const headers = flat(response.headers);
    const location = options.follow === false ? undefined : headers['location'];
    if (![301, 302, 303, 307, 308].includes(response.statusCode) || location === undefined) {
      const { body, cut } = await readReplyBody(response, headers, options);
      return { url: url.href, status: response.statusCode, headers, body, cut };
    }
    discard(response.body);
    const next = redirected(location, url);
    if (next.href.length > MAX_REDIRECT_URL_CHARACTERS) {
      throw new OrielError(
        'REDIRECT',
        `${quote(url.href)} redirects to a URL of more than ${MAX_REDIRECT_URL_CHARACTERS} characters. Use another URL.`,
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
    `${quote(first.href)} redirects more than ${MAX_REDIRECTS} times. Use another URL.`,
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
      { cause },
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
        if (informational > MAX_INFORMATIONAL_RESPONSES) {
          throw new OrielError(
            'LIMIT',
            `${quote(url.host)} sends more than ${MAX_INFORMATIONAL_RESPONSES} informational responses.`,
          );
        }
      },
      headers: { 'user-agent': 'oriel', 'accept-encoding': 'gzip, deflate, br', ...headers },
    });
  } catch (error) {
    throw networkError(error, url, signal);
  }
}

function flat(headers: Dispatcher.ResponseData['headers']): ReplyHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

// The unpacked body of a reply, with limits on its packed and unpacked size.

/** Names in lower case; several values joined by `, `. */
export type ReplyHeaders = Readonly<Record<string, string>>;

export interface BodyOptions {
  /** Do not undo its content encoding: ranges refer to the encoded bytes. */
  readonly stored?: true | undefined;
  readonly signal: AbortSignal;
  /** Limit on the unpacked bytes of the body, depending on its headers. */
  readonly mostBytes: (headers: ReplyHeaders) => number;
}

/** A body may unpack to this many times its size beyond the first 1 MiB. */
const MAX_INFLATE_RATIO = 200;
const FREE_BYTES = 1 << 20;

/** A larger body takes a slot of `queues.bodies` until it is complete. */
const SMALL_BYTES = 1 << 20;

/**
 * Bytes of a body that are buffered before it is read. Each chunk costs microseconds, even one of a single
 * byte, so they are parsed together.
 */
const BUFFERED_BYTES = 2_048;

/** A connection whose body nobody wants is closed, not drained. */
export function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** Throws `LIMIT`, `CORRUPT`, `BUSY`, and the errors of `networkError`. */
export async function readReplyBody(
  { body }: Dispatcher.ResponseData,
  headers: ReplyHeaders,
  { mostBytes, signal, stored }: BodyOptions,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const most = mostBytes(headers);
  const read = { packed: 0, unpacked: 0 };
  let bytes: GrowingBytes | undefined;
  let slot: QueueSlot | undefined;
  try {
    bytes = new GrowingBytes(most);
    const stages = decoders(stored ? '' : headers['content-encoding']);
    for await (const chunk of unpacked(piecesOf(body, read), stages)) {
      read.unpacked += chunk.length;
      if (read.unpacked > FREE_BYTES && read.unpacked > read.packed * MAX_INFLATE_RATIO) {
        throw new OrielError(
          'LIMIT',
          `The body unpacks to more than ${MAX_INFLATE_RATIO} times its size, and is not read. Use another URL.`,
        );
      }
      if (Math.min(read.unpacked, most) > SMALL_BYTES)
        slot ??= await queues.bodies.acquire({ signal, timed: true });
      bytes.add(chunk);
      if (read.unpacked > most) break;
    }
    return { body: bytes.copy(), cut: read.unpacked > most };
  } catch (error) {
    // The timeout passed while the body waited in the queue.
    if (error instanceof QueueFull) throw error;
    // An empty body is valid, whatever its encoding.
    const isNothing = read.packed === 0 && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    if (!isNothing) throw networkError(error, undefined, signal);
    return { body: new Uint8Array(), cut: false };
  } finally {
    discard(body);
    bytes?.free();
    slot?.release();
  }
}

/** Joins the chunks that have arrived to larger pieces, because each piece has a fixed cost in the following stages. */
async function* piecesOf(body: Readable, read: { packed: number }): AsyncGenerator<Uint8Array> {
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    read.packed += piece.length;
    yield piece;
    await nextBodyTurn();
  }
}

/** The output of the last stage, which also throws the errors of earlier stages. */
function unpacked(pieces: AsyncGenerator<Uint8Array>, stages: readonly Duplex[]): AsyncIterable<Uint8Array> {
  const last = stages.at(-1);
  if (!last) return pieces;
  pipeline([pieces, ...stages] as unknown as [Readable, Duplex], () => undefined);
  return last;
}

/** Values that mean no encoding, and wrong values that browsers ignore too. */
const UNPACKED: ReadonlySet<string> = new Set([
  '',
  'identity',
  'none',
  'utf-8',
  'utf8',
  'binary',
  '8bit',
  'aws-chunked',
]);

/** The decoders in the order in which they must be applied. Throws `LIMIT` and `CORRUPT`. */
function decoders(encoding = ''): Duplex[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !UNPACKED.has(name));
  if (names.length > 3)
    throw new OrielError(
      'LIMIT',
      'The body has more than three content encodings, and is not read. Use another URL.',
    );
  return names.toReversed().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createAnyInflate();
    if (name === 'br') return createBrotliDecompress();
    throw new OrielError(
      'CORRUPT',
      `The body has an unsupported content encoding: ${quote(name.slice(0, 40))}. Use another URL.`,
    );
  });
}

// Turns the failure of a connection into an OrielError with advice.

const LATER = ' Use the same call later.';

/** `url`: the requested URL, if there was no answer yet. An abort is the signal's reason. */
export function networkError(error: unknown, url: URL | undefined, signal: AbortSignal): Error {
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
    return new OrielError(
      'TLS',
      `${what} has no valid certificate: ${oneLine(message)}. Use the URL of another host.`,
      options,
    );
  }
  if (/HEADERS_OVERFLOW/.test(code))
    return new OrielError('LIMIT', `${what} sends too many headers. Use another URL.`, options);
  // An assertion of undici about an invalid reply, such as a status of 000.
  const said =
    code === 'ERR_ASSERTION' ? 'its reply is not HTTP' : oneLine(message).slice(0, 200).replace(/\.$/, '');
  return new OrielError('NETWORK', `${what} could not be read: ${said}.${LATER}`, options);
}

// Decodes `Content-Encoding: deflate`, which servers send with a zlib header, as the standard says, or without.

export function createAnyInflate(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const pieces = source[Symbol.asyncIterator]();
    const first = await pieces.next();
    if (first.done === true) return;
    const all = async function* (): AsyncGenerator<Buffer> {
      yield first.value;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    };
    const inflate = hasHeader(first.value) ? createInflate() : createInflateRaw();
    pipeline(Readable.from(all()), inflate, () => undefined);
    yield* inflate;
  });
}

/** The low four bits are the method, which is always 8. Source: RFC 1950. */
function hasHeader([first = 0]: Buffer): boolean {
  return (first & 0x0f) === 8;
}

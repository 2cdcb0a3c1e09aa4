/** An HTTP request and its reply, as the routes see them. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6, type Server, type Socket } from 'node:net';
import type { OrielError } from '../../errors.ts';
import { maxDescriptors } from '../../files/descriptors.ts';
import { type Caller, nameCaller, registerCallerAddress, within } from '../../queues/caller.ts';
import { PeerOutlet } from '../outbox.ts';

/** The complete body, or a function that writes it. */
export type ReplyBody = string | Uint8Array | ((outlet: PeerOutlet) => Promise<void>);

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when absent. */
  readonly body?: ReplyBody | undefined;
  /** To whom unsent bytes are charged, if not to the client of the request: an MCP session. */
  readonly caller?: Caller | undefined;
}

export class HttpExchange {
  readonly incoming: IncomingMessage;
  /** The path of the request target, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #outgoing: ServerResponse;
  #stop: AbortController | undefined;
  #evict: ((error: OrielError) => void) | undefined;
  #evictedWith: OrielError | undefined;
  #endStream: ((error: OrielError) => void) | undefined;
  #client: Caller | undefined;
  /** Called at the end of the exchange; undefined afterwards. */
  #tellClosed: (() => void)[] | undefined = [];

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.#outgoing = outgoing;
    outgoing.once('close', () => this.close());
    const target = incoming.url ?? '';
    const query = target.indexOf('?');
    this.path = query === -1 ? target : target.slice(0, query);
    this.query = new URLSearchParams(query === -1 ? '' : target.slice(query + 1));
  }

  get method(): string {
    return this.incoming.method ?? '';
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Also undefined if there are several Host headers, because a proxy might have used another one. */
  get host(): string | undefined {
    const names = this.incoming.rawHeaders.filter((text, i) => i % 2 === 0 && /^host$/i.test(text));
    return names.length === 1 ? this.header('host') : undefined;
  }

  /** Aborted if the client disconnects before it has its reply. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get #stopping(): AbortController {
    if (this.#stop) return this.#stop;
    const stop = new AbortController();
    const outgoing = this.#outgoing;
    const gone = (): void => {
      if (!outgoing.writableFinished) stop.abort();
    };
    if (outgoing.destroyed) gone();
    else this.onClosed(gone);
    this.#stop = stop;
    return stop;
  }

  /** The result of `work`; rejects immediately if the request is evicted. `work` does not begin if it was already. */
  beforeEvicted<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#evictedWith) return reject(this.#evictedWith);
      this.#evict = reject;
      Promise.resolve(work()).then(resolve, reject);
    });
  }

  /** Whether the request was evicted: its call must not begin any more. */
  get isEvicted(): boolean {
    return this.#evictedWith !== undefined;
  }

  /** If the request is evicted after its reply has begun, `end` writes `error` as the last part of it. */
  endsWith(end: (error: OrielError) => void): void {
    this.#endStream = end;
  }

  /**
   * Evicts the request: cancels its call, and replies with `error`. A reply that has begun ends with the error if it is a
   * stream of events; the connection of another is closed.
   */
  evict(error: OrielError): void {
    this.#evictedWith = error;
    if (!this.#outgoing.headersSent) {
      this.#evict?.(error);
      this.#stopping.abort();
    } else if (this.#endStream) {
      this.#endStream(error);
      // After the error was sent: MCP sends nothing for a request that was cancelled.
      setImmediate(() => this.#stopping.abort());
    } else this.incoming.socket.destroy();
  }

  /** Resolves when the request has arrived completely, but after `ms` at the latest. Its rest is read, and ignored. */
  async received(ms: number): Promise<void> {
    const { incoming } = this;
    if (incoming.complete || incoming.destroyed) return;
    const done = new Promise((resolve) => incoming.once('end', resolve).once('close', resolve).resume());
    await within(ms, done);
  }

  /** Calls `tell` when the reply has been sent or the connection is closed. */
  onClosed(tell: () => void): void {
    if (this.#tellClosed) this.#tellClosed.push(tell);
    else tell();
  }

  /** Marks the exchange as closed. It happens by itself when Node.js closes the response. */
  close(): void {
    const tell = this.#tellClosed ?? [];
    this.#tellClosed = undefined;
    for (const one of tell) one();
  }

  get client(): Caller {
    return (this.#client ??= clientOf(this.incoming));
  }
}

// Identifies the client of a request, for the fairness of queues and for its kept outputs (`artifact://N`).

/** The header with the name of the client, which it chooses itself. */
const CLIENT_HEADER = 'oriel-client';

/** Of the addresses that proxies report, the last. */
const MAX_PROXY_CHARACTERS = 200;

/** The clients by key. An entry lives as long as anything refers to the client: a request, a kept output. */
const clients = new Map<string, WeakRef<Caller>>();
const forgotten = new FinalizationRegistry<string>((key) => {
  // The client may have come again meanwhile.
  if (!clients.get(key)?.deref()) clients.delete(key);
});

/**
 * Identified by its name, otherwise by its address and `User-Agent`. Not by its connection: many clients open a connection
 * for each concurrent request, and would get more than their fair share.
 */
export function clientOf({ headers, socket }: IncomingMessage): Caller {
  const named = headers[CLIENT_HEADER];
  const isNamed = typeof named === 'string';
  // They distinguish clients behind a proxy. A false one does not impersonate another client, because the real address is part
  // of the key too. The last proxy's entry is at the end.
  const proxies = String(headers['x-forwarded-for'] ?? headers.forwarded ?? '').slice(-MAX_PROXY_CHARACTERS);
  // No name can be equal to what an unnamed client has.
  const facts = isNamed ? [named] : [socket.remoteAddress ?? 'local', proxies, headers['user-agent'] ?? ''];
  // Headers may be long, and programs at one address may differ at the end of a long `User-Agent`.
  const key = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const client = clients.get(key)?.deref() ?? made(key, isNamed);
  registerCallerAddress(client, clientNetwork(socket.remoteAddress ?? 'local'));
  return client;
}

function made(key: string, isNamed: boolean): Caller {
  const client = {};
  // Unnamed clients on different machines may have the same key (127.0.0.1 and the same program), so it is a guess.
  nameCaller(client, { name: key, isGuess: !isNamed });
  clients.set(key, new WeakRef(client));
  forgotten.register(client, key);
  return client;
}

// Limits the connections of one address, because each takes memory and a descriptor. Requests on connections
// over the limit are answered with 503; above twice the limit, new connections are closed immediately.

const DEFAULT_ADDRESS_CONNECTIONS = 256;

/** Maximum share of the descriptors: twice the maximum may be open briefly, and other addresses need some too. */
const SHARE_OF_DESCRIPTORS = 1 / 8;

/** The maximum connections of an address, fewer if this process may open few descriptors. */
export function mostConnections(descriptors = maxDescriptors()): number {
  if (descriptors === undefined) return DEFAULT_ADDRESS_CONNECTIONS;
  return Math.max(1, Math.min(DEFAULT_ADDRESS_CONNECTIONS, Math.floor(descriptors * SHARE_OF_DESCRIPTORS)));
}

/** Counters of the whole process: open connections, and connections over the limit. */
export const connections = { open: 0, refused: 0 };

/** Counts the connections of `server`. The returned function says whether a connection is over the limit. */
export function boundConnections(server: Server, most: number): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  const surplus = new WeakSet<Socket>();
  // Before the listener of HTTP, which would start parsing.
  server.prependListener('connection', (socket: Socket) => {
    const from = clientNetwork(socket.remoteAddress ?? 'local');
    const before = counts.get(from) ?? 0;
    if (before >= most) {
      connections.refused += 1;
      surplus.add(socket);
    }
    if (before >= 2 * most) return void socket.destroy();
    counts.set(from, before + 1);
    connections.open += 1;
    socket.once('close', () => {
      connections.open -= 1;
      const left = (counts.get(from) ?? 1) - 1;
      if (left > 0) counts.set(from, left);
      else counts.delete(from);
    });
  });
  return (socket) => surplus.has(socket);
}

/** An IPv4 address, or the /64 network of an IPv6 address, all of which one machine may use. */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = [], tail = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

// Sends a reply through the outlet of its client.

/** Resolves when the body was written to the outlet; the client may not have received it yet. Throws the errors of `body`. */
export async function send(
  { status, headers, body = '', caller }: HttpReply,
  { client, method }: HttpExchange,
  outgoing: ServerResponse,
  timeoutMs?: number,
): Promise<void> {
  const outlet = new PeerOutlet(outgoing, caller ?? client, { timeoutMs });
  if (typeof body === 'function') {
    outgoing.writeHead(status, headers);
    // The headers are sent immediately, because the first part of the body may take long.
    outgoing.flushHeaders();
    if (method !== 'HEAD') await body(outlet);
    return outlet.end();
  }
  const bodiless = method === 'HEAD' || status === 304;
  const length =
    status === 304 || 'content-length' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outlet.end(bodiless ? '' : body);
}

/**
 * `/mcp`: Streamable HTTP. Since protocol 2026-07-28 requests are stateless. Clients with protocol 2025 initialize a session,
 * which connects their cancellations with requests, and their names with the limits of answers.
 */

import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServerFactory,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { OrielError } from '../../errors.ts';
import { type Caller, callerOrigin, registerCallerAddress } from '../../queues/caller.ts';
import {
  type CallServer,
  DUPLICATE_ID,
  EMPTY_OR_LONG_BATCH,
  hasRoundedId,
  MAX_BATCH_MESSAGES,
  ROUNDED_ID,
  withoutNulls,
} from '../mcp/call-server.ts';
import type { McpOptions } from '../mcp/server.ts';
import type { ServerOffer } from '../offer.ts';
import type { PeerOutlet } from '../outbox.ts';
import { type HttpExchange, type HttpReply } from './exchange.ts';
import { jsonReply, problem } from './problem.ts';
import { jsonOf } from './request-body.ts';

/**
 * Maximum sessions. At the maximum one is evicted: first those that were only opened, then those without kept outputs, then
 * the others, the least recently used first. Its client must initialize again. A session with pending requests is never
 * evicted.
 */
const MAX_MCP_SESSIONS = 256;

interface McpMount {
  handle(exchange: HttpExchange): Promise<HttpReply>;
  /** The caller of a session; undefined for an unknown id. */
  callerOf(session: string): Caller | undefined;
  /** Ends the streams of subscriptions, which do not end by themselves. */
  endListening(): void;
  close(): Promise<void>;
}

type MakeServer = (of: Pick<McpOptions, 'host' | 'caller'>) => SessionServer;

interface OpenSession {
  readonly session: McpSession;
  readonly caller: Caller;
}

/** `onerror`: receives what the SDK reports of requests before there is a server for them. */
export function mountMcp(
  make: MakeServer,
  offer: Pick<ServerOffer, 'keeps' | 'forget'>,
  onerror: (error: Error) => void = () => undefined,
): McpMount {
  const callers = new WeakMap<Request, Caller>();
  /** Who answers the messages of a request. */
  const answering = new WeakMap<Request, Pick<SessionServer, 'fail'>>();
  // Clients with protocol 2025 but without a session do not give their name in MCP.
  const hostOf = (request?: Request): string | undefined => request?.headers.get('user-agent') ?? undefined;
  const factory: McpServerFactory = ({ requestInfo }) => {
    const caller = requestInfo && callers.get(requestInfo);
    const server = make({ host: hostOf(requestInfo), caller });
    if (requestInfo) answering.set(requestInfo, server);
    return server;
  };
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror });
  const listening = createMcpHandler(factory, { legacy: 'reject', onerror });
  const stateless = legacyStatelessFallback(factory, onerror);
  /** Least recently used first. */
  const sessions = new Map<string, OpenSession>();

  async function open(request: Request): Promise<McpSession> {
    if (sessions.size >= MAX_MCP_SESSIONS && !leastWanted())
      throw new OrielError('BUSY', 'All sessions are being answered. Open one in a moment.');
    const caller = {};
    const origin = callerOrigin(callers.get(request) ?? caller);
    if (typeof origin === 'string') registerCallerAddress(caller, origin);
    const session = new McpSession({
      opened(id) {
        const [old, over] = sessions.size >= MAX_MCP_SESSIONS ? (leastWanted() ?? []) : [];
        if (old !== undefined && over) {
          forget(old, over.caller);
          void over.session.close();
        }
        sessions.set(id, { session, caller });
      },
      closed: (id) => forget(id, caller),
    });
    await session.connect(make({ host: hostOf(request), caller }));
    return session;
  }

  function forget(id: string, caller: Caller): void {
    sessions.delete(id);
    void offer.forget(caller);
  }

  /** The session to evict; undefined if all have pending requests. */
  function leastWanted(): [string, OpenSession] | undefined {
    const idle = Array.from(sessions).filter(([, { session }]) => !session.busy);
    return (
      idle.find(([, { session }]) => !session.used) ??
      idle.find(([, { caller }]) => !offer.keeps(caller)) ??
      idle[0]
    );
  }

  function sessionOf(id: string): OpenSession | undefined {
    const known = sessions.get(id);
    if (!known) return undefined;
    sessions.delete(id);
    sessions.set(id, known);
    return known;
  }

  async function legacy(request: Request, parsedBody?: unknown): Promise<McpResponse> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessionOf(id);
    const begins = isInitializeRequest(parsedBody);
    // A client that initializes again after a restart of the server may still send the old id.
    if (id !== null && !known && !begins)
      return { response: problem(404, { message: 'There is no such session.', code: 'NOT_FOUND' }) };
    if (known) {
      answering.set(request, known.session);
      return { response: await known.session.handle(request, parsedBody), caller: known.caller };
    }
    const answered = begins
      ? (await open(request)).handle(request, parsedBody)
      : stateless(request, { parsedBody });
    return { response: await answered };
  }

  return {
    async handle(exchange) {
      const { method } = exchange;
      const id = exchange.header('mcp-session-id');
      if (method === 'DELETE' && id !== undefined) return replyOf(await legacy(requestOf(exchange)));
      if (method !== 'POST')
        return problem(405, { message: 'Use POST.', code: 'BAD_INPUT' }, { allow: 'POST' });
      const body = await jsonOf(exchange);
      if ('status' in body) return body;
      const value = withoutNulls(body.value);
      const refused = (
        id: RequestId | null,
        error: typeof DUPLICATE_ID | typeof ROUNDED_ID | typeof EMPTY_OR_LONG_BATCH,
      ): HttpReply => jsonReply({ jsonrpc: '2.0', id, error }, 400);
      // The SDK parses all messages before it counts.
      if (Array.isArray(value) && value.length > MAX_BATCH_MESSAGES)
        return refused(null, EMPTY_OR_LONG_BATCH);
      if ([value].flat().some(hasRoundedId)) return refused(null, ROUNDED_ID);
      const ids = idsOf(value);
      const twice = ids.find((one, i) => ids.indexOf(one) < i);
      if (twice !== undefined) return refused(twice, DUPLICATE_ID);
      const request = requestOf(exchange);
      callers.set(request, exchange.client);
      exchange.endsWith((error) => answering.get(request)?.fail?.(ids, error));
      const handler = isListening(value) ? listening : modern;
      const { response, caller } = (await isLegacyRequest(request, value))
        ? await legacy(request, value)
        : { response: await handler.fetch(request, { parsedBody: value }) };
      if (!(response instanceof Response)) return replyOf({ response, caller });
      // What a client listens to has no end, so it has only one form.
      const form = isListening(value)
        ? response
        : inAcceptedForm(response, exchange.header('accept') ?? '', Array.isArray(value));
      return replyOf({ response: form, caller });
    },
    callerOf: (session) => sessions.get(session)?.caller,
    endListening: () => void listening.close(),
    close: () => modern.close(),
  };
}

function idsOf(body: unknown): readonly RequestId[] {
  return [body].flat().flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
}

function isListening(body: unknown): boolean {
  return isJSONRPCRequest(body) && body.method === 'subscriptions/listen';
}

/** The request for the SDK, without its body, which is parsed already. The SDK refuses clients that do not accept both forms. */
function requestOf({ method, incoming, signal }: HttpExchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.set('accept', `${JSON_TYPE}, ${STREAM_TYPE}`);
  return new Request('http://localhost/mcp', { method, headers, signal });
}

interface McpResponse {
  readonly response: Response | HttpReply;
  /** The session of the response: its unsent bytes hold back the session's calls. */
  readonly caller?: Caller | undefined;
}

function replyOf({ response, caller }: McpResponse): HttpReply {
  const of = caller && { caller };
  if (!(response instanceof Response)) return { ...response, ...of };
  const { status, body } = response;
  // Whether the connection stays open is decided by the server.
  const { connection: _, ...headers } = Object.fromEntries(response.headers);
  if (!body) return { status, headers, ...of };
  return { status, headers, body: (outlet) => pass(body, outlet), ...of };
}

/** Reads the body from the SDK without waiting for the client, so that unsent bytes are counted in the outbox. */
async function pass(body: ReadableStream<Uint8Array>, outlet: PeerOutlet): Promise<void> {
  const reader = body.getReader();
  outlet.onGone(() => void reader.cancel().catch(() => undefined));
  for (let part = await reader.read(); !part.done; part = await reader.read()) outlet.write(part.value);
}

// The form of a response: a stream of events, or JSON. A client may accept only one of them.

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** `accept`: the header of the request. `isBatch`: whether it had a list of messages. */
function inAcceptedForm(response: Response, accept: string, isBatch: boolean): Response {
  const accepts = (type: string): boolean =>
    /^\s*$|\*\/\*/.test(accept) || accept.toLowerCase().includes(type);
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !response.body) return response;
  if (type.startsWith(STREAM_TYPE) && !accepts(STREAM_TYPE) && accepts(JSON_TYPE))
    return converted(response, JSON_TYPE, (events) => responsesIn(events, isBatch));
  if (type.startsWith(JSON_TYPE) && !accepts(JSON_TYPE) && accepts(STREAM_TYPE))
    return converted(response, STREAM_TYPE, (json) => `event: message\ndata: ${json}\n\n`);
  return response;
}

/** The responses among the messages of a stream; requests and notifications need one. */
function responsesIn(events: string, isBatch: boolean): string {
  const messages = Array.from(events.matchAll(/^data: (.+)$/gm), ([, json = '']) => json);
  const responses = messages.filter((json) => !('method' in JSON.parse(json)));
  return isBatch ? `[${responses.join(',')}]` : (responses[0] ?? '');
}

function converted(response: Response, type: string, convert: (body: string) => string): Response {
  const parts: Uint8Array[] = [];
  const whole = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part) => void parts.push(part),
    flush: (controller) => controller.enqueue(Buffer.from(convert(Buffer.concat(parts).toString()))),
  });
  const headers = new Headers(response.headers);
  headers.set('content-type', type);
  return new Response(response.body?.pipeThrough(whole), { status: response.status, headers });
}

// A session of a client with protocol 2025: its server, and the ids of pending requests, which must not be reused.

/** The error code that ends a cancelled request in the SDK; it is never sent. */
const CANCELLED = -32800;

/** A server of the SDK; with `fail` its requests can be ended with an error. */
type SessionServer = Awaited<ReturnType<McpServerFactory>> & Partial<Pick<CallServer, 'fail'>>;

interface SessionEvents {
  opened(id: string): void;
  closed(id: string): void;
}

interface Post {
  readonly ids: readonly RequestId[];
  readonly pending: Set<RequestId>;
  readonly cancelled: RequestId[];
}

class McpSession {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #inFlight = new Map<RequestId, Post>();
  #server: SessionServer | undefined;
  /** Removes a request whose stream is closed from the SDK, which reports that as an error. */
  #clear: (id: RequestId) => void = () => undefined;
  #clearing = false;
  #used = false;

  constructor({ opened, closed }: SessionEvents) {
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: opened,
      onsessionclosed: closed,
    });
  }

  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Whether there were other requests than `initialize`. */
  get used(): boolean {
    return this.#used;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Answers those of the requests that are running with `error`, and cancels them. */
  fail(ids: readonly RequestId[], error: OrielError): void {
    this.#server?.fail?.(ids, error);
  }

  async connect(server: SessionServer): Promise<void> {
    this.#server = server;
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      // The id is released after the response, so that a request that reuses it does not find the old stream.
      await send(message, options);
      if (!('method' in message) && message.id !== undefined) this.#settle(message.id, 'answered');
    };
    await server.connect(transport);
    const { onerror } = transport;
    Object.assign(transport, {
      onerror: (error: Error) => {
        if (!this.#clearing) onerror?.(error);
      },
    });
    this.#clear = (id) => {
      this.#clearing = true;
      void send({ jsonrpc: '2.0', id, error: { code: CANCELLED, message: 'Cancelled' } });
      this.#clearing = false;
    };
  }

  async handle(request: Request, body: unknown): Promise<Response | HttpReply> {
    const ids = idsOf(body);
    const duplicate = ids.find((id) => this.#inFlight.has(id));
    if (duplicate !== undefined)
      return jsonReply({ jsonrpc: '2.0', id: duplicate, error: DUPLICATE_ID }, 400);
    if (ids.length > 0 && !isInitializeRequest(body)) this.#used = true;
    const post: Post = { ids, pending: new Set(ids), cancelled: [] };
    for (const id of ids) this.#inFlight.set(id, post);
    const response = await this.#transport
      .handleRequest(request, { parsedBody: body })
      .catch((error: unknown) => {
        // Otherwise the ids would stay pending, and the session busy for ever.
        this.#abandon(post);
        throw error;
      });
    // The POST was refused, so none of its requests has begun.
    if (response.status !== 200) this.#free(post);
    else if (request.signal.aborted) this.#abandon(post);
    else request.signal.addEventListener('abort', () => this.#abandon(post), { once: true });
    for (const message of [body].flat()) {
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId'] as RequestId, 'cancelled');
    }
    return response;
  }

  /** Cancels the requests of a POST whose client has disconnected. */
  #abandon(post: Post): void {
    for (const requestId of post.pending) {
      this.#transport.onmessage?.({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId, reason: 'The client went away.' },
      });
      this.#settle(requestId, 'cancelled');
    }
  }

  /** Ids are released when their POST has ended, because until then the SDK uses them for its stream. */
  #settle(id: RequestId, how: 'answered' | 'cancelled'): void {
    const post = this.#inFlight.get(id);
    if (!post?.pending.delete(id)) return;
    if (how === 'cancelled') post.cancelled.push(id);
    if (post.pending.size > 0) return;
    // A cancelled request gets no response, but the SDK would keep its stream open for one.
    for (const cancelled of post.cancelled) {
      this.#transport.closeSSEStream(cancelled);
      this.#clear(cancelled);
    }
    this.#free(post);
  }

  #free({ ids }: Post): void {
    for (const id of ids) this.#inFlight.delete(id);
  }
}

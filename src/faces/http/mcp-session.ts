/** One session of a client of 2025: its server, and the ids that are in flight, which no second request may use. */

import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { DUPLICATE_ID } from '../mcp/refusals.ts';
import { json } from './problem.ts';
import type { Reply } from './exchange.ts';

/** What the SDK is told of a cancelled request; it is never sent. */
const CANCELLED = -32800;

export interface SessionEvents {
  opened(id: string): void;
  closed(id: string): void;
}

/** The requests that came in one POST. */
interface Post {
  readonly ids: readonly RequestId[];
  readonly pending: Set<RequestId>;
  readonly cancelled: RequestId[];
}

export class McpSession {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #inFlight = new Map<RequestId, Post>();
  /** Makes the SDK forget a request whose stream is closed; it calls that an error. */
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

  /** Requests are being answered. */
  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** It was asked for more than to open. */
  get used(): boolean {
    return this.#used;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async connect(server: Awaited<ReturnType<McpServerFactory>>): Promise<void> {
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      // First the answer, then the id is free: a request that reuses it must not find the other's stream.
      await send(message, options);
      if (!('method' in message) && message.id !== undefined) this.#settle(message.id, 'answered');
    };
    await (server as Server).connect(transport);
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

  async handle(request: Request, body: unknown): Promise<Response | Reply> {
    const messages = [body].flat();
    const ids = messages.flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
    const duplicate = ids.find((id) => this.#inFlight.has(id));
    if (duplicate !== undefined) return json({ jsonrpc: '2.0', id: duplicate, error: DUPLICATE_ID }, 400);
    if (ids.length > 0 && !isInitializeRequest(body)) this.#used = true;
    const post: Post = { ids, pending: new Set(ids), cancelled: [] };
    for (const id of ids) this.#inFlight.set(id, post);
    const response = await this.#transport
      .handleRequest(request, { parsedBody: body })
      .catch((error: unknown) => {
        // Ids that stay in flight would keep the session busy for good.
        this.#abandon(post);
        throw error;
      });
    // Refused as a whole: none of its requests has begun.
    if (response.status !== 200) this.#free(post);
    else if (request.signal.aborted) this.#abandon(post);
    else request.signal.addEventListener('abort', () => this.#abandon(post), { once: true });
    for (const message of messages) {
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId'] as RequestId, 'cancelled');
    }
    return response;
  }

  /** Nobody waits for the answers any more: the work stops. */
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

  /** Ids are free when their POST has ended: until then the SDK knows its stream by them. */
  #settle(id: RequestId, how: 'answered' | 'cancelled'): void {
    const post = this.#inFlight.get(id);
    if (!post?.pending.delete(id)) return;
    if (how === 'cancelled') post.cancelled.push(id);
    if (post.pending.size > 0) return;
    // What is cancelled gets no answer, and the SDK would keep its stream open for one.
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

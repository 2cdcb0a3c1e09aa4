/** A session of a client with protocol 2025: its server, and the ids of pending requests, which must not be reused. */

import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type McpServerFactory,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { OrielError } from '../../errors.ts';
import type { CallServer } from '../mcp/call-server.ts';
import { DUPLICATE_ID } from '../mcp/refusals.ts';
import { json } from './problem.ts';
import type { Reply } from './exchange.ts';

/** The error code that ends a cancelled request in the SDK; it is never sent. */
const CANCELLED = -32800;

/** A server of the SDK; with `fail` its requests can be ended with an error. */
export type SessionServer = Awaited<ReturnType<McpServerFactory>> & Partial<Pick<CallServer, 'fail'>>;

export interface SessionEvents {
  opened(id: string): void;
  closed(id: string): void;
}

/** The requests of one POST. */
interface Post {
  readonly ids: readonly RequestId[];
  readonly pending: Set<RequestId>;
  readonly cancelled: RequestId[];
}

export class McpSession {
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

  /** Whether requests are pending. */
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
        // Otherwise the ids would stay pending, and the session busy for ever.
        this.#abandon(post);
        throw error;
      });
    // The POST was refused, so none of its requests has begun.
    if (response.status !== 200) this.#free(post);
    else if (request.signal.aborted) this.#abandon(post);
    else request.signal.addEventListener('abort', () => this.#abandon(post), { once: true });
    for (const message of messages) {
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

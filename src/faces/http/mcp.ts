/**
 * `/mcp`: Streamable HTTP. Since 2026-07-28 every request stands for itself; clients of 2025 shake hands and get
 * a session, which is how their notices of cancellation find the work, and their name the size of an answer.
 */

import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { Lru } from '../../session/lru.ts';
import { problem } from './problem.ts';
import { jsonOf } from './request-input.ts';

/** Sessions kept; the one that was not used for longest goes first, and its client shakes hands again. */
const MOST_SESSIONS = 256;

export interface McpMount {
  handle(context: Context): Promise<Response>;
  close(): Promise<void>;
}

/** Makes what answers: one for a session that `request` opens, or one for a request that stands for itself. */
export type MakeServer = (
  request: Request | undefined,
  lasts: 'session' | 'request',
) => ReturnType<McpServerFactory>;

export function mountMcp(make: MakeServer): McpMount {
  const factory: McpServerFactory = ({ requestInfo }) => make(requestInfo, 'request');
  const modern = createMcpHandler(factory, { legacy: 'reject' });
  const stateless = legacyStatelessFallback(factory);
  const sessions = new Lru<WebStandardStreamableHTTPServerTransport>(MOST_SESSIONS);

  async function open(request: Request): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await (await make(request, 'session')).connect(transport);
    return transport;
  }

  async function legacy(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (id !== null && !known)
      return problem(404, { message: 'There is no such session.', code: 'NOT_FOUND' });
    if (!known && !isInitializeRequest(parsedBody)) return stateless(request, { parsedBody });
    const transport = known ?? (await open(request));
    request.signal.addEventListener('abort', () => cancel(transport, parsedBody), { once: true });
    return transport.handleRequest(request, { parsedBody });
  }

  return {
    async handle({ req, ...context }) {
      const id = req.header('mcp-session-id');
      if (req.method === 'DELETE' && id !== undefined) return legacy(req.raw, undefined);
      if (req.method !== 'POST') return problem(405, { message: 'Use POST.' }, { allow: 'POST' });
      const json = await jsonOf({ req, ...context } as Context);
      if (json instanceof Response) return json;
      const body = json.value;
      return (await isLegacyRequest(req.raw, body))
        ? legacy(req.raw, body)
        : modern.fetch(req.raw, { parsedBody: body });
    },
    close: () => modern.close(),
  };
}

/** Nobody waits for the answers any more: the work stops. */
function cancel(transport: WebStandardStreamableHTTPServerTransport, body: unknown): void {
  for (const message of [body].flat()) {
    if (!isJSONRPCRequest(message)) continue;
    transport.onmessage?.({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: message.id, reason: 'The client went away.' },
    });
  }
}

/**
 * `/mcp`: Streamable HTTP. Since 2026-07-28 every request stands for itself; clients of 2025 shake hands and get
 * a session, which is how their notices of cancellation find the work, and their name the size of an answer.
 */

import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  legacyStatelessFallback,
  type McpServerFactory,
  type RequestId,
} from '@modelcontextprotocol/server';
import { type Caller, comesFrom } from '../../queues/caller.ts';
import { OrielError } from '../../errors.ts';
import { DUPLICATE_ID } from '../mcp/refusals.ts';
import type { Offer } from '../offer.ts';
import type { Outlet } from '../outbox.ts';
import { networkOf } from './connections.ts';
import type { Exchange, Reply } from './exchange.ts';
import { McpSession } from './mcp-session.ts';
import { json, problem } from './problem.ts';
import { jsonOf } from './request-body.ts';

/**
 * Sessions kept. Whoever opens many takes the place of none but its own: the address with most of them makes room. First
 * go those that were only opened, then those for which no output is kept, then the others, of each the one that was not
 * used for longest; its client shakes hands again. One that is being answered stays.
 */
const MOST_SESSIONS = 256;

/** Sessions of one address: while all of them are being answered, others find room. */
const MOST_OF_ADDRESS = 224;

/** Messages of one POST. As many as the SDK takes, which looks at each of them before it counts. */
const MOST_MESSAGES = 100;

const TOO_MANY = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: `Invalid Request: Batch must not exceed ${MOST_MESSAGES} messages` },
};

export interface McpMount {
  handle(exchange: Exchange): Promise<Reply>;
  /** Whose calls those of a session are; undefined if there is none of that id. */
  callerOf(session: string): Caller | undefined;
  close(): Promise<void>;
}

export interface ServerFor {
  /** What the client calls itself, where the protocol does not say. */
  readonly host: string | undefined;
  /** Whose calls these are. */
  readonly caller?: Caller;
}

/** Makes what answers: one server for a session, or one for a request that stands for itself. */
export type MakeServer = (of: ServerFor) => ReturnType<McpServerFactory>;

interface OpenSession {
  readonly session: McpSession;
  readonly caller: Caller;
  /** From where it was opened. */
  readonly from: string;
}

export function mountMcp(make: MakeServer, offer: Pick<Offer, 'keeps' | 'forget'>): McpMount {
  const callers = new WeakMap<Request, Caller>();
  const addresses = new WeakMap<Request, string>();
  // Clients of 2025 that keep no session never say in MCP who they are.
  const hostOf = (request?: Request): string | undefined => request?.headers.get('user-agent') ?? undefined;
  const factory: McpServerFactory = ({ requestInfo }) => {
    const caller = requestInfo && callers.get(requestInfo);
    return make({ host: hostOf(requestInfo), ...(caller && { caller }) });
  };
  const modern = createMcpHandler(factory, { legacy: 'reject' });
  const stateless = legacyStatelessFallback(factory);
  /** Least recently used first. */
  const sessions = new Map<string, OpenSession>();

  async function open(request: Request): Promise<McpSession> {
    const from = addresses.get(request) ?? '';
    if (isFull(from, 1) && !leastWanted(from)) {
      const message = 'All sessions of your address are being answered. Open one in a moment.';
      throw new OrielError('BUSY', message);
    }
    const caller = {};
    comesFrom(caller, from);
    const session = new McpSession({
      opened(id) {
        sessions.set(id, { session, caller, from });
        makeRoom(from);
      },
      closed: (id) => forget(id, caller),
    });
    await session.connect(await make({ host: hostOf(request), caller }));
    return session;
  }

  function forget(id: string, caller: Caller): void {
    sessions.delete(id);
    void offer.forget(caller);
  }

  function makeRoom(from: string): void {
    while (isFull(from, 0)) {
      const [id, over] = leastWanted(from) ?? [];
      if (id === undefined || !over) return;
      forget(id, over.caller);
      void over.session.close();
    }
  }

  /** Whether so many sessions more from there were too many. */
  function isFull(from: string, more: number): boolean {
    return sessions.size + more > MOST_SESSIONS || countOf(from) + more > MOST_OF_ADDRESS;
  }

  function countOf(address: string): number {
    return Array.from(sessions.values()).filter((one) => one.from === address).length;
  }

  /**
   * One that is not being answered, of the address with most of them. None of another address goes for one at `from` that
   * has as many.
   */
  function leastWanted(from: string): [string, OpenSession] | undefined {
    const counts = new Map<string, number>();
    for (const one of sessions.values()) counts.set(one.from, (counts.get(one.from) ?? 0) + 1);
    const own = counts.get(from) ?? 0;
    const idle = Array.from(sessions).filter(([, { session }]) => !session.busy);
    const isFair = ([, one]: [string, OpenSession]): boolean =>
      one.from === from || (own < MOST_OF_ADDRESS && (counts.get(one.from) as number) > own);
    const fair = idle.filter(isFair);
    const most = Math.max(...fair.map(([, one]) => counts.get(one.from) as number));
    const all = fair.filter(([, one]) => counts.get(one.from) === most);
    return (
      all.find(([, { session }]) => !session.used) ??
      all.find(([, { caller }]) => !offer.keeps(caller)) ??
      all[0]
    );
  }

  function sessionOf(id: string): OpenSession | undefined {
    const known = sessions.get(id);
    if (!known) return undefined;
    sessions.delete(id);
    sessions.set(id, known);
    return known;
  }

  async function legacy(request: Request, parsedBody?: unknown): Promise<Reply> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessionOf(id);
    if (id !== null && !known)
      return problem(404, { message: 'There is no such session.', code: 'NOT_FOUND' });
    if (known) return replyOf(await known.session.handle(request, parsedBody), known.caller);
    const answered = isInitializeRequest(parsedBody)
      ? (await open(request)).handle(request, parsedBody)
      : stateless(request, { parsedBody });
    return replyOf(await answered);
  }

  return {
    async handle(exchange) {
      const { method } = exchange;
      const id = exchange.header('mcp-session-id');
      if (method === 'DELETE' && id !== undefined) return legacy(requestOf(exchange));
      if (method !== 'POST')
        return problem(405, { message: 'Use POST.', code: 'BAD_INPUT' }, { allow: 'POST' });
      const body = await jsonOf(exchange);
      if ('status' in body) return body;
      if (Array.isArray(body.value) && body.value.length > MOST_MESSAGES) return json(TOO_MANY, 400);
      const twice = idThatIsThereTwice(body.value);
      if (twice !== undefined) return json({ jsonrpc: '2.0', id: twice, error: DUPLICATE_ID }, 400);
      const request = requestOf(exchange);
      callers.set(request, exchange.client);
      addresses.set(request, networkOf(exchange.incoming.socket.remoteAddress ?? 'local'));
      if (await isLegacyRequest(request, body.value)) return legacy(request, body.value);
      return replyOf(await modern.fetch(request, { parsedBody: body.value }));
    },
    callerOf: (session) => sessions.get(session)?.caller,
    close: () => modern.close(),
  };
}

/** Of two requests with one id in a batch only one could be answered. */
function idThatIsThereTwice(body: unknown): RequestId | undefined {
  const seen = new Set<RequestId>();
  const ids = [body].flat().flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
  return ids.find((id) => seen.size === seen.add(id).size);
}

/** As the SDK takes it, without the body, which is parsed already. */
function requestOf({ method, incoming, signal }: Exchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request('http://localhost/mcp', { method, headers, signal });
}

/** `caller` is the session that the answer belongs to: while it takes nothing, its calls wait. */
function replyOf(response: Response | Reply, caller?: Caller): Reply {
  const of = caller && { caller };
  if (!(response instanceof Response)) return { ...response, ...of };
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (!body) return { status, headers, ...of };
  return { status, headers, body: (outlet) => pass(body, outlet), ...of };
}

/** The SDK keeps what is not taken from it: all of it is taken at once, so that it is counted with what is unsent. */
async function pass(body: ReadableStream<Uint8Array>, outlet: Outlet): Promise<void> {
  const reader = body.getReader();
  outlet.onGone(() => void reader.cancel().catch(() => undefined));
  for (let part = await reader.read(); !part.done; part = await reader.read()) outlet.write(part.value);
}

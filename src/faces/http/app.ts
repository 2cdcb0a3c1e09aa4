/**
 * The HTTP application: access control, routes, metrics and logs.
 *
 * It uses node:http directly. With hono and @hono/node-server 2.1.8 the unsent bytes of a client were not visible and so could
 * not be limited, and a small read took 460 µs of CPU instead of 383.
 */

import { setMaxListeners } from 'node:events';
import { explained, report } from '../../engine/unexpected.ts';
import type { Answer } from '../../types/answer.ts';
import { createMcpServer } from '../mcp/server.ts';
import { ended, ending } from '../endings.ts';
import type { Offer } from '../offer.ts';
import { monotonicMs } from '../outbox.ts';
import { type Receive, receiveFor } from './arrival.ts';
import { dashboardRoutes } from './dashboard.ts';
import { labelOf } from './client-identity.ts';
import type { Exchange, Reply } from './exchange.ts';
import { createGuard, type GuardOptions, isOAuth, type Refusal } from './guard.ts';
import { lensRoute } from './lens-route.ts';
import { listDirectoryRoute } from './list-directory.ts';
import { liveRoute } from './live.ts';
import type { Log } from './log.ts';
import { mountMcp } from './mcp.ts';
import { createMetrics, endedWith, type Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { failed, json, problem } from './problem.ts';
import { countOf } from './file-route.ts';
import { readFileLinesRoute } from './read-file-lines.ts';
import { readFileRoute } from './read-file.ts';
import { inputOf } from './request-input.ts';
import { resolvePathRoute } from './resolve-path.ts';
import type { Route, Served } from './route.ts';
import { createRouter, type Match } from './router.ts';
import { send } from './send.ts';
import { shownLinesRoute } from './shown-lines.ts';
import { healthRoute, metricsRoute } from './status.ts';
import { recordedTasks } from './task-source.ts';
import { reportEventRoute, seenRoutes } from './tasks.ts';
import { callToolRoute, listToolsRoute } from './tools.ts';
import { UNREAD_MS } from './turns.ts';

export interface AppOptions {
  readonly offer: Offer;
  readonly log: Log;
  readonly guard: GuardOptions;
  readonly structured: boolean;
  readonly writeTimeoutMs?: number | undefined;
}

export interface App {
  readonly receive: Receive;
  /** Refuses new requests, and ends streams that do not end by themselves. Calls continue. */
  drain?(): void;
  /** Cancels running calls, whose clients get an error. */
  evictAll?(): void;
  /** Called when all connections are closed. */
  close?(): Promise<void>;
}

/** In the order of the OpenAPI document. */
const routesOf = (served: Served): readonly Route[] => {
  const seen = recordedTasks(served);
  return [
    readFileLinesRoute(served),
    readFileRoute(served),
    listDirectoryRoute(served),
    resolvePathRoute(served),
    shownLinesRoute(served),
    listToolsRoute(served),
    callToolRoute(served),
    ...seenRoutes.map((make) => make(seen)),
    reportEventRoute(served),
    healthRoute(served),
    metricsRoute(served),
    liveRoute(seen),
    lensRoute(served),
    ...dashboardRoutes.map((make) => make()),
  ];
};

/** Headers of a refusal, by its status. */
const REFUSED: Record<Refusal['status'], Record<string, string>> = {
  400: { connection: 'close' },
  401: { 'www-authenticate': 'Bearer' },
  403: {},
};

export function createApp({ offer: uncounted, log, guard, structured, writeTimeoutMs }: AppOptions): App {
  const metrics = createMetrics(() => {
    uncounted.telemetry?.settle();
    const { store, disk } = uncounted.engine().session;
    return {
      store: store.stats(),
      disk: disk?.lookups,
      spills: uncounted.spills?.(),
      state: uncounted.state?.stats(),
      fleet: uncounted.fleet?.(),
    };
  });
  uncounted.state?.onChange(({ is, ...why }) => log(`state-${is}`, why));
  const unwatch = uncounted.telemetry?.watch((event, _, { followed }) => metrics.recorded(event, followed));
  const offer = counted(uncounted, metrics);
  const { refused, isOperator } = createGuard(guard);
  const mcp = mountMcp((server) => createMcpServer(offer, { structured, ...server }), offer);
  const closing = new AbortController();
  // No warning: each live stream adds a listener, and their number is limited.
  setMaxListeners(0, closing.signal);
  const served: Served = {
    offer,
    metrics,
    ownerOf(exchange) {
      const session = exchange.header('mcp-session-id');
      return session === undefined ? exchange.client : mcp.callerOf(session);
    },
    closing: closing.signal,
    isOperator: (exchange) => isOperator(exchange.header('authorization')),
  };
  const routes = routesOf(served);
  const description = openApi(routes, offer.tools(), guard.token !== undefined);
  const find = createRouter(routes);
  const others = new Map<string, (exchange: Exchange) => Reply | Promise<Reply>>([
    ['/openapi.json', ({ method }) => (isRead(method) ? json(description) : notAllowed(['GET']))],
    ['/mcp', mcp.handle],
  ]);

  const reply = (exchange: Exchange, match: Match | undefined): Reply | Promise<Reply> => {
    if (closing.signal.aborted) throw ending();
    const refusal = refused({
      path: exchange.path,
      query: exchange.query,
      host: exchange.host,
      origin: exchange.header('origin'),
      authorization: exchange.header('authorization'),
      site: exchange.header('sec-fetch-site'),
    });
    if (refusal) return problem(refusal.status, refusal.problem, REFUSED[refusal.status]);
    if (match) return routed(exchange, match);
    const other = others.get(exchange.path);
    if (other) return other(exchange);
    const message = isOAuth(exchange.path)
      ? 'This server has no OAuth. Its token goes into the header: Authorization: Bearer TOKEN.'
      : 'There is no such route. GET /openapi.json lists them.';
    return problem(404, { message, code: 'NOT_FOUND' });
  };

  const running = new Set<Exchange>();
  return {
    receive: receiveFor(async (exchange, outgoing) => {
      const start = monotonicMs();
      running.add(exchange);
      exchange.onClosed(() => running.delete(exchange));
      const match = find(exchange.path);
      const failure = (error: unknown): Reply => {
        const explanation = explained(error);
        report(offer.engine().onError, explanation);
        return failed(explanation, offer.engine().access.cwd);
      };
      let answered: Reply;
      try {
        answered = await exchange.beforeEvicted(() => reply(exchange, match));
      } catch (error) {
        answered = failure(error);
      }
      // The connection is closed after the reply, which a client that still sends would not see.
      if (closing.signal.aborted) await exchange.received(UNREAD_MS);
      const { status } = answered;
      const path = match?.path ?? (others.has(exchange.path) ? exchange.path : 'none');
      metrics.request(path, status);
      const ms = Math.round(monotonicMs() - start);
      log('request', { method: exchange.method, path, status, ms, client: labelOf(exchange.client) });
      await send(answered, exchange, outgoing, writeTimeoutMs).catch((error: unknown) => {
        // The status was sent already, so the error can only be signalled by closing the connection.
        outgoing.destroy();
        report(offer.engine().onError, explained(error, exchange.signal));
      });
    }),
    drain() {
      closing.abort();
      unwatch?.();
      mcp.endListening();
      // A call whose input has not arrived has not begun.
      for (const exchange of running) if (!exchange.incoming.complete) exchange.evict(ending());
    },
    evictAll() {
      for (const exchange of running) exchange.evict(ended());
    },
    close: () => mcp.close(),
  };
}

async function routed(exchange: Exchange, { routes, name }: Match): Promise<Reply> {
  const route = routes.get(isRead(exchange.method) ? 'get' : exchange.method.toLowerCase());
  if (!route) return notAllowed(Array.from(routes.keys(), (method) => method.toUpperCase()));
  const input = await inputOf(route, exchange);
  return 'status' in input ? input : route.handle(exchange, { ...input, name });
}

/** HEAD is handled like GET, without the body. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function notAllowed(methods: readonly string[]): Reply {
  return problem(
    405,
    { message: `Use ${methods.join(' or ')}.`, code: 'BAD_INPUT' },
    { allow: methods.join(', ') },
  );
}

/** Wraps an offer so that every call is counted once, on whatever route it arrives. */
function counted(offer: Offer, metrics: Metrics): Offer {
  const counting = async (name: string, call: () => Promise<Answer>): Promise<Answer> => {
    const count = countOf(metrics, name);
    const answer = await call();
    count(endedWith(answer));
    return answer;
  };
  return {
    ...offer,
    call: (tool, input, options) => counting(tool.name, () => offer.call(tool, input, options)),
    read: (path, options, asker) => counting('resources/read', () => offer.read(path, options, asker)),
  };
}

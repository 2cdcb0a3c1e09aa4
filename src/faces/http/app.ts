/**
 * The HTTP application: access control, routes, metrics and logs.
 *
 * It uses node:http directly. With hono and @hono/node-server 2.1.8 the unsent bytes of a client were not visible and so could
 * not be limited, and a small read took 460 µs of CPU instead of 383.
 */

import { setMaxListeners } from 'node:events';
import * as z from 'zod';
import { explained, report } from '../../call/unexpected.ts';
import type { Answer } from '../../types/answer.ts';
import { createMcpServer, eachOnce, sdkErrors } from '../mcp/server.ts';
import type { ServerOffer } from '../offer.ts';
import { endedError, endingError, monotonicMs } from '../outbox.ts';
import { dashboardRoutes, liveRoute } from './dashboard.ts';
import { type HttpExchange, type HttpReply, send } from './exchange.ts';
import { createGuard, type GuardOptions, type GuardRefusal, isOAuth } from './guard.ts';
import { listDirectoryRoute, privateRoute, readFileLinesRoute, resolvePathRoute } from './list-directory.ts';
import { mountMcp } from './mcp.ts';
import { createMetrics, outcomeOfAnswer, type ServerLog, type ServerMetrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { failureReply, jsonReply, problem } from './problem.ts';
import { countOf, readFileRoute } from './read-file.ts';
import { receiveFor, type ReceiveRequest } from './request-body.ts';
import {
  createRouter,
  handleRoute,
  type HttpRoute,
  isRead,
  notAllowed,
  route,
  type RouteContext,
  type RouteMatch,
} from './route.ts';
import { recordedTasks, reportEventRoute, seenRoutes } from './tasks.ts';
import { callToolRoute, lensRoute, listToolsRoute } from './tools.ts';
import { UNREAD_MS } from './turns.ts';

interface AppOptions {
  readonly offer: ServerOffer;
  readonly log: ServerLog;
  readonly guard: GuardOptions;
  readonly structured: boolean;
  readonly writeTimeoutMs?: number | undefined;
}

export interface HttpApp {
  readonly receive: ReceiveRequest;
  /** Refuses new requests, and ends streams that do not end by themselves. Calls continue. */
  drain?(): void;
  /** Cancels running calls, whose clients get an error. */
  evictAll?(): void;
  /** Called when all connections are closed. */
  close?(): Promise<void>;
}

/** In the order of the OpenAPI document. */
const routesOf = (served: RouteContext): readonly HttpRoute[] => {
  const seen = recordedTasks(served);
  return [
    readFileLinesRoute(served),
    readFileRoute(served),
    listDirectoryRoute(served),
    resolvePathRoute(served),
    privateRoute(served),
    listToolsRoute(served),
    callToolRoute(served),
    ...seenRoutes.map((make) => make(seen)),
    reportEventRoute(served),
    healthRoute(served),
    metricsRoute(served),
    liveRoute(seen),
    lensRoute(served),
    ...dashboardRoutes,
  ];
};

const REFUSED: Record<GuardRefusal['status'], Record<string, string>> = {
  400: { connection: 'close' },
  401: { 'www-authenticate': 'Bearer' },
  403: {},
};

export function createApp({ offer: uncounted, log, guard, structured, writeTimeoutMs }: AppOptions): HttpApp {
  const metrics = createMetrics(() => {
    const { store, disk } = uncounted.engine().session;
    return {
      store: store.stats(),
      disk: disk?.lookups,
      spills: uncounted.spills?.(),
      state: uncounted.state?.stats(),
      fleet: uncounted.fleet?.(),
    };
  });
  uncounted.state?.onChange(({ kind, ...why }) => log(`state-${kind}`, why));
  const unwatch = uncounted.telemetry?.watch((event, _, { followed }) => metrics.recorded(event, followed));
  const offer = counted(uncounted, metrics);
  const { refused, isOperator } = createGuard(guard);
  const warn = eachOnce((message) => log('warning', { message }));
  const mcp = mountMcp(
    (server) => createMcpServer(offer, { structured, warn, ...server }),
    offer,
    sdkErrors(offer, warn),
  );
  const closing = new AbortController();
  // No warning: each live stream adds a listener, and their number is limited.
  setMaxListeners(0, closing.signal);
  const served: RouteContext = {
    offer,
    metrics,
    ownerOf(exchange) {
      const session = exchange.header('mcp-session-id');
      return session === undefined ? exchange.client : mcp.callerOf(session);
    },
    closing: closing.signal,
    isOperator,
  };
  const routes = routesOf(served);
  const description = openApi(routes, offer.tools(), guard.token !== undefined);
  const find = createRouter(routes);
  const others = new Map<string, (exchange: HttpExchange) => HttpReply | Promise<HttpReply>>([
    ['/openapi.json', ({ method }) => (isRead(method) ? jsonReply(description) : notAllowed(['GET']))],
    ['/mcp', mcp.handle],
  ]);

  const reply = (exchange: HttpExchange, match: RouteMatch | undefined): HttpReply | Promise<HttpReply> => {
    if (closing.signal.aborted) throw endingError();
    const refusal = refused(exchange);
    if (refusal) return problem(refusal.status, refusal.problem, REFUSED[refusal.status]);
    if (match) return handleRoute(exchange, match);
    const other = others.get(exchange.path);
    if (other) return other(exchange);
    const message = isOAuth(exchange.path)
      ? 'This server has no OAuth. Its token goes into the header: Authorization: Bearer TOKEN.'
      : 'There is no such route. GET /openapi.json lists them.';
    return problem(404, { message, code: 'NOT_FOUND' });
  };

  const running = new Set<HttpExchange>();
  return {
    receive: receiveFor(async (exchange, outgoing) => {
      const start = monotonicMs();
      running.add(exchange);
      exchange.onClosed(() => running.delete(exchange));
      const match = find(exchange.path);
      const failure = (error: unknown): HttpReply => {
        const explanation = explained(error);
        report(offer.engine().onError, explanation);
        return failureReply(explanation, offer.engine().access.cwd);
      };
      let answered: HttpReply;
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
      log('request', { method: exchange.method, path, status, ms });
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
      for (const exchange of running) if (!exchange.incoming.complete) exchange.evict(endingError());
    },
    evictAll() {
      for (const exchange of running) exchange.evict(endedError());
    },
    close: () => mcp.close(),
  };
}

/** Wraps an offer so that every call is counted once, on whatever route it arrives. */
function counted(offer: ServerOffer, metrics: ServerMetrics): ServerOffer {
  const counting = async (name: string, call: () => Promise<Answer>): Promise<Answer> => {
    const count = countOf(metrics, name);
    const answer = await call();
    count(outcomeOfAnswer(answer));
    return answer;
  };
  return {
    ...offer,
    call: (tool, input, options) => counting(tool.name, () => offer.call(tool, input, options)),
    read: (path, options, asker) => counting('resources/read', () => offer.read(path, options, asker)),
  };
}

// The routes about the server itself: liveness, metrics, version.

const healthRoute = (_served: RouteContext): HttpRoute =>
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Whether the server lives; open without a token',
    replies: { 200: { about: 'It does', schema: z.object({ status: z.literal('ok') }) } },
    handle: () => jsonReply({ status: 'ok' }),
  });

const metricsRoute = ({ metrics }: RouteContext): HttpRoute =>
  route({
    method: 'get',
    path: '/metrics',
    summary: 'Counters and times for Prometheus',
    replies: { 200: { about: 'Prometheus text', type: 'text/plain' } },
    handle: () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      body: metrics.text(),
    }),
  });

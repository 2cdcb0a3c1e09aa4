/** The application: which requests get in, which routes there are, what is counted and logged. */

import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { explained, report } from '../../engine/unexpected.ts';
import { createMcpServer } from '../mcp/server.ts';
import type { Answer } from '../../types/answer.ts';
import type { Offer } from '../offer.ts';
import { clientOf, clientOfRequest } from './client-of.ts';
import { createGuard, type GuardOptions, type Refusal } from './guard.ts';
import { listDirectoryRoute } from './list-directory.ts';
import type { Log } from './log.ts';
import { mountMcp } from './mcp.ts';
import { createMetrics, endedWith, type Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { failed, problem } from './problem.ts';
import { countOf } from './reading.ts';
import { readFileLinesRoute } from './read-file-lines.ts';
import { readFileRoute } from './read-file.ts';
import { inputOf } from './request-input.ts';
import { resolvePathRoute } from './resolve-path.ts';
import type { Route, Served } from './route.ts';
import { healthRoute, homeRoute, metricsRoute } from './status.ts';
import { callToolRoute, listToolsRoute } from './tools.ts';

export interface AppOptions {
  readonly offer: Offer;
  readonly log: Log;
  readonly guard: GuardOptions;
  readonly structured: boolean;
}

export interface App {
  fetch(request: Request, env?: object): Response | Promise<Response>;
  close(): Promise<void>;
}

const ROUTES: readonly ((served: Served) => Route)[] = [
  readFileLinesRoute,
  readFileRoute,
  listDirectoryRoute,
  resolvePathRoute,
  listToolsRoute,
  callToolRoute,
  healthRoute,
  metricsRoute,
  homeRoute,
];

/** Headers of a refusal, by its status. */
const REFUSED: Record<Refusal['status'], Record<string, string>> = {
  400: { connection: 'close' },
  401: { 'www-authenticate': 'Bearer' },
  403: {},
};

export function createApp({ offer: uncounted, log, guard, structured }: AppOptions): App {
  const app = new Hono();
  const metrics = createMetrics();
  const offer = counted(uncounted, metrics);
  const refused = createGuard(guard);
  const mcp = mountMcp((request, lasts) => {
    // Clients of 2025 that keep no session never say in MCP who they are.
    const host = request?.headers.get('user-agent') ?? undefined;
    const caller = lasts === 'request' ? clientOfRequest(request) : undefined;
    return createMcpServer(offer, { structured, host, caller });
  });
  const routes = ROUTES.map((make) => make({ offer, metrics }));

  app.use(async (context, next) => {
    const start = performance.now();
    await next();
    const { method } = context.req;
    const { status } = context.res;
    const path = pathOf(context);
    metrics.request(path, status);
    log('request', { method, path, status, ms: Math.round(performance.now() - start) });
  });
  app.use(async (context, next) => {
    const { req } = context;
    const refusal = refused({
      target: targetOf(context),
      host: req.header('host'),
      origin: req.header('origin'),
      authorization: req.header('authorization'),
    });
    if (!refusal) return next();
    return problem(refusal.status, refusal.problem, REFUSED[refusal.status]);
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path, async (context) => {
      const input = await inputOf(route, context);
      return input instanceof Response ? input : route.handle(context, input);
    });
  }
  const description = openApi(routes, offer.tools(), guard.token !== undefined);
  app.get('/openapi.json', (context) => context.json(description));
  app.all('/mcp', (context) => {
    clientOf(context);
    return mcp.handle(context);
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const allow = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
    app.all(path, () => problem(405, { message: `Use ${allow.join(' or ')}.` }, { allow: allow.join(', ') }));
  }
  app.notFound(() =>
    problem(404, { message: 'There is no such route. GET /openapi.json lists them.', code: 'NOT_FOUND' }),
  );
  app.onError((error) => {
    const failure = explained(error);
    report(offer.engine.onError, failure);
    return failed(failure);
  });
  return { fetch: app.fetch, close: mcp.close };
}

/** Whatever way a call comes in, it is counted once. */
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
    read: (path, options) => counting('resources/read', () => offer.read(path, options)),
  };
}

/** As it came, where it came over a socket: the URL of the request has been made from it. */
function targetOf({ req, env }: Context): string {
  const { incoming } = Object(env) as { incoming?: { url?: string } };
  if (incoming?.url !== undefined) return incoming.url;
  const { pathname, search } = new URL(req.url);
  return pathname + search;
}

/** The route as it is declared: what a caller typed is neither counted nor logged. */
function pathOf(context: Context): string {
  const path = routePath(context, -1);
  return path === '' || path.includes('*') ? 'none' : path;
}

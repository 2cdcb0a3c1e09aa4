/** The interface of a route. Its input and replies are declared once, for the server, validation and OpenAPI. */

import type { ZodObject, ZodType } from 'zod';
import * as z from 'zod';
import type { Caller } from '../../queues/caller.ts';
import { decodeUri, quote } from '../../text/visible.ts';
import type { ServerOffer } from '../offer.ts';
import type { HttpExchange, HttpReply } from './exchange.ts';
import type { ServerMetrics } from './metrics.ts';
import { problem } from './problem.ts';
import { jsonOf } from './request-body.ts';

export interface RouteContext {
  readonly offer: ServerOffer;
  readonly metrics: ServerMetrics;
  /** The caller whose tasks a request is about: its client, or the MCP session that it names; undefined if that does not exist. */
  ownerOf(exchange: HttpExchange): Caller | undefined;
  /** Aborted when the server ends, which ends streams. */
  readonly closing: AbortSignal;
  /** Whether a request comes from the operator, who sees the tasks of all clients. */
  isOperator(exchange: HttpExchange): boolean;
}

/** For the OpenAPI document. */
export interface DeclaredReply {
  readonly about: string;
  /** The schema of a JSON body; absent for another content type. */
  readonly schema?: ZodType | undefined;
  readonly type?: string | undefined;
}

interface RouteInput<Query = unknown, Body = unknown> {
  readonly query: Query;
  readonly body: Body;
  /** The decoded value of `:name` in the path. */
  readonly name: string;
}

export interface HttpRoute<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post';
  /** May contain `/:name`, which matches one segment. */
  readonly path: string;
  /** The description of `:name` for the OpenAPI document; absent if that lists the names individually. */
  readonly named?: string | undefined;
  readonly summary: string;
  readonly query?: ZodObject | undefined;
  readonly body?: ZodType | undefined;
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /** Query and body are valid. May throw OrielError. */
  handle(exchange: HttpExchange, input: RouteInput<Query, Body>): HttpReply | Promise<HttpReply>;
}

/** Hides the types of the input, so that routes can be in one list. */
export function route<Query, Body = undefined>(declared: HttpRoute<Query, Body>): HttpRoute {
  return declared as HttpRoute;
}

// Finds the route of a request. Paths are not normalized or decoded: `/api/../x` and `%2e` match nothing.

const NAME = '/:name';

export interface RouteMatch {
  /** The declared path, for metrics and logs. */
  readonly path: string;
  /** Routes by method, lower case. */
  readonly routes: ReadonlyMap<string, HttpRoute>;
  /** The decoded value of `:name`. */
  readonly name: string;
}

export function createRouter(routes: readonly HttpRoute[]): (path: string) => RouteMatch | undefined {
  const known = new Map<string, Map<string, HttpRoute>>();
  for (const route of routes) {
    const methods = known.get(route.path) ?? new Map<string, HttpRoute>();
    known.set(route.path, methods.set(route.method, route));
  }
  const patterns = [...known.keys()]
    .filter((path) => path.includes(NAME))
    .map((path) => [path, new RegExp(`^${path.replace(NAME, '/([^/]+)')}$`)] as const);
  return (asked) => {
    const exact = known.get(asked);
    if (exact) return { path: asked, routes: exact, name: '' };
    for (const [path, pattern] of patterns) {
      const [, name] = pattern.exec(asked) ?? [];
      const routes = known.get(path);
      if (routes && name !== undefined) return { path, routes, name: decodeUri(name) };
    }
    return undefined;
  };
}

/** The reply of the route for the method of the request. */
export async function handleRoute(exchange: HttpExchange, { routes, name }: RouteMatch): Promise<HttpReply> {
  const route = routes.get(isRead(exchange.method) ? 'get' : exchange.method.toLowerCase());
  if (!route) return notAllowed(Array.from(routes.keys(), (method) => method.toUpperCase()));
  const input = await inputOf(route, exchange);
  return 'status' in input ? input : route.handle(exchange, { ...input, name });
}

/** HEAD is handled like GET, without the body. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function notAllowed(methods: readonly string[]): HttpReply {
  return problem(
    405,
    { message: `Use ${methods.join(' or ')}.`, code: 'BAD_INPUT' },
    { allow: methods.join(', ') },
  );
}

// Reads the query and the body of a request and validates them with the schemas of the route.

const NO_QUERY = z.strictObject({});
const INVALID_QUERY = 'Query parameters have invalid values.';

/** Maximum parameters of a query; no route has that many. */
const MAX_QUERY_PARAMETERS = 100;

const MAX_LISTED_VALIDATIONS = 20;

/** The schema of a whole number in a query, 0 to `most`: only digits. */
export function countInQuery(about: string, most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const number = z
    .number('must be a whole number')
    .int()
    .min(0, 'value is negative')
    .max(most, `must be at most ${most}`)
    .describe(about);
  return z.preprocess(
    (text) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
    number,
  );
}

async function inputOf(
  route: HttpRoute,
  exchange: HttpExchange,
): Promise<{ query: unknown; body: unknown } | HttpReply> {
  if (exchange.query.size > MAX_QUERY_PARAMETERS) {
    const message = `There are more than ${MAX_QUERY_PARAMETERS} query parameters.`;
    return problem(400, { message, code: 'BAD_INPUT' });
  }
  const twice = new Set([...exchange.query.keys()].filter((name, i, all) => all.indexOf(name) < i));
  if (twice.size > 0) {
    return invalidFields(
      INVALID_QUERY,
      Array.from(twice, (field) => [field, 'provided more than once']),
    );
  }
  // Empty parameters count as absent.
  const given = Object.fromEntries([...exchange.query].filter(([, value]) => value !== ''));
  const query = (route.query ?? NO_QUERY).safeParse(given);
  if (!query.success) return invalid(INVALID_QUERY, query.error);
  if (!route.body) return { query: query.data, body: undefined };
  const json = await jsonOf(exchange);
  if ('status' in json) return json;
  const body = route.body.safeParse(json.value);
  if (!body.success) return invalid('The body has invalid values.', body.error);
  return { query: query.data, body: body.data };
}

function invalid(message: string, { issues }: z.ZodError): HttpReply {
  return invalidFields(
    message,
    issues.flatMap((issue): (readonly [string, string])[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => [key, 'is not a parameter of this route'])
        : [[issue.path.join('.'), quote(issue.message)]],
    ),
  );
}

/** The reply with the invalid fields and the reasons; only the first ones if there are many. */
function invalidFields(
  message: string,
  fields: readonly (readonly [field: string, what: string])[],
): HttpReply {
  const more = fields.length - MAX_LISTED_VALIDATIONS;
  const validations = fields.slice(0, MAX_LISTED_VALIDATIONS).map(([field, what]) => ({
    field: quote(field),
    detail: `"${quote(field)}" ${what}`,
  }));
  const told = more > 0 ? `${message} ${more.toLocaleString('en')} more are not listed.` : message;
  return problem(400, { message: told, code: 'BAD_INPUT', validations });
}

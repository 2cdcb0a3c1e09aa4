/** The shape of a route: what it takes and answers, declared once for the server, its checks and OpenAPI. */

import type { Context } from 'hono';
import type { ZodObject, ZodType } from 'zod';
import type { Offer } from '../offer.ts';
import type { Metrics } from './metrics.ts';

/** What routes work with. */
export interface Served {
  readonly offer: Offer;
  readonly metrics: Metrics;
}

export interface Reply {
  /** For the OpenAPI document. */
  readonly about: string;
  /** Of a JSON body; absent for another content type. */
  readonly schema?: ZodType;
  readonly type?: string;
}

export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly query?: ZodObject;
  readonly body?: ZodType;
  readonly replies: Readonly<Record<number, Reply>>;
  /** Query and body have passed their schemas. May throw OrielError. */
  handle(context: Context, input: { query: Query; body: Body }): Response | Promise<Response>;
}

/** Puts a route with its own input types into a list. */
export function route<Query, Body = undefined>(declared: Route<Query, Body>): Route {
  return declared as Route;
}

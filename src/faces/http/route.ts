/** The shape of a route: what it takes and answers, declared once for the server, its checks and OpenAPI. */

import type { ZodObject, ZodType } from 'zod';
import type { Caller } from '../../queues/caller.ts';
import type { Offer } from '../offer.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Metrics } from './metrics.ts';

/** What routes work with. */
export interface Served {
  readonly offer: Offer;
  readonly metrics: Metrics;
  /** Whose tasks a request is about: its client, or the MCP session that it names; undefined if that is gone. */
  ownerOf(exchange: Exchange): Caller | undefined;
  /** Aborted when the server ends: streams end with it. */
  readonly closing: AbortSignal;
  /** Whether it comes from the operator, who sees the tasks of all clients. */
  isOperator(exchange: Exchange): boolean;
}

/** For the OpenAPI document. */
export interface DeclaredReply {
  readonly about: string;
  /** Of a JSON body; absent for another content type. */
  readonly schema?: ZodType;
  readonly type?: string;
}

export interface RouteInput<Query = unknown, Body = unknown> {
  readonly query: Query;
  readonly body: Body;
  /** The part of the path that stands for `:name`, decoded. */
  readonly name: string;
}

export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post';
  /** May hold `/:name`, which is any one part of a path. */
  readonly path: string;
  /** What `:name` is, for the OpenAPI document; absent if that lists the names one by one. */
  readonly named?: string;
  readonly summary: string;
  readonly query?: ZodObject;
  readonly body?: ZodType;
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /** A call and its answer, for the OpenAPI document. */
  readonly example?: {
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly reply?: unknown;
  };
  /** Query and body have passed their schemas. May throw OrielError. */
  handle(exchange: Exchange, input: RouteInput<Query, Body>): Reply | Promise<Reply>;
}

/** Puts a route with its own input types into a list. */
export function route<Query, Body = undefined>(declared: Route<Query, Body>): Route {
  return declared as Route;
}

/** The interface of a route. Its input and replies are declared once, for the server, validation and OpenAPI. */

import type { ZodObject, ZodType } from 'zod';
import type { Caller } from '../../queues/caller.ts';
import type { Offer } from '../offer.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Metrics } from './metrics.ts';

/** The context of routes. */
export interface Served {
  readonly offer: Offer;
  readonly metrics: Metrics;
  /** The caller whose tasks a request is about: its client, or the MCP session that it names; undefined if that does not exist. */
  ownerOf(exchange: Exchange): Caller | undefined;
  /** Aborted when the server ends, which ends streams. */
  readonly closing: AbortSignal;
  /** Whether a request comes from the operator, who sees the tasks of all clients. */
  isOperator(exchange: Exchange): boolean;
}

/** For the OpenAPI document. */
export interface DeclaredReply {
  readonly about: string;
  /** The schema of a JSON body; absent for another content type. */
  readonly schema?: ZodType;
  readonly type?: string;
}

export interface RouteInput<Query = unknown, Body = unknown> {
  readonly query: Query;
  readonly body: Body;
  /** The decoded value of `:name` in the path. */
  readonly name: string;
}

export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post';
  /** May contain `/:name`, which matches one segment. */
  readonly path: string;
  /** The description of `:name` for the OpenAPI document; absent if that lists the names individually. */
  readonly named?: string;
  readonly summary: string;
  readonly query?: ZodObject;
  readonly body?: ZodType;
  readonly replies: Readonly<Record<number, DeclaredReply>>;
  /** An example for the OpenAPI document. */
  readonly example?: {
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly reply?: unknown;
  };
  /** Query and body are valid. May throw OrielError. */
  handle(exchange: Exchange, input: RouteInput<Query, Body>): Reply | Promise<Reply>;
}

/** Hides the types of the input, so that routes can be in one list. */
export function route<Query, Body = undefined>(declared: Route<Query, Body>): Route {
  return declared as Route;
}

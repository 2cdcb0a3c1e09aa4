/** Which client sends a request, as far as queues care: it decides whose turn is next, never what is allowed. */

import type { Context } from 'hono';
import type { Caller } from '../../queues/caller.ts';
import { Lru } from '../../session/lru.ts';

/** A client names itself with this header, with any text of its own. */
export const CLIENT_HEADER = 'oriel-client';

/** Characters of the name that count. */
const MOST_NAME = 200;

/** Clients remembered; one that is forgotten is a new one when it comes again. */
const MOST_CLIENTS = 1024;

const clients = new Lru<Caller>(MOST_CLIENTS);

const requests = new WeakMap<Request, Caller>();

/**
 * By the name that it gives itself, else by its address and its program. Not by its connection: many clients open one
 * for each request that they have under way, and would have as many turns.
 */
export function clientOf({ req, env }: Context): Caller {
  const known = requests.get(req.raw);
  if (known) return known;
  const { incoming } = Object(env) as { incoming?: { socket?: { remoteAddress?: string } } };
  const name =
    req.header(CLIENT_HEADER) ??
    `${incoming?.socket?.remoteAddress ?? 'local'} ${req.header('user-agent') ?? 'unnamed'}`;
  const key = name.slice(0, MOST_NAME);
  const client = clients.get(key) ?? {};
  clients.set(key, client);
  requests.set(req.raw, client);
  return client;
}

/** For what sees the request alone, once `clientOf` has seen where it came from. */
export function clientOfRequest(request: Request | undefined): Caller | undefined {
  return request && requests.get(request);
}

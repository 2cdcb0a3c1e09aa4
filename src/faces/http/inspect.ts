/** Serves the dashboard for a telemetry file, on this machine only, with a token. */

import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import * as z from 'zod';
import { explained } from '../../engine/unexpected.ts';
import type { EventFile } from '../../session/telemetry/event-file.ts';
import { shortName } from '../../telemetry/safe-names.ts';
import type { App } from './app.ts';
import { receiveFor } from './arrival.ts';
import { dashboardRoutes } from './dashboard.ts';
import type { Exchange, Reply } from './exchange.ts';
import { createGuard } from './guard.ts';
import { listenFor, type Serving } from './listen.ts';
import { liveRoute } from './live.ts';
import { failed, json, problem } from './problem.ts';
import { inputOf } from './request-input.ts';
import { type Route, route } from './route.ts';
import { createRouter, type Match } from './router.ts';
import type { Seen } from './task-source.ts';
import { send } from './send.ts';
import { seenRoutes } from './tasks.ts';

export interface InspectOptions {
  readonly file: EventFile;
  readonly path: string;
  readonly token: string;
  /** It can be exchanged once for the token. */
  readonly ticket: string;
  /** Called when the ticket was used; again when it is used again: then somebody else has seen it. */
  readonly onTicket: (isFirst: boolean) => void;
  /** 0 for any free port. */
  readonly port: number;
}

/** Throws OrielError if the port cannot be used. */
export function inspect(options: InspectOptions): Promise<Serving> {
  const address = { at: 'port', host: '127.0.0.1', port: options.port } as const;
  return listenFor(createInspection(options), { address, option: '--port' });
}

function createInspection({ file, path, token, ticket, onTicket }: InspectOptions): App {
  const closing = new AbortController();
  // No warning: each live stream adds a listener, and their number is limited.
  setMaxListeners(0, closing.signal);
  const here = { loopback: true, hosts: [] };
  const [withToken, withTicket] = [createGuard({ ...here, token }), createGuard(here)];
  const seen: Seen = {
    tasks: () => file.tasks,
    watch: (_, tell) => file.watch(tell),
    isOperator: () => true,
    lens: false,
    file: () => ({ name: shortName(basename(path)), ...file.state }),
    closing: closing.signal,
  };
  const routes = [
    ...dashboardRoutes.map((make) => make()),
    ...[...seenRoutes, liveRoute].map((make) => make(seen)),
  ];
  const enter = enterRoute(token, ticket, onTicket);
  const find = createRouter([...routes, enter]);

  const reply = (exchange: Exchange): Reply | Promise<Reply> => {
    const { host, query } = exchange;
    const [origin, authorization] = [exchange.header('origin'), exchange.header('authorization')];
    const site = exchange.header('sec-fetch-site');
    const { refused } = exchange.path === enter.path ? withTicket : withToken;
    const refusal = refused({ path: exchange.path, query, host, origin, authorization, site });
    if (refusal) return problem(refusal.status, refusal.problem);
    const match = find(exchange.path);
    if (match) return routed(exchange, match);
    return problem(404, {
      message: 'There is no such route. GET / is the dashboard.',
      code: 'NOT_FOUND',
      next: '/',
    });
  };

  return {
    receive: receiveFor(async (exchange, outgoing) => {
      let answered: Reply;
      try {
        answered = await exchange.beforeEvicted(() => reply(exchange));
      } catch (error) {
        answered = failed(explained(error), '/');
      }
      await send(answered, exchange, outgoing).catch(() => outgoing.destroy());
    }),
    drain: () => closing.abort(),
  };
}

async function routed(exchange: Exchange, { routes, name }: Match): Promise<Reply> {
  const route = routes.get(exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase());
  if (!route) {
    const allow = [...routes.keys()].join().toUpperCase();
    return problem(405, { message: `Use ${allow}.`, code: 'BAD_INPUT' }, { allow });
  }
  const input = await inputOf(route, exchange);
  return 'status' in input ? input : route.handle(exchange, { ...input, name });
}

const ticketBody = z.strictObject({ ticket: z.string() });

/** Exchanges the ticket in the page's address for the token, once. */
function enterRoute(token: string, ticket: string, onTicket: InspectOptions['onTicket']): Route {
  let isUsed = false;
  return route<unknown, z.infer<typeof ticketBody>>({
    method: 'post',
    path: '/api/v0/enter',
    summary: 'Exchange a ticket for the token',
    body: ticketBody,
    replies: { 200: { about: 'The token' } },
    handle(_, { body }) {
      const isFirst = !isUsed;
      if (body.ticket === ticket) {
        isUsed = true;
        onTicket(isFirst);
      }
      if (!isFirst || body.ticket !== ticket) {
        return problem(401, {
          message: 'This ticket is wrong, or was used. Use the URL that was printed.',
          code: 'DENIED',
        });
      }
      return json({ token });
    },
  });
}

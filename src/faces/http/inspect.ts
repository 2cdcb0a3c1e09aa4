/** Serves the dashboard for a telemetry file, on this machine only, with a token. */

import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { explained } from '../../call/unexpected.ts';
import { shortName } from '../../telemetry/call-facts.ts';
import type { EventFile } from '../../telemetry/event-file.ts';
import type { HttpApp } from './app.ts';
import { dashboardRoutes, liveRoute } from './dashboard.ts';
import { type HttpExchange, type HttpReply, send } from './exchange.ts';
import { createGuard } from './guard.ts';
import { listenFor, type RunningServer } from './listen.ts';
import { failureReply, problem } from './problem.ts';
import { receiveFor } from './request-body.ts';
import { createRouter, handleRoute } from './route.ts';
import { seenRoutes, type TaskSource } from './tasks.ts';

export interface InspectOptions {
  readonly file: EventFile;
  readonly path: string;
  readonly token: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Throws OrielError if the port cannot be used. */
export function inspect(options: InspectOptions): Promise<RunningServer> {
  const address = { kind: 'port', host: '127.0.0.1', port: options.port } as const;
  return listenFor(createInspection(options), { address, option: '--port' });
}

function createInspection({ file, path, token }: InspectOptions): HttpApp {
  const closing = new AbortController();
  // No warning: each live stream adds a listener, and their number is limited.
  setMaxListeners(0, closing.signal);
  const { refused } = createGuard({ loopback: true, hosts: [], token });
  const seen: TaskSource = {
    tasks: () => file.tasks,
    watch: (_, tell) => file.watch(tell),
    isOperator: () => true,
    lens: false,
    file: () => ({ name: shortName(basename(path)), ...file.state }),
    closing: closing.signal,
  };
  const find = createRouter([...dashboardRoutes, ...[...seenRoutes, liveRoute].map((make) => make(seen))]);

  const reply = (exchange: HttpExchange): HttpReply | Promise<HttpReply> => {
    const refusal = refused(exchange);
    if (refusal) return problem(refusal.status, refusal.problem);
    const match = find(exchange.path);
    if (match) return handleRoute(exchange, match);
    return problem(404, {
      message: 'There is no such route. GET / is the dashboard.',
      code: 'NOT_FOUND',
      next: '/',
    });
  };

  return {
    receive: receiveFor(async (exchange, outgoing) => {
      let answered: HttpReply;
      try {
        answered = await exchange.beforeEvicted(() => reply(exchange));
      } catch (error) {
        answered = failureReply(explained(error), '/');
      }
      await send(answered, exchange, outgoing).catch(() => outgoing.destroy());
    }),
    drain: () => closing.abort(),
  };
}

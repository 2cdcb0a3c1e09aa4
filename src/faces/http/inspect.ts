/** Serves the dashboard for a telemetry file, on this machine only, with a token. */

import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { explained } from '../../call/unexpected.ts';
import { PRIVATE_FILE, privateDirectory, trustedDirectory } from '../../files/kept-files.ts';
import { shortName } from '../../telemetry/call-facts.ts';
import type { EventFile } from '../../telemetry/event-file.ts';
import type { HttpApp } from './app.ts';
import { dashboardRoutes, liveRoute } from './dashboard.ts';
import { type HttpExchange, type HttpReply, send } from './exchange.ts';
import { createGuard } from './guard.ts';
import { listenFor, type RunningServer } from './listen.ts';
import { failureReply, jsonReply, problem } from './problem.ts';
import { receiveFor } from './request-body.ts';
import { createRouter, handleRoute, type HttpRoute, route } from './route.ts';
import { seenRoutes, type TaskSource } from './tasks.ts';

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
export function inspect(options: InspectOptions): Promise<RunningServer> {
  const address = { kind: 'port', host: '127.0.0.1', port: options.port } as const;
  return listenFor(createInspection(options), { address, option: '--port' });
}

function createInspection({ file, path, token, ticket, onTicket }: InspectOptions): HttpApp {
  const closing = new AbortController();
  // No warning: each live stream adds a listener, and their number is limited.
  setMaxListeners(0, closing.signal);
  const here = { loopback: true, hosts: [] };
  const [withToken, withTicket] = [createGuard({ ...here, token }), createGuard(here)];
  const seen: TaskSource = {
    tasks: () => file.tasks,
    watch: (_, tell) => file.watch(tell),
    isOperator: () => true,
    lens: false,
    file: () => ({ name: shortName(basename(path)), ...file.state }),
    closing: closing.signal,
  };
  const enter = enterRoute(token, ticket, onTicket);
  const find = createRouter([
    ...dashboardRoutes,
    ...[...seenRoutes, liveRoute].map((make) => make(seen)),
    enter,
  ]);

  const reply = (exchange: HttpExchange): HttpReply | Promise<HttpReply> => {
    const { refused } = exchange.path === enter.path ? withTicket : withToken;
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

const ticketBody = z.strictObject({ ticket: z.string() });

/** Exchanges the ticket in the page's address for the token, once. */
function enterRoute(token: string, ticket: string, onTicket: InspectOptions['onTicket']): HttpRoute {
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
      return jsonReply({ token });
    },
  });
}

// Opens a page in the browser of this machine, if there is one.

/** A private file that leads a browser on to a URL. */
export interface Entrance {
  remove(): void;
}

/**
 * Other users can see the arguments of a process, so the browser gets the path of a private file that redirects to `url`.
 * Undefined if there is no browser, or no place for the file: the person can use the printed URL. Never throws.
 */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv = process.env): Entrance | undefined {
  const command = commandFor(env);
  if (!command) return undefined;
  const [program, ...args] = command;
  try {
    const directory = privateDirectory(mkdtempSync(join(trustedDirectory(tmpdir()), 'oriel-open-')));
    const path = join(directory, 'open.html');
    writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, {
      mode: PRIVATE_FILE,
      flag: 'wx',
    });
    const child = spawn(program, [...args, path], { stdio: 'ignore', detached: true });
    // If there is no such program, the person can use the printed URL.
    child.on('error', () => undefined);
    child.unref();
    return { remove: () => rmSync(directory, { recursive: true, force: true }) };
  } catch {
    return undefined;
  }
}

function commandFor(env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined;
  }
}

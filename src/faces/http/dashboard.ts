/** Serves the files of the dashboard. They contain no data; the page requests it from the API with the user's token. */

import { createHash } from 'node:crypto';
import { asset } from '../../files/package-files.ts';
import { type Caller, type CallerOrigin, callerOrigin } from '../../queues/caller.ts';
import { safeJson } from '../../text/visible.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import type { PeerOutlet } from '../outbox.ts';
import type { HttpExchange, HttpReply } from './exchange.ts';
import { eventsReply, KEEP_ALIVE_MS, problem, problemSchema } from './problem.ts';
import { type HttpRoute, route } from './route.ts';
import type { TaskSource } from './tasks.ts';

/** The files by path. They need no token, because a browser sends none with a page. */
const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8', 'The dashboard: the page asks for the token'],
  '/dashboard.js': ['dashboard.js', 'text/javascript; charset=utf-8', 'The code of the dashboard'],
  '/dashboard.css': ['dashboard.css', 'text/css; charset=utf-8', 'The style of the dashboard'],
} as const;

export const DASHBOARD_PATHS: readonly string[] = Object.keys(FILES);

/** The content security policy: only these files may be loaded; images are data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

export const dashboardRoutes: readonly HttpRoute[] = Object.entries(FILES).map(
  ([path, [file, type, summary]]) =>
    route({
      method: 'get',
      path,
      summary,
      replies: { 200: { about: 'The file', type: type.split(';')[0] as string } },
      async handle(exchange): Promise<HttpReply> {
        const body = await asset(`dashboard/${file}`);
        const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
        const headers = { ...HEADERS, 'content-type': type, etag };
        if (exchange.header('if-none-match') === etag) return { status: 304, headers };
        return { status: 200, headers, body };
      },
    }),
);

// `GET /api/v0/live`: events as they are recorded, as Server-Sent Events. A client gets only events of its own tasks.

/** Maximum streams of a server, and how many of them are reserved for the operator. */
const MAX_EVENT_STREAMS = 64;
const OPERATOR_STREAMS = 16;

/** Maximum streams of a client, and of all clients at one address. */
const MAX_CLIENT_STREAMS = 16;
const MAX_ORIGIN_STREAMS = 32;

/** Events are collected and sent at this interval. */
const EVERY_MS = 100;

/** Unsent bytes of a client above which events are dropped; it is told their number. */
const MAX_STREAM_UNSENT_BYTES = 256 << 10;

const MAX_COLLECTED_CHARACTERS = 256 << 10;

export const liveRoute = (seen: TaskSource): HttpRoute => {
  /** The client of each stream and its address, as they were when it began. */
  const open = new Set<readonly [Caller, CallerOrigin]>();
  const refusal = (exchange: HttpExchange): string | undefined => {
    const isOperator = seen.isOperator(exchange);
    const of = (holder: Caller | CallerOrigin): number =>
      [...open].filter((holders) => holders.includes(holder)).length;
    if (!isOperator && of(exchange.client) >= MAX_CLIENT_STREAMS)
      return `${MAX_CLIENT_STREAMS} streams of this client are open`;
    if (!isOperator && of(callerOrigin(exchange.client)) >= MAX_ORIGIN_STREAMS)
      return `${MAX_ORIGIN_STREAMS} streams of this address are open`;
    const most = isOperator ? MAX_EVENT_STREAMS : MAX_EVENT_STREAMS - OPERATOR_STREAMS;
    return open.size >= most ? `${most} streams are open` : undefined;
  };
  return route({
    method: 'get',
    path: '/api/v0/live',
    summary: 'Events as they are recorded (Server-Sent Events)',
    replies: {
      200: { about: 'A stream of events', type: 'text/event-stream' },
      503: { about: 'Too many streams are open', schema: problemSchema },
    },
    handle(exchange) {
      const why = refusal(exchange);
      if (why !== undefined) {
        const message = `${why}. Close one, or ask again in a moment.`;
        return problem(503, { message, code: 'BUSY' }, { 'retry-after': '1' });
      }
      // Counted before the body begins, which HEAD has not: of many requests at once all would be admitted.
      const { method, client, signal } = exchange;
      const holders = [client, callerOrigin(client)] as const;
      const release = (): void => void open.delete(holders);
      if (method !== 'HEAD' && !signal.aborted) {
        open.add(holders);
        signal.addEventListener('abort', release, { once: true });
      }
      return eventsReply((outlet) => stream(seen, exchange, outlet).finally(release));
    },
  });
};

/** Resolves when the client disconnects or the server ends. */
async function stream(seen: TaskSource, exchange: HttpExchange, outlet: PeerOutlet): Promise<void> {
  let waiting: string[] = [];
  let bytes = 0;
  let missed = 0;
  let changed = false;
  const unwatch = seen.watch(exchange, (event) => {
    changed = true;
    if (event === undefined) return;
    const text = textOf(event);
    if (bytes + text.length > MAX_COLLECTED_CHARACTERS) missed += 1;
    else waiting.push(text);
    bytes += text.length;
  });
  outlet.write(`event: open\ndata: ${JSON.stringify({ operator: seen.isOperator(exchange) })}\n\n`);
  let quiet = 0;
  const timer = setInterval(() => {
    quiet += EVERY_MS;
    // The client does not read, so events are dropped.
    if (outlet.bytes > MAX_STREAM_UNSENT_BYTES) missed += waiting.length;
    else if (changed) {
      outlet.write(`event: events\ndata: {"missed":${missed},"events":[${waiting.join(',')}]}\n\n`);
      [quiet, missed, changed] = [0, 0, false];
    } else if (quiet >= KEEP_ALIVE_MS) {
      outlet.write(': still here\n\n');
      quiet = 0;
    }
    [waiting, bytes] = [[], 0];
  }, EVERY_MS);
  await new Promise<void>((resolve) => {
    outlet.onGone(resolve);
    exchange.signal.addEventListener('abort', () => resolve(), { once: true });
    seen.closing.addEventListener('abort', () => resolve(), { once: true, signal: exchange.signal });
  });
  clearInterval(timer);
  unwatch();
}

let last: { readonly event: TelemetryEvent; readonly text: string } | undefined;

/** Serializes an event once for all streams. */
function textOf(event: TelemetryEvent): string {
  if (last?.event !== event) last = { event, text: safeJson(event) };
  return last.text;
}

/** `GET /api/v0/live`: events as they are recorded, as Server-Sent Events. A client gets only events of its own tasks. */

import { safeJson } from '../../text/json.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import { type Caller, type Origin, originOf } from '../../queues/caller.ts';
import type { Outlet } from '../outbox.ts';
import type { Exchange } from './exchange.ts';
import { problem, problemSchema } from './problem.ts';
import { type Route, route } from './route.ts';
import type { Seen } from './seen.ts';

/** Maximum streams of a server, and how many of them are reserved for the operator. */
const MOST_STREAMS = 64;
const OPERATOR_STREAMS = 16;

/** Maximum streams of a client, and of all clients at one address. */
const MOST_OF_CLIENT = 16;
const MOST_OF_ORIGIN = 32;

/** Events are collected and sent at this interval. */
const EVERY_MS = 100;

/** Unsent bytes of a client above which events are dropped; it is told their number. */
const MOST_UNSENT = 256 << 10;

/** Maximum characters of collected events. */
const MOST_WAITING = 256 << 10;

/** Interval of keep-alive comments, because proxies close silent connections. */
const KEEP_ALIVE_MS = 15_000;

export const liveRoute = (seen: Seen): Route => {
  const open = new Map<Caller | Origin, number>();
  let streams = 0;
  const refusal = (exchange: Exchange): string | undefined => {
    const isOperator = seen.isOperator(exchange);
    if (!isOperator && (open.get(exchange.client) ?? 0) >= MOST_OF_CLIENT)
      return `${MOST_OF_CLIENT} streams of this client are open`;
    if (!isOperator && (open.get(originOf(exchange.client)) ?? 0) >= MOST_OF_ORIGIN)
      return `${MOST_OF_ORIGIN} streams of this address are open`;
    const most = isOperator ? MOST_STREAMS : MOST_STREAMS - OPERATOR_STREAMS;
    return streams >= most ? `${most} streams are open` : undefined;
  };
  const counted = (holders: ReadonlySet<Caller | Origin>, by: 1 | -1): void => {
    streams += by;
    for (const holder of holders) {
      const left = (open.get(holder) ?? 0) + by;
      if (left > 0) open.set(holder, left);
      else open.delete(holder);
    }
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
      return {
        status: 200,
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
        // Counted here, because HEAD has no body.
        body: (outlet) => {
          // The same holders are released later, even if the client then has another address.
          const holders = new Set([exchange.client, originOf(exchange.client)]);
          counted(holders, 1);
          return stream(seen, exchange, outlet).finally(() => counted(holders, -1));
        },
      };
    },
  });
};

/** Resolves when the client disconnects or the server ends. */
async function stream(seen: Seen, exchange: Exchange, outlet: Outlet): Promise<void> {
  let waiting: string[] = [];
  let bytes = 0;
  let missed = 0;
  let changed = false;
  const unwatch = seen.watch(exchange, (event) => {
    changed = true;
    if (event === undefined) return;
    const text = textOf(event);
    if (bytes + text.length > MOST_WAITING) missed += 1;
    else waiting.push(text);
    bytes += text.length;
  });
  outlet.write(`event: open\ndata: ${JSON.stringify({ operator: seen.isOperator(exchange) })}\n\n`);
  let quiet = 0;
  const timer = setInterval(() => {
    quiet += EVERY_MS;
    // The client does not read, so events are dropped.
    if (outlet.unsent > MOST_UNSENT) missed += waiting.length;
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

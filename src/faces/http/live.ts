/** `GET /api/v0/live`: events as they are recorded, for whoever may see their tasks, as Server-Sent Events. */

import { safeJson } from '../../text/json.ts';
import type { TelemetryEvent } from '../../types/telemetry.ts';
import type { Outlet } from '../outbox.ts';
import type { Exchange } from './exchange.ts';
import { problem, problemSchema } from './problem.ts';
import { type Route, route, type Served } from './route.ts';

/** Streams of one server. */
const MOST_STREAMS = 64;

/** Events go out together, so often. */
const EVERY_MS = 100;

/** Bytes that a client has not taken, at which events are left out; it is told how many. */
const MOST_UNSENT = 256 << 10;

/** Events that wait for the next time. */
const MOST_WAITING = 1_000;

/** Proxies close what is silent for longer. */
const KEEP_ALIVE_MS = 15_000;

export const liveRoute = (served: Served): Route => {
  let streams = 0;
  return route({
    method: 'get',
    path: '/api/v0/live',
    summary: 'Events as they are recorded (Server-Sent Events)',
    replies: {
      200: { about: 'A stream of events', type: 'text/event-stream' },
      503: { about: 'Too many streams are open', schema: problemSchema },
    },
    handle(exchange) {
      if (streams >= MOST_STREAMS) {
        const message = `${MOST_STREAMS} streams are open. Close one, or ask again in a moment.`;
        return problem(503, { message, code: 'BUSY' }, { 'retry-after': '1' });
      }
      streams += 1;
      return {
        status: 200,
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
        body: (outlet) => stream(served, exchange, outlet).finally(() => (streams -= 1)),
      };
    },
  });
};

/** Resolves when the client or the server goes. */
async function stream(
  { offer, ownerOf, isOperator, closing }: Served,
  exchange: Exchange,
  outlet: Outlet,
): Promise<void> {
  const { telemetry } = offer;
  const all = isOperator(exchange);
  const caller = ownerOf(exchange);
  let waiting: TelemetryEvent[] = [];
  let missed = 0;
  const tell = (name: string, data: unknown): void =>
    outlet.write(`event: ${name}\ndata: ${safeJson(data)}\n\n`);
  const unwatch = telemetry?.watch((event, owner) => {
    if (!all && !(caller && telemetry.isOf(owner, caller))) return;
    if (waiting.length >= MOST_WAITING) missed += 1;
    else waiting.push(event);
  });
  tell('open', { operator: all });
  let quiet = 0;
  const timer = setInterval(() => {
    quiet += EVERY_MS;
    if (outlet.unsent > MOST_UNSENT) {
      missed += waiting.length;
      waiting = [];
      return;
    }
    if (waiting.length === 0 && missed === 0) {
      if (quiet < KEEP_ALIVE_MS) return;
      outlet.write(': still here\n\n');
    } else tell('events', { missed, events: waiting });
    [quiet, missed, waiting] = [0, 0, []];
  }, EVERY_MS);
  await new Promise<void>((resolve) => {
    outlet.onGone(resolve);
    exchange.signal.addEventListener('abort', () => resolve(), { once: true });
    closing.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(timer);
  unwatch?.();
}

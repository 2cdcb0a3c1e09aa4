/** Sends an answer as Server-Sent Events: progress while the call runs, then the answer. */

import { errorAnswer } from '../../render/answer.ts';
import { safeJson } from '../../text/json.ts';
import type { Answer } from '../../types/answer.ts';
import type { Progress } from '../../types/progress.ts';
import { pace } from '../progress-rate.ts';
import type { Exchange, Reply } from './exchange.ts';

/** Interval of keep-alive comments, because proxies close silent connections. */
const KEEP_ALIVE_MS = 15_000;

/** Runs `work`. If the client disconnects, the signal of the request cancels it. */
export function eventStream(
  exchange: Exchange,
  work: (onProgress: (progress: Progress) => void) => Promise<Answer>,
): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    async body(outlet) {
      const event = (name: string, data: unknown): void =>
        outlet.write(`event: ${name}\ndata: ${safeJson(data)}\n\n`);
      exchange.endsWith((error) => {
        event('answer', errorAnswer(error));
        outlet.end();
      });
      // Progress is dropped for a client that does not read.
      const quietly = (tell: () => void): void => {
        if (outlet.unsent === 0) tell();
      };
      const keepAlive = setInterval(() => quietly(() => outlet.write(': still working\n\n')), KEEP_ALIVE_MS);
      const progress = pace((told) => quietly(() => event('progress', told)));
      const answer = await work(progress.tell).finally(() => clearInterval(keepAlive));
      progress.end();
      event('answer', answer);
    },
  };
}

/** Owns an answer as Server-Sent Events: progress while the work goes on, then the answer. */

import { safeJson } from '../../text/json.ts';
import type { Answer } from '../../types/answer.ts';
import type { Progress } from '../../types/progress.ts';
import { pace } from '../pace.ts';

/** Proxies close what is silent for longer. */
const KEEP_ALIVE_MS = 15_000;

/** Runs `work`; a client that goes away stops it through the request's own signal. */
export function eventStream(work: (onProgress: (progress: Progress) => void) => Promise<Answer>): Response {
  const encoder = new TextEncoder();
  let keepAlive: NodeJS.Timeout | undefined;
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => {
        if (open) controller.enqueue(encoder.encode(text));
      };
      const event = (name: string, data: unknown): void =>
        send(`event: ${name}\ndata: ${safeJson(data)}\n\n`);
      keepAlive = setInterval(() => send(': still working\n\n'), KEEP_ALIVE_MS);
      const progress = pace((told) => event('progress', told));
      const answer = await work(progress.tell);
      progress.end();
      event('answer', answer);
      clearInterval(keepAlive);
      if (open) controller.close();
    },
    cancel() {
      open = false;
      clearInterval(keepAlive);
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

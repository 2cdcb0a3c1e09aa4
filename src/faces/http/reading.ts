/** What routes do with files beside tools: in the queue of all calls, for their client, and counted as a call is. */

import type { Context } from 'hono';
import { explained } from '../../engine/unexpected.ts';
import { queues } from '../../queues/table.ts';
import { safeJson } from '../../text/json.ts';
import { clientOf } from './client-of.ts';
import type { Metrics } from './metrics.ts';

/** Answers with what `work` gives, as JSON. Throws what it throws. */
export async function reading(
  metrics: Metrics,
  name: string,
  context: Context,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<Response> {
  const count = countOf(metrics, name);
  const { signal } = context.req.raw;
  try {
    const value = await queues.calls.run(() => work(signal), { signal, caller: clientOf(context) });
    const text = safeJson(value);
    count({ bytes: Buffer.byteLength(text) });
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  } catch (error) {
    count({ bytes: 0, error: explained(error, signal).code });
    throw error;
  }
}

/** Counts a call that begins now, once, however it ends. */
export function countOf(metrics: Metrics, name: string): (ended: Parameters<Metrics['call']>[1]) => void {
  const start = performance.now();
  let counted = false;
  return (ended) => {
    if (!counted) metrics.call(name, ended, (performance.now() - start) / 1000);
    counted = true;
  };
}

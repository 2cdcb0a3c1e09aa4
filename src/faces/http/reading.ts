/** Runs file routes like calls of tools: in the same queue and with the same metrics. */

import { explained } from '../../engine/unexpected.ts';
import { queues } from '../../queues/queue-table.ts';
import { safeJson } from '../../text/json.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { jsonText } from './problem.ts';

/** Replies with the result of `work` as JSON. Throws the errors of `work`. */
export async function reading(
  metrics: Metrics,
  name: string,
  { signal, client }: Exchange,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<Reply> {
  const count = countOf(metrics, name);
  try {
    const value = await queues.calls.run(() => work(signal), { signal, caller: client });
    const text = safeJson(value);
    count({ bytes: Buffer.byteLength(text) });
    return jsonText(text);
  } catch (error) {
    count({ bytes: 0, error: explained(error, signal).code });
    throw error;
  }
}

/** Starts timing a call. The returned function counts it, once. */
export function countOf(metrics: Metrics, name: string): (ended: Parameters<Metrics['call']>[1]) => void {
  const start = performance.now();
  let counted = false;
  return (ended) => {
    if (!counted) metrics.call(name, ended, (performance.now() - start) / 1000);
    counted = true;
  };
}

/** Sends progress notifications over MCP to a client that gave a progress token. */

import type { Caller } from '../../queues/caller.ts';
import { unsentTo } from '../outbox.ts';
import { type Pace, pace } from '../pace.ts';

/** Maximum characters of a progress token, which every notification repeats. With a longer one there are no notifications. */
const MOST_TOKEN = 1_024;

/** No progress is sent to a client with more unsent bytes. */
const UNSENT_BYTES = 64 << 10;

/** The part of a request that progress needs, in any version of the SDK. */
interface Asked {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly signal: AbortSignal;
  notify(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total?: number; message: string };
  }): Promise<void>;
}

/** `caller`: the client whose unsent bytes are checked; none when absent. */
export function progressTo({ mcpReq }: { readonly mcpReq: Asked }, caller?: Caller): Pace | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined || String(token).length > MOST_TOKEN) return undefined;
  let last = 0;
  return pace(({ message, done, total }) => {
    // The id may belong to another request by now.
    if (mcpReq.signal.aborted) return;
    if (caller && unsentTo(caller) > UNSENT_BYTES) return;
    // The protocol requires that progress increases with each notification.
    const progress = done !== undefined && done > last ? done : last + 1;
    last = progress;
    const counted = total !== undefined && total >= progress;
    void mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, ...(counted && { total }), message },
      })
      .catch(() => undefined);
  });
}

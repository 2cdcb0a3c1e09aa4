/** Sends progress notifications over MCP to a client that gave a progress token. */

import { type Pace, pace } from '../pace.ts';

/** The part of a request that progress needs, in any version of the SDK. */
interface Asked {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  readonly signal: AbortSignal;
  notify(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total?: number; message: string };
  }): Promise<void>;
}

export function progressTo({ mcpReq }: { readonly mcpReq: Asked }): Pace | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  let last = 0;
  return pace(({ message, done, total }) => {
    // Its id may stand for another request by now.
    if (mcpReq.signal.aborted) return;
    // The protocol wants it to grow with each notification, also where nothing is counted.
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

/** Owns telling a client over MCP how far a call has come, if it gave a token to be told by. */

import type { ServerContext } from '@modelcontextprotocol/server';
import { type Pace, pace } from '../pace.ts';

export function progressTo({ mcpReq }: ServerContext): Pace | undefined {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  let last = 0;
  return pace(({ message, done, total }) => {
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

/** The `fetch` of an MCP server over HTTP: its own host, no redirects, and a bounded number of bytes. */

import { Agent, fetch } from 'undici';
import { parseAllowed } from './addresses.ts';
import { checkedConnector } from './connect.ts';

export interface McpFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** Whoever configures a server allows its address, and nothing else. */
export function mcpFetch(url: URL, maxBytes: number): McpFetch {
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  const agent = new Agent({
    connect: checkedConnector([parseAllowed(`${url.hostname}:${port}`)]),
    maxResponseSize: maxBytes,
    maxHeaderSize: 64 << 10,
    headersTimeout: 15_000,
    connections: 4,
    keepAliveTimeout: 1_000,
  });
  const bounded = (input: unknown, init: object = {}): Promise<unknown> =>
    fetch(input as never, { ...init, dispatcher: agent, redirect: 'error' });
  return { fetch: bounded as typeof globalThis.fetch, close: () => agent.destroy() };
}

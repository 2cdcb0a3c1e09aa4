/** Serves an MCP session over stdio, from its first line to its end. */

import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createOffer, type Offer, type OfferOptions } from '../offer.ts';
import { wideRoots } from './instructions.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import { StdioTransport, UNSENT_MS } from './stdio-transport.ts';

export interface Wires {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the session when it aborts. Pending requests have a moment. */
  readonly signal: AbortSignal;
  /** Receives each warning, a sentence. */
  readonly warn?: (sentence: string) => void;
  /** Timeout in milliseconds for a client that does not read. */
  readonly writeTimeoutMs?: number | undefined;
}

/** Serves the tools of `options` in a session of its own. Resolves as `serveOverStdio`. Throws OrielError. */
export async function offerOverStdio(
  options: OfferOptions,
  wires: Wires,
  mcpOptions: McpOptions,
): Promise<void> {
  const offer = createOffer(options);
  for (const sentence of wideRoots(offer)) wires.warn?.(sentence);
  await serveOverStdio(offer, wires, mcpOptions);
  await offer.close();
}

/** Resolves when the client has disconnected or `signal` was aborted, and all work has ended. */
export async function serveOverStdio(offer: Offer, wires: Wires, options: McpOptions = {}): Promise<void> {
  // One caller for all servers that the SDK makes for this client.
  const caller = options.caller ?? {};
  const transport = new StdioTransport(wires.input, wires.output, caller, {
    timeoutMs: wires.writeTimeoutMs,
  });
  const ended = new Promise<void>((resolve) => transport.whenClosed(resolve));
  const session = serveStdio(() => createMcpServer(offer, { transport: 'pipe', ...options, caller }), {
    transport,
  });
  transport.whenDone(() => void session.close());
  const end = (): void => void transport.drain();
  if (wires.signal.aborted) end();
  wires.signal.addEventListener('abort', end, { once: true });
  await ended;
  // Waits until a slow host has read the last answers; not for long, if the process is to end.
  await transport.taken(wires.signal.aborted ? UNSENT_MS : undefined);
  wires.signal.removeEventListener('abort', end);
  await session.close();
}

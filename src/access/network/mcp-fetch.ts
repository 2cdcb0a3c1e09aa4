/** The `fetch` for an MCP server: only its own host, no redirects, a limited number of bytes, large messages reduced. */

import { Agent, fetch } from 'undici';
import { isOrielError, OrielError } from '../../errors.ts';
import { eventsWith } from '../mcp/reduced-events.ts';
import { parsable, type Reduce, tooLarge } from '../mcp/messages.ts';
import type { Allowable } from '../../types/settings.ts';
import { GrowingBytes } from '../../text/growing-bytes.ts';
import { parseAllowed } from './addresses.ts';
import { nextTurn } from './body-turns.ts';
import { checkedConnector } from './http-connect.ts';

export interface McpFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export interface McpBounds {
  /** Maximum bytes of a response, before and after decompression. */
  readonly maxBytes: number;
  readonly reduce: Reduce;
  /** What may be reached beside public addresses; when absent, the address of the server wherever it is. */
  readonly addresses?: ({ readonly allow: readonly string[] } & Allowable) | undefined;
  /** Called with the reason if a response ends early, because the client would wait for the rest. */
  failed(error: OrielError): void;
}

/** Redirects are not followed, so no other address is reached. */
export function mcpFetch(url: URL, bounds: McpBounds): McpFetch {
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  const { allow, ...advice } = bounds.addresses ?? { allow: [`${url.hostname}:${port}`] };
  const agent = new Agent({
    connect: checkedConnector(allow.map(parseAllowed), advice),
    maxResponseSize: bounds.maxBytes,
    maxHeaderSize: 64 << 10,
    headersTimeout: 15_000,
    connections: 4,
    keepAliveTimeout: 1_000,
  });
  const bounded = async (input: unknown, init: object = {}): Promise<Response> => {
    const options = { ...init, dispatcher: agent, redirect: 'error' } as const;
    const response = await fetch(input as never, options).catch((error: unknown) => {
      const { cause } = error as Error;
      throw isOrielError(cause) ? cause : error;
    });
    return withParsable(response as unknown as Response, bounds, 'method' in init && init.method === 'POST');
  };
  return { fetch: bounded as typeof globalThis.fetch, close: () => agent.destroy() };
}

/** `isAwaited`: a request waits for this response. */
async function withParsable(response: Response, bounds: McpBounds, isAwaited: boolean): Promise<Response> {
  const { status, statusText, headers } = response;
  // Some statuses do not allow a body, not even an empty one.
  if (!response.body) return response;
  const body = response.body.pipeThrough(atMost(bounds.maxBytes));
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const taken = isStream
    ? passedOn(body, eventsWith(bounds.reduce, bounds.maxBytes), bounds, isAwaited)
    : await parsable(await wholeOf(body, bounds), bounds.reduce);
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding']) kept.delete(name);
  return new Response(taken as ConstructorParameters<typeof Response>[0], {
    status,
    statusText,
    headers: kept,
  });
}

function passedOn(
  body: ReadableStream<Uint8Array>,
  through: TransformStream<Uint8Array, Uint8Array>,
  bounds: McpBounds,
  isAwaited: boolean,
): ReadableStream<Uint8Array> {
  body.pipeTo(through.writable).catch((error: unknown) => {
    const why = whyEnded(error, bounds);
    if (why && (isAwaited || why.code === 'LIMIT')) bounds.failed(why);
  });
  return through.readable;
}

async function wholeOf(body: ReadableStream<Uint8Array>, bounds: McpBounds): Promise<Uint8Array> {
  const bytes = new GrowingBytes(bounds.maxBytes);
  try {
    for await (const chunk of body) {
      bytes.add(chunk);
      await nextTurn();
    }
    return bytes.copy();
  } catch (error) {
    throw whyEnded(error, bounds) ?? error;
  } finally {
    bytes.free();
  }
}

/** The reason why a response ended early; undefined if oriel aborted it. */
function whyEnded(error: unknown, { maxBytes }: McpBounds): OrielError | undefined {
  if (isOrielError(error)) return error;
  const { name, cause } = error as Error;
  if (name === 'AbortError') return undefined;
  const { code } = (cause ?? error) as NodeJS.ErrnoException;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge(maxBytes);
  return new OrielError('NETWORK', 'The MCP server ended its answer early. Use the same call later.', {
    cause: error,
  });
}

/** Limits the decompressed bytes; the agent limits only the transmitted bytes. */
function atMost(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      controller.enqueue(chunk);
    },
  });
}

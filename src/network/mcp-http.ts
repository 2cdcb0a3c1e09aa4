/** The `fetch` for an MCP server: only its own host, no redirects, a limited number of bytes, large messages reduced. */

import { setImmediate } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { isOrielError, OrielError } from '../errors.ts';
import { GrowingBytes } from '../text/bytes.ts';
import type { HowToAllow } from '../types/settings.ts';
import { checkedConnector, nextBodyTurn, parseAllowed } from './addresses.ts';

export interface McpFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export interface McpBounds {
  /** Maximum bytes of a response, before and after decompression. */
  readonly maxBytes: number;
  readonly reduce: ReduceMessage;
  /** What may be reached beside public addresses; when absent, the address of the server wherever it is. */
  readonly addresses?: ({ readonly allow: readonly string[] } & HowToAllow) | undefined;
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
      await nextBodyTurn();
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
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return mcpMessageTooLarge(maxBytes);
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
      if (bytes > maxBytes) throw mcpMessageTooLarge(maxBytes);
      controller.enqueue(chunk);
    },
  });
}

// Filters the server-sent events of an MCP server: large data is reduced before the client parses it.

const LF = 10;
const CR = 13;
const NEWLINE_BUFFER = Buffer.from('\n');
const DATA = Buffer.from('data:');

/** Maximum events of a response: the client takes tens of microseconds for each. */
const MAX_RESPONSE_EVENTS = 10_000;

/**
 * Throws `LIMIT` for more than `MAX_RESPONSE_EVENTS` events or a line of more than `most` bytes. Reduces large data that is on one
 * line, as servers write it. Large data on several lines is refused (`LIMIT`).
 */
export function eventsWith(reduce: ReduceMessage, most: number): TransformStream<Uint8Array, Uint8Array> {
  const held = new GrowingBytes(most);
  let ofEvent = 0;
  let events = 0;
  const hold = (piece: Uint8Array): void => {
    if (held.length + piece.length > most) throw mcpMessageTooLarge(most);
    held.add(piece);
  };
  const passed = async (line: Buffer): Promise<Uint8Array> => {
    if (line.length > MAX_DIRECTLY_PARSED_BYTES && line.subarray(0, DATA.length).equals(DATA)) {
      // The event is not empty: the blank line after it is needed.
      ofEvent += DATA.length;
      const data = await parsable(line.subarray(DATA.length), reduce);
      // Data that was not reduced has its newline.
      return Buffer.concat(data.at(-1) === LF ? [DATA, data] : [DATA, data, NEWLINE_BUFFER]);
    }
    if (isBlank(line)) events += 1;
    if (events > MAX_RESPONSE_EVENTS) {
      throw new OrielError(
        'LIMIT',
        `The MCP server sent more than ${MAX_RESPONSE_EVENTS} events at once, and was ended.`,
      );
    }
    ofEvent = isBlank(line) ? 0 : ofEvent + line.length;
    if (ofEvent <= MAX_DIRECTLY_PARSED_BYTES) return line;
    throw new OrielError('LIMIT', 'The MCP server sent a large message in many lines, and was ended.');
  };
  return new TransformStream({
    async transform(chunk, controller) {
      const lines: Uint8Array[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
        const rest = chunk.subarray(from, end + 1);
        from = end + 1;
        if (held.length > 0 || rest.length > most) hold(rest);
        const line = held.length > 0 ? held.copy() : Buffer.from(rest.buffer, rest.byteOffset, rest.length);
        held.free();
        // A blank line ends an event; further blank lines are dropped.
        if (ofEvent > 0 || !isBlank(line)) lines.push(await passed(line));
      }
      hold(chunk.subarray(from));
      if (lines.length > 0) controller.enqueue(Buffer.concat(lines));
      await setImmediate();
    },
    async flush(controller) {
      if (held.length > 0) controller.enqueue(await passed(held.copy()));
    },
  });
}

function isBlank(line: Buffer): boolean {
  return line[0] === LF || (line[0] === CR && line[1] === LF);
}

// Messages of an MCP server: lines of JSON. Large ones are reduced in another process before they are parsed
// here.

/**
 * Reduces a message to the fields that are used, as JSON; undefined if that takes too long or too much
 * memory. Runs in another process, because parsing a large message could take seconds here.
 */
export type ReduceMessage = (message: Uint8Array) => Promise<Uint8Array | undefined>;

/** Bytes of a message that is parsed directly: 5 ms. */
export const MAX_DIRECTLY_PARSED_BYTES = 256 << 10;

/** Lines that are processed before the event loop runs again. */
const LINES_AT_ONCE = 64;

const NEWLINE = 10;
const VERSION = '"jsonrpc"';

/** Throws `LIMIT` for a message that cannot be reduced. */
export async function parsable(message: Uint8Array, reduce: ReduceMessage): Promise<Uint8Array> {
  if (message.length <= MAX_DIRECTLY_PARSED_BYTES) return message;
  const reduced = await reduce(message);
  if (reduced) return reduced;
  throw new OrielError('LIMIT', 'The MCP server sent a message that takes too long to parse, and was ended.');
}

/** Throws `LIMIT` for a line of more than `most` bytes, and for one that cannot be reduced. */
export async function* messagesIn(
  chunks: AsyncIterable<Buffer>,
  most: number,
  reduce: ReduceMessage,
): AsyncGenerator<Uint8Array> {
  // One growing buffer, because a Buffer for each piece would take about 300 bytes besides its content.
  const line = new GrowingBytes(most);
  let lines = 0;
  const add = (piece: Buffer): void => {
    if (line.length + piece.length > most) throw mcpMessageTooLarge(most);
    line.add(piece);
  };
  try {
    for await (const chunk of chunks) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const rest = chunk.subarray(from, end);
        if (line.length > 0 || rest.length > most) add(rest);
        const message = line.length > 0 ? line.copy() : rest;
        line.free();
        from = end + 1;
        // Lines without the name of the protocol are not messages.
        if (message.includes(VERSION)) yield await parsable(message, reduce);
        lines += 1;
        if (lines % LINES_AT_ONCE === 0) await setImmediate();
      }
      add(chunk.subarray(from));
    }
  } finally {
    line.free();
  }
}

function mcpMessageTooLarge(most: number): OrielError {
  return new OrielError('LIMIT', `The MCP server sent more than ${most >> 20} MiB at once, and was ended.`);
}

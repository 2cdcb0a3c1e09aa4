/** The `fetch` for MCP servers: what is passed on, what is limited, and what is said when an answer ends early. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_DIRECTLY_PARSED_BYTES, type McpBounds, mcpFetch } from '../../src/network/mcp-http.ts';
import type { OrielError } from '../../src/errors.ts';

const MIB = 1 << 20;

interface Client {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** What the client was told about answers that ended early. */
  readonly failures: OrielError[];
  /** The length of each message that was reduced. */
  readonly reduced: number[];
}

/** A server on loopback, and the fetch for it. */
async function client(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  own: Partial<McpBounds> = {},
): Promise<Client> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const [failures, reduced]: [OrielError[], number[]] = [[], []];
  const { fetch, close } = mcpFetch(new URL(url), {
    maxBytes: 2 * MIB,
    reduce: (message) => {
      reduced.push(message.length);
      return Promise.resolve(Buffer.from('{"small":true}'));
    },
    failed: (error) => void failures.push(error),
    ...own,
  });
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  return { url, fetch, failures, reduced };
}

const json = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  ((_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': '7', ...headers })
      .end(body)) satisfies Parameters<typeof client>[0];

const events = (...pieces: readonly string[]) =>
  ((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) response.write(piece);
    response.end();
  }) satisfies Parameters<typeof client>[0];

const EARLY = 'The MCP server ended its answer early. Use the same call later.';
const TOO_LARGE = 'The MCP server sent more than 2 MiB at once, and was ended.';

/** The error of a read of the body. */
async function failureOf(body: Promise<unknown>): Promise<unknown> {
  const error = (await body.catch((caught: unknown) => caught)) as Error;
  return { message: error.message, code: (error as OrielError).code };
}

test('a request and its answer are passed on', async () => {
  const heard: unknown[] = [];
  const { url, fetch, reduced } = await client((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push([request.method, request.headers['authorization'], body]);
      response.writeHead(202, 'Fine', { 'content-type': 'application/json', 'mcp-session-id': '7' });
      response.end('{"jsonrpc":"2.0"}');
    });
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body: 'asked',
  });
  expect(heard).toStrictEqual([['POST', 'Bearer x', 'asked']]);
  expect([response.status, response.statusText, response.headers.get('mcp-session-id')]).toStrictEqual([
    202,
    'Fine',
    '7',
  ]);
  expect(await response.text()).toBe('{"jsonrpc":"2.0"}');
  expect(reduced).toStrictEqual([]);
});

test('a compressed answer is unpacked, without its stored length', async () => {
  const text = JSON.stringify({ text: 'x'.repeat(1_000) });
  const { url, fetch } = await client(
    json(gzipSync(text), { 'content-encoding': 'gzip', 'x-other': 'kept' }),
  );
  const response = await fetch(url);
  const { headers } = response;
  expect(['content-encoding', 'content-length', 'x-other'].map((name) => headers.get(name))).toStrictEqual([
    null,
    null,
    'kept',
  ]);
  expect(await response.text()).toBe(text);
});

test('an answer without a body is given as it is', async () => {
  const { url, fetch } = await client((_, response) => void response.writeHead(204, { 'x-a': 'b' }).end());
  const response = await fetch(url);
  expect([response.status, response.body, response.headers.get('x-a')]).toStrictEqual([204, null, 'b']);
});

test('a large message is reduced', async () => {
  const { url, fetch, reduced } = await client(json('x'.repeat(MAX_DIRECTLY_PARSED_BYTES + 1)));
  expect(await (await fetch(url)).text()).toBe('{"small":true}');
  expect(reduced).toStrictEqual([MAX_DIRECTLY_PARSED_BYTES + 1]);
});

test('a message that cannot be reduced is refused', async () => {
  const { url, fetch } = await client(json('x'.repeat(MAX_DIRECTLY_PARSED_BYTES + 1)), {
    reduce: () => Promise.resolve(undefined),
  });
  expect(await failureOf(fetch(url))).toStrictEqual({
    code: 'LIMIT',
    message: 'The MCP server sent a message that takes too long to parse, and was ended.',
  });
});

test('events are passed on, and the large ones reduced', async () => {
  const { url, fetch, reduced } = await client(
    events(
      'event: message\nda',
      'ta: {}\n\n',
      `data:${'x'.repeat(MAX_DIRECTLY_PARSED_BYTES)}\n\n`,
      'data: end\n\n',
    ),
  );
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await response.text()).toBe('event: message\ndata: {}\n\ndata:{"small":true}\n\ndata: end\n\n');
  expect(reduced).toStrictEqual([MAX_DIRECTLY_PARSED_BYTES + 1]);
});

test.each([
  ['as it is sent', 'x'.repeat(2 * MIB), {}],
  ['when it is unpacked', gzipSync('x'.repeat(2 * MIB)), { 'content-encoding': 'gzip' }],
])('an answer of exactly the limit is read, %s', async (_, body, headers: Record<string, string>) => {
  const { url, fetch, reduced } = await client(json(body, headers));
  expect(await (await fetch(url)).text()).toBe('{"small":true}');
  expect(reduced).toStrictEqual([2 * MIB]);
});

test.each([
  ['as it is sent', 'x'.repeat(2 * MIB + 1), {}],
  ['when it is unpacked', gzipSync('x'.repeat(2 * MIB + 1)), { 'content-encoding': 'gzip' }],
])('a larger answer is refused, %s', async (_, body, headers: Record<string, string>) => {
  const { url, fetch, failures } = await client(json(body, headers));
  expect(await failureOf(fetch(url))).toStrictEqual({ code: 'LIMIT', message: TOO_LARGE });
  expect(failures).toStrictEqual([]);
});

test.each(['GET', 'POST'])('too many events end a %s stream and are reported', async (method) => {
  const { url, fetch, failures } = await client(events(`data: ${'x'.repeat(1_000)}\n\n`.repeat(2_200)));
  const response = await fetch(url, { method });
  await expect(response.text()).rejects.toThrow();
  expect(failures.map(({ code, message }) => [code, message])).toStrictEqual([['LIMIT', TOO_LARGE]]);
});

/** Sends the beginning of an answer and closes the connection. */
const torn = (type: string) =>
  ((_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': '1000' });
    response.write('data: 1\n\n', () => response.destroy());
  }) satisfies Parameters<typeof client>[0];

test('an answer that ends early fails with its cause', async () => {
  const { url, fetch, failures } = await client(torn('application/json'));
  const error = (await fetch(url, { method: 'POST' }).catch((caught: unknown) => caught)) as OrielError;
  expect([error.code, error.message, error.cause]).toStrictEqual(['NETWORK', EARLY, expect.any(Error)]);
  expect(failures).toStrictEqual([]);
});

test.each([
  ['POST', [['NETWORK', EARLY]]],
  // Nobody waits for the stream of a GET: the client opens it again.
  ['GET', []],
])('a stream that ends early: %s', async (method, expected) => {
  const { url, fetch, failures } = await client(torn('text/event-stream'));
  const response = await fetch(url, { method });
  await expect(response.text()).rejects.toThrow();
  expect(failures.map(({ code, message }) => [code, message])).toStrictEqual(expected);
});

test('a stream aborted by the client is no server failure', async () => {
  const { url, fetch, failures } = await client((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  const stop = new AbortController();
  const response = await fetch(url, { method: 'POST', signal: stop.signal });
  const text = response.text();
  stop.abort();
  await expect(text).rejects.toMatchObject({ name: 'AbortError' });
  expect(failures).toStrictEqual([]);
});

test('an answer that the client aborts fails with that', async () => {
  const { url, fetch } = await client((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{', () => stop.abort());
  });
  const stop = new AbortController();
  await expect(fetch(url, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

test('no redirect is followed, nor another address or port reached', async () => {
  const other = await client(json('{}'));
  const { url, fetch } = await client((_, response) => {
    response.writeHead(302, { location: other.url }).end();
  });
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  for (const place of [other.url, url.replace('127.0.0.1', '127.0.0.2')]) {
    const error = (await fetch(place).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'BLOCKED_ADDRESS' });
  }
});

test.each([
  ['http://127.0.0.9/mcp', 80],
  ['https://127.0.0.9/mcp', 443],
])('%s is reached at the port of its scheme', async (address, port) => {
  const { fetch, close } = mcpFetch(new URL(address), {
    maxBytes: MIB,
    reduce: () => Promise.resolve(undefined),
    failed: () => undefined,
  });
  onTestFinished(close);
  const error = (await fetch(address).catch((caught: unknown) => caught)) as Error;
  expect(error.cause).toMatchObject({ code: 'ECONNREFUSED', port });
});

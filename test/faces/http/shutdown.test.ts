/** What requests, calls and connections get when the server is told to end. */

import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GRACE_MS } from '../../../src/faces/outbox.ts';
import type { Tool } from '../../../src/oriel.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { type AppUnderTest, serveOffer, openOffer } from '../../support/app.ts';
import { deferred, hangingTool, offerOf, testTool } from '../../support/offer.ts';
import { mcpHeaders, server, modernMeta, initialize } from '../../support/server.ts';
import { temporaryFolder } from '../../support/commands.ts';

const ENDED = 'The server has ended, and this call with it. Use the same call when it runs again.';
const ENDING = 'The server is ending. Use the same call when it runs again.';
const refused = { message: ENDING, code: 'BUSY' };

/** Timers do not run by themselves, so what waits for one hangs. */
function withoutTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

interface Wire {
  readonly socket: Socket;
  /** Everything that was received. */
  text(): string;
  /** Resolves when it was received. */
  got(part: string): Promise<void>;
  /** Everything that was received until the server closed the connection. */
  readonly closed: Promise<string>;
}

async function wire({ url }: AppUnderTest, bytes = ''): Promise<Wire> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()));
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  socket.on('error', () => undefined);
  socket.write(bytes);
  return {
    socket,
    text: () => text,
    got: async (part) => expect.poll(() => text).toContain(part),
    closed: new Promise((resolve) => void socket.once('close', () => resolve(text))),
  };
}

function accepts({ url }: AppUnderTest): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The bytes of a request; `accept` and the like in `more`. */
function requestOf(path: string, body?: object, more: Record<string, string> = {}): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    host: 'localhost',
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

const STREAM = { accept: 'application/json, text/event-stream' };

const call = (id: number, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** A request of protocol 2026-07-28; with `progress` the reply to a call is a stream from the first progress on. */
function modern(method: string, params: object, progress?: string): string {
  const _meta = {
    ...modernMeta,
    ...(progress !== undefined && { progressToken: progress }),
  };
  const { name } = params as { name?: string };
  const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } };
  return requestOf('/mcp', body, {
    ...STREAM,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  });
}

/** A tool whose calls end when the test says so. */
function gated(): { tool: Tool; begun: () => number; open: () => void } {
  let begun = 0;
  const opened = deferred();
  const tool = testTool('gated', async (_, { signal, onProgress }) => {
    begun += 1;
    onProgress?.({ text: 'half' } as never);
    await opened.promise;
    return textAnswer(signal?.aborted ? 'cancelled' : 'done');
  });
  return { tool, begun: () => begun, open: opened.resolve };
}

const statusOf = (text: string): string => text.slice(0, text.indexOf('\r\n'));
const headOf = (text: string): string => text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase();
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);
/** The body of a reply in chunks. */
const chunksOf = (text: string): string =>
  bodyOf(text)
    .replace(/([0-9a-f]+)\r\n/g, '')
    .replaceAll('\r\n', '');

// New requests are refused meanwhile.
test('running calls get answers, each last on its connection', async () => {
  withoutTimers();
  const { tool, begun, open } = gated();
  const app = await serveOffer(offerOf(tool));
  const request = requestOf('/api/v0/tools/gated', {});
  const ways = [
    request,
    // The second one waits for the first.
    request + request,
    requestOf('/api/v0/tools/gated', {}, STREAM),
    requestOf('/mcp', call(7, 'gated'), STREAM),
    modern('tools/call', { name: 'gated', arguments: {} }),
  ];
  const calls = await Promise.all(ways.map((bytes) => wire(app, bytes)));
  await expect.poll(begun).toBe(ways.length);
  const health = requestOf('/healthz');
  const kept = await Promise.all([request, health].map(() => wire(app, health)));
  for (const one of kept) await one.got('{"status":"ok"}');
  const cut = request.length - 1;
  const halves = await Promise.all([5, cut].map((length) => wire(app, request.slice(0, length))));
  // It is answered after the halves have arrived.
  await (
    await wire(app, requestOf('/healthz', undefined, { connection: 'close' }))
  ).closed;

  const closed = app.close();
  for (const [i, bytes] of [request, health].entries()) kept[i]?.socket.write(bytes);
  for (const [i, length] of [5, cut].entries()) halves[i]?.socket.write(request.slice(length));
  for (const one of [...kept, ...halves]) {
    // Behind the first reply, where there is one.
    const text = (await one.closed).replace(/^.*\{"status":"ok"\}/s, '');
    expect([statusOf(text), bodyOf(text)]).toEqual([
      'HTTP/1.1 503 Service Unavailable',
      JSON.stringify(refused),
    ]);
    expect(headOf(text)).toContain('\r\nconnection: close');
  }
  open();
  const replies = await Promise.all(calls.map((one) => one.closed));
  expect(replies.map(statusOf)).toEqual(ways.map(() => 'HTTP/1.1 200 OK'));
  for (const reply of replies) {
    expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(reply).toContain('"text":"done"');
  }
  // The replies of the streams had begun before.
  for (const i of [0, 1, 4]) expect(headOf(replies[i] as string)).toContain('\r\nconnection: close');
  expect(begun()).toBe(ways.length);
  await closed;
});

test('without a running call the server ends at once', async () => {
  withoutTimers();
  const offer = openOffer();
  const app = await serveOffer(offer);
  const health = requestOf('/healthz');
  const silent = await wire(app);
  const idle = await wire(app, health);
  const half = await wire(app, health.slice(0, 5));
  const live = await wire(app, requestOf('/api/v0/live'));
  await Promise.all([idle.got('{"status":"ok"}'), live.got('event: open')]);
  const listening = await wire(
    app,
    modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  );
  await listening.got('\r\n\r\n');
  expect(statusOf(listening.text())).toBe('HTTP/1.1 200 OK');
  // The client asks again as soon as its stream has ended.
  live.socket.once('data', () => live.socket.write(health));
  await app.close();
  await Promise.all([silent, idle, half, live, listening].map(({ closed }) => closed));
  expect((await live.closed).match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect((await listening.closed).endsWith('\r\n0\r\n\r\n')).toBe(true);
  expect((await live.closed).endsWith('\r\n0\r\n\r\n')).toBe(true);
});

// Also where a stream has begun.
test('calls longer than the wait end with an error', { tags: 'slow' }, async () => {
  withoutTimers();
  const { tool, stopped } = hangingTool('hanging');
  const { tool: quick, begun } = gated();
  const app = await serveOffer(offerOf(tool, quick));
  const opening = await wire(app, requestOf('/mcp', initialize('2025-06-18'), STREAM));
  await opening.got('"serverInfo"');
  const session = /mcp-session-id: (\S+)/i.exec(opening.text())?.[1] as string;
  const inSession = { ...STREAM, 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
  const list = { jsonrpc: '2.0', id: 8, method: 'tools/list', params: {} };
  const ways = {
    json: requestOf('/api/v0/tools/hanging', {}),
    stream: requestOf('/api/v0/tools/hanging', {}, STREAM),
    stateless: requestOf('/mcp', call(7, 'hanging'), STREAM),
    session: requestOf('/mcp', call(7, 'hanging'), inSession),
    batch: requestOf('/mcp', [call(9, 'hanging'), list, call(10, 'hanging')], inSession),
    recent: modern('tools/call', { name: 'hanging', arguments: {} }),
    progress: modern('tools/call', { name: 'gated', arguments: {} }, 'token'),
  };
  const sent = Object.entries(ways).map(async ([name, bytes]) => [name, await wire(app, bytes)] as const);
  const calls = Object.fromEntries(await Promise.all(sent)) as Record<keyof typeof ways, Wire>;
  const { json, stream, stateless, session: sessional, batch, recent, progress } = calls;
  await Promise.all([stream, stateless, sessional].map((one) => one.got('\r\n\r\n')));
  await batch.got('"id":8');
  await progress.got('"progressToken":"token"');
  expect(begun()).toBe(1);
  const closed = app.close();
  // The timer is set when the server stops listening.
  while (await accepts(app));
  vi.advanceTimersByTime(GRACE_MS);
  const error = { code: 'BUSY', message: ENDED };
  const answer = { content: [{ type: 'text', text: ENDED }], details: { error }, isError: true };
  const failed = (id: number): string => {
    const body = { jsonrpc: '2.0', id, error: { code: -32000, message: ENDED, data: { code: 'BUSY' } } };
    return `event: message\ndata: ${JSON.stringify(body)}\n\n`;
  };
  for (const one of [json, recent]) {
    const text = await one.closed;
    expect([statusOf(text), bodyOf(text)]).toEqual([
      'HTTP/1.1 503 Service Unavailable',
      JSON.stringify({ message: ENDED, code: 'BUSY' }),
    ]);
  }
  // The end of a whole reply.
  for (const one of [stream, stateless, sessional, batch, progress])
    expect((await one.closed).endsWith('\r\n0\r\n\r\n')).toBe(true);
  expect(chunksOf(await stream.closed)).toBe(`event: answer\ndata: ${JSON.stringify(answer)}\n\n`);
  expect(chunksOf(await stateless.closed)).toBe(failed(7));
  expect(chunksOf(await sessional.closed)).toBe(failed(7));
  expect(chunksOf(await batch.closed).endsWith(failed(9) + failed(10))).toBe(true);
  expect((await batch.closed).match(/"id":8/g)).toHaveLength(1);
  expect(chunksOf(await progress.closed).endsWith(failed(7))).toBe(true);
  await stopped;
  await closed;
});

test('a serving process ends with 0 after its calls', { tags: 'slow' }, async () => {
  const W = temporaryFolder();
  const running = await server(['--cwd', W, '--allow-bash']);
  const long = (name: string) => ({ command: `touch ${name}; sleep 600` });
  const params = { name: 'bash', arguments: long('b') };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const called = running.post('/api/v0/tools/bash', long('a'));
  const streamed = running.post('/mcp', message, { headers: mcpHeaders });
  await expect.poll(() => readdirSync(W).toSorted()).toEqual(['a', 'b']);
  running.kill('SIGTERM');
  const reply = await called;
  expect([reply.status, await reply.json()]).toEqual([503, { message: ENDED, code: 'BUSY' }]);
  expect(await (await streamed).text()).toContain(JSON.stringify(ENDED));
  expect(await running.exited).toBe(0);
  expect(running.log()).toContain('"path":"/api/v0/tools/:name","status":503');
});

test.runIf(process.platform === 'linux')(
  'clients waiting to be accepted at shutdown get a reply',
  { tags: 'slow' },
  async () => {
    const running = await server(['--max-connections', '1000']);
    // What connects now waits in the listen backlog.
    running.kill('SIGSTOP');
    const replies: Promise<string>[] = [];
    let connected = 0;
    for (let i = 0; i < 50; i += 1) {
      const socket = connect(running.port, '127.0.0.1', () => (connected += 1));
      onTestFinished(() => void socket.destroy());
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      replies.push(
        new Promise((resolve) => {
          let text = '';
          socket.on('data', (data: Buffer) => (text += data.toString()));
          socket.on('error', ({ message }) => resolve(message));
          socket.on('close', () => resolve(text));
        }),
      );
    }
    await expect.poll(() => connected).toBe(50);
    running.kill('SIGTERM');
    running.kill('SIGCONT');
    const statuses = (await Promise.all(replies)).map((reply) => reply.slice(0, 12));
    expect(statuses.filter((status) => !['HTTP/1.1 200', 'HTTP/1.1 503'].includes(status))).toEqual([]);
    expect(await running.exited).toBe(0);
  },
);

/**
 * Requests that are cheap to send and dear to take: what they cost others, at the same address and at others.
 *
 * @module-tag slow
 */

import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { textAnswer } from '../../src/render/notices.ts';
import { serveOffer } from '../support/app.ts';
import { LAG_RETRIES, MOST_LAG_MS, slowness, withoutLag } from '../support/lag.ts';
import { offerOf, testTool } from '../support/offer.ts';
import { heartbeat, lagSince, residentMb } from '../support/process-under-test.ts';
import { initialize, mcpHeaders, postTo, server, type ServerProcess } from '../support/server.ts';
import { workspace } from '../support/workspace.ts';

const TOKEN = 'x'.repeat(32);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

interface Peer {
  readonly socket: Socket;
  /** What came back so far. */
  text(): string;
  closed(): boolean;
}

/** Its own side of the connection stays open where it is told so. */
function peer(
  { port }: ServerProcess,
  first: string,
  localAddress = '127.0.0.1',
  allowHalfOpen = false,
): Peer {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen });
  let text = '';
  let closed = false;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  onTestFinished(() => void socket.destroy());
  socket.write(first);
  return { socket, text: () => text, closed: () => closed };
}

const post = (path: string, length: string, client = 'one'): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\noriel-client: ${client}\r\n${length}\r\n\r\n`;

/** A call of somebody at another address. */
async function servedElsewhere(running: ServerProcess): Promise<string> {
  const body = JSON.stringify({ path: 'small' });
  const request = post('/api/v0/tools/read', `Content-Length: ${body.length}\r\nConnection: close`, 'other');
  const { text, closed } = peer(running, request + body, '127.0.0.2');
  await expect.poll(closed).toBe(true);
  return text();
}

const SERVED = /^HTTP\/1\.1 200 [^]*1\|small/;

const { W, write } = workspace({}, afterAll);
write('small', 'small\n');
write('large', 'a line of a text\n'.repeat(3_000));
const running = await server(['--cwd', W], { node: heartbeat, atEnd: afterAll });
/** One that wants a token, and has few connections. */
const guarded = await server(['--cwd', W, '--token', TOKEN, '--max-connections', '20'], {
  node: heartbeat,
  atEnd: afterAll,
});

/** The largest lag of a server since it was asked last, as on an idle machine. */
const lagOf = async (process: ServerProcess): Promise<number> => (await lagSince(process)) / slowness();

test.each(['/mcp', '/api/v0/tools/read', '/api/v0/list-directory'])(
  'H20 a %s body of tiny chunks is refused early',
  { retry: LAG_RETRIES },
  async (path) => {
    expect(await servedElsewhere(running)).toMatch(SERVED);
    await lagOf(running);
    const memory = residentMb(running.pid);
    const peers = Array.from({ length: 4 }, (_, i) =>
      peer(running, post(path, 'Transfer-Encoding: chunked', `client ${i}`)),
    );
    const chunks = '1\r\n \r\n'.repeat(100_000);
    for (const { socket } of peers) socket.write(chunks);
    for (let i = 0; i < 10; i += 1) {
      expect(await servedElsewhere(running)).toMatch(SERVED);
      expect(residentMb(running.pid) - memory).toBeLessThan(150);
      await sleep(50);
    }
    for (const { text } of peers)
      await expect.poll(text).toMatch(/^HTTP\/1\.1 413 [^]*in more than 4,096 pieces/);
    expect(await lagOf(running)).toBeLessThanOrEqual(MOST_LAG_MS);
  },
);

test('H20 a body in a few thousand chunks is accepted', async () => {
  const body = JSON.stringify({ path: `${' '.repeat(500_000)}small` });
  const { socket, text } = peer(running, post('/api/v0/tools/read', 'Transfer-Encoding: chunked'));
  for (let at = 0; at < body.length; at += 128) {
    const part = body.slice(at, at + 128);
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  socket.write('0\r\n\r\n');
  // It arrives whole: the field alone is too long.
  await expect.poll(text).toMatch(/65,?536/);
});

test('H21 thousands of parameters do not block the event loop', { retry: LAG_RETRIES }, async () => {
  await lagOf(guarded);
  const names = Array.from({ length: 4_000 }, (_, i) => i.toString(36)).join('&');
  for (const path of ['/healthz', '/api/v0/read-file', '/nothing']) {
    const request = `GET ${path}?${names} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const peers = Array.from({ length: 8 }, () => peer(guarded, request.repeat(40)));
    for (const { text } of peers)
      await expect.poll(() => text().match(/HTTP\/1\.1 4\d\d /g)?.length).toBe(40);
    if (path === '/healthz') expect(peers[0]?.text()).toContain('more than 100 query parameters');
    expect(await lagOf(guarded)).toBeLessThanOrEqual(MOST_LAG_MS);
    for (const { socket } of peers) socket.destroy();
  }
  expect((await guarded.get('/healthz')).status).toBe(200);
});

test('H22 connections with CONNECT or Upgrade are closed', async () => {
  const refused = Array.from({ length: 30 }, () =>
    peer(guarded, 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\nmore', '127.0.0.1', true),
  );
  await expect.poll(() => refused[0]?.text()).toMatch(/^HTTP\/1\.1 400 /);
  // One whose machine is gone in the middle.
  refused[1]?.socket.resetAndDestroy();
  const upgraded = peer(
    guarded,
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    '127.0.0.2',
  );
  await expect.poll(upgraded.text).toMatch(/^HTTP\/1\.1 200 /);
  upgraded.socket.destroy();
  const open = async (): Promise<string> => {
    const authorization = `Bearer ${TOKEN}`;
    const asked = `GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`;
    const { text, closed } = peer(guarded, asked, '127.0.0.2');
    await expect.poll(closed).toBe(true);
    return /^oriel_connections (\d+)$/m.exec(text())?.[1] ?? '';
  };
  await expect.poll(open).toBe('1');
  expect((await guarded.get('/healthz')).status).toBe(200);
});

describe('POSTs of too many messages are refused before processing', () => {
  const many = (count: number, message: (i: number) => object): object[] =>
    Array.from({ length: count }, (_, i) => message(i));
  const call = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'job' },
  });
  const bodies: [string, object[]][] = [
    ['requests', many(90_000, (id) => ({ jsonrpc: '2.0', id, method: 'p' }))],
    ['notifications', many(80_000, () => ({ jsonrpc: '2.0', method: 'notifications/x' }))],
    ['calls', many(30_000, call)],
    ['nothing', many(1_300_000, () => ({}))],
    ['lists in lists', many(1_300_000, () => [])],
    ['one more than there may be', many(101, call)],
    ['as many values as a body may have', many(1_600, call)],
  ];
  test.each(bodies)('%s', async (_title, messages) => {
    let calls = 0;
    const job = testTool('job', () => Promise.resolve(textAnswer(`call ${(calls += 1)}`)));
    const { url } = await serveOffer(offerOf(job));
    const hello = await postTo(url, mcpHeaders)('/mcp', initialize('2025-03-26'));
    await hello.text();
    const headers = {
      ...mcpHeaders,
      'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-03-26',
    };
    const body = Buffer.from(JSON.stringify(messages));
    await withoutLag(async () => {
      const response = await postTo(url, headers)('/mcp', {}, { body });
      expect([400, 413]).toContain(response.status);
      await response.text();
    });
    expect(calls).toBe(0);
  });
});

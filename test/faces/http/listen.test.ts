/** A `CONNECT` is refused, and its refusal is never read as a part of another reply. */

import { truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveOffer } from '../../support/app.ts';
import { hangingTool, offerOf } from '../../support/offer.ts';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

const CONNECT = 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const REFUSED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** `said` resolves with everything that was received until the connection was closed. */
function peer(port: number, bytes: string): { socket: Socket; said: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined).write(bytes);
  return { socket, said: new Promise((resolve) => void socket.once('close', () => resolve(text))) };
}

test('behind a call that is running: the connection is closed without a word, and the call cancelled', async () => {
  const { tool, started, stopped } = hangingTool('hang');
  const { url } = await serveOffer(offerOf(tool));
  const call =
    'POST /api/v0/tools/hang HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const { socket, said } = peer(Number(new URL(url).port), call);
  await started;
  socket.write(get('/healthz') + CONNECT);
  expect(await said).toBe('');
  await stopped;
});

test('in the same packet as a request', async () => {
  const { url } = await serveOffer(offerOf());
  expect(await peer(Number(new URL(url).port), get('/healthz') + CONNECT).said).toBe('');
});

test('during a download: nothing is written into its body', async () => {
  const { W, write } = workspace();
  write('large', '');
  truncateSync(join(W, 'large'), 64 << 20);
  const running = await server(['--cwd', W]);
  const { socket, said } = peer(
    running.port,
    get(`/api/v0/read-file?path=${encodeURIComponent(join(W, 'large'))}`),
  );
  await new Promise((resolve) => void socket.once('data', resolve));
  socket.pause().write(CONNECT);
  await running.get('/healthz');
  socket.resume();
  const [head = '', body = ''] = (await said).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 [^]*content-length: 67108864/i);
  expect(body.replaceAll('\0', '')).toBe('');
});

test('after a reply, and as the first request, it is refused', async () => {
  const { url } = await serveOffer(offerOf());
  const port = Number(new URL(url).port);
  expect(await peer(port, CONNECT).said).toBe(REFUSED);
  const { socket, said } = peer(port, get('/healthz'));
  await new Promise((resolve) => void socket.once('data', resolve));
  // The server has taken note of the end of its reply.
  await fetch(`${url}/healthz`);
  socket.write(CONNECT);
  expect(await said).toMatch(/^HTTP\/1\.1 200 [^]*\}HTTP\/1\.1 400 Bad Request\r\n/);
});

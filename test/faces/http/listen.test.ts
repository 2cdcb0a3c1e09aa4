/** A `CONNECT` and invalid bytes are refused, and the refusal is never read as a part of another reply. */

import { truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveOffer } from '../../support/app.ts';
import { hangingTool, offerOf } from '../../support/offer.ts';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

const CONNECT = 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const refused = (status: string): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

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

const INVALID = {
  'a CONNECT': CONNECT,
  'bytes that are no request': 'no request\r\n\r\n',
  'too long headers': `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
};
const INVALID_KINDS = Object.entries(INVALID);

test.each(INVALID_KINDS)('%s behind a running call silently closes the connection', async (_, bytes) => {
  const { tool, started, stopped } = hangingTool('hang');
  const { url } = await serveOffer(offerOf(tool));
  const call =
    'POST /api/v0/tools/hang HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const { socket, said } = peer(Number(new URL(url).port), call);
  await started;
  socket.write(get('/healthz') + bytes);
  expect(await said).toBe('');
  // The call is cancelled.
  await stopped;
});

test.each(INVALID_KINDS)('%s in the same packet as a request', async (_, bytes) => {
  const { url } = await serveOffer(offerOf());
  expect(await peer(Number(new URL(url).port), get('/healthz') + bytes).said).toBe('');
});

test.each(INVALID_KINDS)(
  '%s during a download: nothing is written into its body',
  { tags: 'slow' },
  async (_, bytes) => {
    const { W, write } = workspace();
    write('large', '');
    truncateSync(join(W, 'large'), 64 << 20);
    const running = await server(['--cwd', W]);
    const { socket, said } = peer(
      running.port,
      get(`/api/v0/read-file?path=${encodeURIComponent(join(W, 'large'))}`),
    );
    await new Promise((resolve) => void socket.once('data', resolve));
    socket.pause().write(bytes);
    await running.get('/healthz');
    socket.resume();
    const [head = '', body = ''] = (await said).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 [^]*content-length: 67108864/i);
    expect(body.replaceAll('\0', '')).toBe('');
  },
);

test.each([
  ['a CONNECT', '400 Bad Request'],
  ['bytes that are no request', '400 Bad Request'],
  ['too long headers', '431 Request Header Fields Too Large'],
] as const)('%s after a reply, or first on a connection: %s', { tags: 'slow' }, async (kind, status) => {
  const bytes = INVALID[kind];
  const { url } = await serveOffer(offerOf());
  const port = Number(new URL(url).port);
  expect(await peer(port, bytes).said).toBe(refused(status));
  const { socket, said } = peer(port, get('/healthz'));
  await new Promise((resolve) => void socket.once('data', resolve));
  // The server has taken note of the end of its reply.
  await fetch(`${url}/healthz`);
  socket.write(bytes);
  const replies = await said;
  expect(replies).toMatch(/^HTTP\/1\.1 200 /);
  expect(replies.endsWith(`}${refused(status)}`)).toBe(true);
});

test('invalid bytes in a request body are refused in reply', async () => {
  const { url } = await serveOffer(offerOf());
  const head =
    'POST /api/v0/tools/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { said } = peer(Number(new URL(url).port), `${head}1\r\n{\r\nno size\r\n`);
  expect(await said).toBe(refused('400 Bad Request'));
});

test('the name of a host that no Host header can have is refused at the start', async () => {
  for (const name of ['http://files.example', 'files.example:80'])
    await expect(serveOffer(offerOf(), { hosts: [name] })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: `${name} is not the name of a host. Use --host files.example.`,
    });
  await serveOffer(offerOf(), { hosts: ['Files.example', '127.0.0.1', '::1', '[::1]'] });
});

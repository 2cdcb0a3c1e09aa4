/**
 * Damaged messages of MCP on a pipe, and damaged requests of HTTP: what is valid beside them is answered.
 *
 * @module-tag slow
 */

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { offerOverStdio } from '../../src/faces/mcp/serve-stdio.ts';
import { fc } from '../support/properties.ts';
import { server } from '../support/server.ts';
import type { Message } from '../support/wire.ts';
import { workspace } from '../support/workspace.ts';
import { damaged, edits } from './damage.ts';
import { fuzz, fuzzTimeout as timeout } from './fuzz.ts';

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
};

const calls: readonly object[] = [
  { method: 'ping' },
  { method: 'tools/list' },
  { method: 'tools/call', params: { name: 'read', arguments: { path: 'f.txt' } } },
  { method: 'tools/call', params: { name: 'read', arguments: { path: 'f.txt:2', extra: [1, { a: null }] } } },
  { method: 'tools/call', params: { name: 'nothing', arguments: {} } },
  { method: 'resources/read', params: { uri: 'file:///nothing' } },
];

const notifications: readonly object[] = [
  { method: 'notifications/cancelled', params: { requestId: 'damaged', reason: 'x' } },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
];

test('messages of MCP are answered beside damaged ones', { timeout }, async () => {
  const { W, write } = workspace();
  write('f.txt', 'one\ntwo\n');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const ended = offerOverStdio(
    { cwd: W, roots: [W], web: false },
    { input, output, signal: stop.signal },
    {},
  );
  const answers = new Map<unknown, Message>();
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      expect(message.jsonrpc).toBe('2.0');
      if (message.method === undefined)
        expect(message.result === undefined).not.toBe(message.error === undefined);
      answers.set(message.id, message);
    }
  });
  const line = (message: object): Buffer =>
    Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = (id: string): Promise<unknown> =>
    expect.poll(() => answers.get(id), { message: id }).toBeDefined();
  input.write(line({ id: 'first', ...initialize }));
  await answered('first');
  input.write(line({ method: 'notifications/initialized' }));

  const sent = fc.array(
    fc.record({
      message: fc.constantFrom(...calls, ...notifications, initialize),
      isDamaged: fc.boolean(),
      wanted: edits,
      cut: fc.nat(400),
    }),
    { minLength: 1, maxLength: 6 },
  );
  let asked = 0;
  await fuzz('messages of MCP', 30, sent, async (messages) => {
    const whole: string[] = [];
    for (const { message, isDamaged, wanted, cut } of messages) {
      const isCall = calls.includes(message);
      asked += 1;
      const id = isDamaged ? 7_000_000 + asked : `whole ${asked}`;
      if (isCall && !isDamaged) whole.push(id as string);
      if (!isCall && !isDamaged) continue;
      const bytes = line(isCall || message === initialize ? { id, ...message } : message);
      const now = isDamaged ? Buffer.concat([damaged(bytes, wanted), Buffer.from('\n')]) : bytes;
      input.write(now.subarray(0, cut));
      input.write(now.subarray(cut));
    }
    for (const id of whole) await answered(id);
    answers.clear();
  });
  stop.abort();
  await ended;
});

const body = JSON.stringify({ path: 'f.txt:1-2' });
const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

const requests: readonly string[] = [
  'GET /api/v0/read-file-lines?path=f.txt&offset=1&limit=2 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n',
  'GET /api/v0/read-file?path=f.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-3\r\n\r\n',
  `POST /api/v0/tools/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  `POST /api/v0/tools/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${rpc.length}\r\n\r\n${rpc}`,
  'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'OPTIONS /api/v0/tools/read HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n',
];

test('after damaged HTTP requests the next one is served', { timeout }, async () => {
  const { W, write } = workspace();
  write('f.txt', 'one\ntwo\n');
  const { raw, get, log } = await server(['--cwd', W, '--root', W]);
  const sent = fc.record({ request: fc.constantFrom(...requests), wanted: edits, cut: fc.nat(400) });
  await fuzz('requests of HTTP', 100, sent, async ({ request, wanted, cut }) => {
    const bytes = damaged(Buffer.from(request), wanted);
    // A request that is whole keeps its connection, and one that lacks its end waits for it: both are closed after this.
    const said = await raw([bytes.subarray(0, cut), bytes.subarray(cut)], 40);
    if (said !== '') expect(said).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
    for (const [status] of said.matchAll(/^HTTP\/1\.1 \d+/gm)) expect(status).not.toBe('HTTP/1.1 500');
    expect((await get('/healthz')).status).toBe(200);
  });
  expect(log()).not.toContain('INTERNAL');
});

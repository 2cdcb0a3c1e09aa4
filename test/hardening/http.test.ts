/**
 * @module-tag slow
 */

import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { mcpHeaders, mcpList, server, type ServerProcess } from '../support/server.ts';
import { SECRET, workspace } from '../support/workspace.ts';

const TOKEN = 'correct-horse-battery-staple';

const { W } = workspace({}, afterAll);
const running = await server(['--cwd', W, '--host', 'box.internal'], { atEnd: afterAll });
/** One that wants a token. */
const closed = await server([], { env: { ORIEL_TOKEN: TOKEN }, atEnd: afterAll });

async function alive({ get }: ServerProcess): Promise<void> {
  expect((await get('/healthz')).status).toBe(200);
}

/** A request whose headers fetch would not send. */
function withHeaders(
  { port }: ServerProcess,
  path: string,
  headers: Record<string, string>,
  method = 'POST',
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? JSON.stringify(mcpList) : undefined);
  });
}

const json = { 'content-type': 'application/json', ...mcpHeaders };

test('H02 only an absent or own Origin is accepted', async () => {
  for (const origin of [
    'http://evil.test',
    'null',
    'https://127.0.0.1.evil.test',
    `http://localhost:1`,
    'file://',
  ]) {
    const reply = await withHeaders(running, '/mcp', { ...json, origin });
    expect([origin, reply.status]).toEqual([origin, 403]);
    expect(reply.text).not.toContain('evil');
    expect(reply.text).toContain('Send it from a program');
  }
  expect((await withHeaders(running, '/mcp', json)).status).toBe(200);
  expect((await withHeaders(running, '/mcp', { ...json, origin: running.url })).status).toBe(200);
});

test('H02 cross-site requests without an Origin are refused', async () => {
  const asked = async (path: string, site: string): Promise<number> =>
    (await withHeaders(running, path, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }, 'GET')).status;
  const file = `/api/v0/read-file?path=${encodeURIComponent(`${process.cwd()}/package.json`)}`;
  for (const site of ['cross-site', 'same-site', 'anything']) {
    for (const path of [file, '/api/v0/tools', '/openapi.json', '/mcp']) {
      expect([site, path, await asked(path, site)]).toEqual([site, path, 403]);
    }
  }
  // A link to the dashboard may stand on any page; what it shows asks from its own origin, or is typed.
  expect(await asked('/', 'cross-site')).toBe(200);
  for (const site of ['same-origin', 'none']) expect(await asked('/api/v0/tools', site)).toBe(200);
});

test('M08 requests with one id in a batch are refused', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const reply = await running.post('/mcp', [call, call], { headers: mcpHeaders });
  expect([reply.status, await reply.json()]).toMatchObject([400, { id: 1, error: { code: -32600 } }]);
  const both = await running.post('/mcp', [call, { ...call, id: 2 }], { headers: mcpHeaders });
  expect(both.status).toBe(200);
});

// Any name may resolve to this machine.
test('H02 an unknown Host is refused', async () => {
  for (const host of ['evil.test', `evil.test:${running.port}`, '169.254.169.254', '127.0.0.1.evil.test']) {
    const reply = await withHeaders(running, '/healthz', { host }, 'GET');
    expect([host, reply.status]).toEqual([host, 403]);
    expect(reply.text).toContain('--host NAME');
  }
  for (const host of ['localhost', `127.0.0.1:${running.port}`, '[::1]:80', 'LOCALHOST:1', 'box.internal']) {
    expect([host, (await withHeaders(running, '/healthz', { host }, 'GET')).status]).toEqual([host, 200]);
  }
  for (const host of ['a@localhost', 'localhost, evil.test', 'localhost:99999999']) {
    expect([host, (await withHeaders(running, '/healthz', { host }, 'GET')).status]).toEqual([host, 400]);
  }
  const absolute = await running.raw(
    'GET http://evil.test/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  expect(absolute).toMatch(/^HTTP\/1\.1 400 /);
});

test('H03 a CORS preflight is refused', async () => {
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
  for (const origin of ['http://evil.test', running.url]) {
    const reply = await withHeaders(running, '/mcp', { origin, ...asks }, 'OPTIONS');
    expect([403, 405]).toContain(reply.status);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('H04 a body an HTML form could send is refused', async () => {
  const running = await server([]);
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read', arguments: { path: '.' } },
  };
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    '',
  ];
  for (const path of ['/mcp', '/api/v0/tools/read', '/api/v0/list-directory']) {
    for (const type of types) {
      const body = new Blob([JSON.stringify(path === '/mcp' ? call : { path: '.' })]);
      const reply = await running.get(path, {
        method: 'POST',
        body,
        headers: { ...mcpHeaders, 'content-type': type },
      });
      expect([path, type, reply.status]).toEqual([path, type, 415]);
    }
  }
  expect(await (await running.get('/metrics')).text()).not.toContain('oriel_calls_total{');
});

describe('H05 default bind', () => {
  test('accepts only connections from this machine', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4');
    const reached = (host: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(running.port, host);
        socket.once('connect', () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => resolve(false));
      });
    expect(await reached('127.0.0.1')).toBe(true);
    if (outside) expect(await reached(outside.address)).toBe(false);
  });
});

test('H06 a missing, wrong, slightly wrong or very long token', async () => {
  const running = closed;
  const wrong = [
    '',
    'Bearer',
    'Bearer x',
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.slice(0, -1)}f`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${'a'.repeat(10_000)}`,
  ];
  for (const authorization of wrong) {
    const reply = await withHeaders(running, '/mcp', { ...json, authorization });
    expect([authorization.slice(0, 40), reply.status]).toEqual([authorization.slice(0, 40), 401]);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  }
  for (const path of [
    '/api/v0/tools',
    '/api/v0/tasks',
    '/api/v0/live',
    '/openapi.json',
    '/metrics',
    '/nothing',
  ]) {
    expect([path, (await running.get(path)).status]).toEqual([path, 401]);
  }
  // The page that asks for the token; it holds no data.
  for (const path of ['/', '/dashboard.js', '/dashboard.css']) {
    expect([path, (await running.get(path)).status]).toEqual([path, 200]);
  }
  expect((await withHeaders(running, '/mcp', { ...json, authorization: `Bearer ${TOKEN}` })).status).toBe(
    200,
  );
  await alive(running);
});

test('H06 a client without a token finds no OAuth endpoints', async () => {
  const looked = [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/register',
  ];
  for (const path of looked) {
    const reply = await closed.get(path);
    expect([path, reply.status, await reply.json()]).toEqual([
      path,
      404,
      {
        message: 'This server has no OAuth. Its token goes into the header: Authorization: Bearer TOKEN.',
        code: 'NOT_FOUND',
      },
    ]);
  }
});

test('H07 a URL token is refused and never logged', async () => {
  const running = await server([], { env: { ORIEL_TOKEN: TOKEN } });
  for (const path of [`/mcp?access_token=${TOKEN}`, `/api/v0/tools?token=${TOKEN}`, `/nothing/${TOKEN}`]) {
    expect((await running.post(path, mcpList, { headers: mcpHeaders })).status).toBe(401);
  }
  const both = { ...mcpHeaders, authorization: `Bearer ${TOKEN}` };
  expect((await running.post(`/mcp?access_token=${TOKEN}`, mcpList, { headers: both })).status).toBe(401);
  await running.get(`/nothing/${TOKEN}?path=${SECRET}`, { headers: both });
  running.kill('SIGTERM');
  expect(await running.exited).toBe(0);
  expect(running.log()).toContain('"status":404');
  expect(running.log()).not.toContain(TOKEN);
  expect(running.log()).not.toContain(SECRET);
});

test('H17 other methods and unknown paths give 405 and 404', async () => {
  for (const [method, path, status] of [
    ['GET', '/mcp', 405],
    ['PUT', '/mcp', 405],
    ['DELETE', '/mcp', 405],
    ['PATCH', '/mcp', 405],
    ['DELETE', '/api/v0/read-file', 405],
    ['GET', '/api/v0/list-directory', 405],
    ['GET', '/x', 404],
    ['GET', '/api/v0/../../etc/passwd', 404],
    ['GET', '/%2e%2e/etc/passwd', 404],
    ['POST', '/api/v0/tools/nothing', 404],
  ] as const) {
    const reply = await withHeaders(running, path, json, method);
    expect([method, path, reply.status]).toEqual([method, path, status]);
    expect(reply.text).not.toMatch(/\bat \S+ \(|node:|\d+\.\d+\.\d+/);
    expect(reply.headers['server']).toBeUndefined();
    expect(reply.headers['x-powered-by']).toBeUndefined();
  }
});

test('an error is bounded, however many fields are wrong', async () => {
  const { get, post } = running;
  const names = Array.from({ length: 3_000 }, (_, i) => `${'k'.repeat(300)}${i}`);
  const wrong = await post('/api/v0/list-directory', Object.fromEntries(names.map((name) => [name, 1])));
  const twice = await get(
    `/api/v0/read-file?${names
      .slice(0, 50)
      .map((_, i) => `${i}&${i}`)
      .join('&')}`,
  );
  for (const [response, more] of [
    [wrong, /^The body has invalid values\. 2,9\d\d more are not listed\.$/],
    [twice, /^Query parameters have invalid values\. 30 more are not listed\.$/],
  ] as const) {
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text.length).toBeLessThan(20_000);
    const { message, validations } = JSON.parse(text) as { message: string; validations: unknown[] };
    expect(message).toMatch(more);
    expect(validations).toHaveLength(20);
  }
});

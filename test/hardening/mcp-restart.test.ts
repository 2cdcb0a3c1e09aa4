/**
 * Servers behind `mcp://` that fail for a while: the connection to one is not kept when nothing comes over it any more.
 *
 * @module-tag slow
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Called, place } from '../support/dialect.ts';
import { site } from '../support/web.ts';

type Fault = (response: ServerResponse) => void;

/** A server with sessions, which forgets all of them when it is restarted. `fault` answers in its place. */
async function serverWithSessions({ lost = 404 }: { readonly lost?: number } = {}) {
  const here = { sessions: new Set<string>(), begun: 0, fault: undefined as Fault | undefined };
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { resources: {} },
      serverInfo: { name: 'far', version: '1' },
    },
    'resources/list': { resources: [{ uri: 'far://a', name: 'a' }] },
    'resources/templates/list': { resourceTemplates: [] },
    'resources/read': { contents: [{ uri: 'far://a', text: 'from afar\n' }] },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (here.fault) return here.fault(response);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (method === 'initialize') {
      here.begun += 1;
      here.sessions.add(`s${here.begun}`);
      response.setHeader('mcp-session-id', `s${here.begun}`);
    } else if (!here.sessions.has(String(request.headers['mcp-session-id']))) {
      return void response.writeHead(lost).end('Session not found');
    }
    if (id === undefined) return void response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  };
  const { url } = await site({ '/mcp': (request, response) => void answer(request, response) });
  const { call } = place('oriel', { display: 'plain', mcpServers: { far: { url: `${url}/mcp` } } });
  return { here, read: (path: string): Promise<Called> => call('read', { path }) };
}

describe('over HTTP', () => {
  test.each([404, 400])('the same call restarts a session the server lost (%i)', async (lost) => {
    const { here, read } = await serverWithSessions({ lost });
    expect((await read('mcp://far/far://a')).text).toBe('from afar\n');
    here.sessions.clear();
    expect((await read('mcp://far/far://a')).text).toBe('from afar\n');
    here.sessions.clear();
    expect((await read('mcp://far')).text).toBe('mcp://far/far://a  a\n');
    expect(here.begun).toBe(3);
    await Promise.all([read('mcp://far/far://a'), read('mcp://far')]);
    expect(here.begun).toBe(3);
  });

  test('concurrent calls start one new session', async () => {
    const { here, read } = await serverWithSessions();
    await read('mcp://far');
    here.sessions.clear();
    const answers = await Promise.all(Array.from({ length: 5 }, () => read('mcp://far/far://a')));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => 'from afar\n'));
    expect(here.begun).toBe(2);
  });

  test.each<[string, Fault]>([
    ['500', (response) => void response.writeHead(500).end('oops')],
    ['401', (response) => void response.writeHead(401).end()],
    [
      'a page of HTML',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
    ['no answer', (response) => void response.destroy()],
    ['404 for all', (response) => void response.writeHead(404).end()],
  ])('after %s the next call connects again', async (_, fault) => {
    const { here, read } = await serverWithSessions();
    await read('mcp://far/far://a');
    here.fault = fault;
    expect((await read('mcp://far/far://a')).isError).toBe(true);
    here.fault = undefined;
    expect((await read('mcp://far/far://a')).text).toBe('from afar\n');
    expect(here.begun).toBe(2);
  });
});

describe('over stdio', () => {
  function reader(how: string) {
    const server = { command: process.execPath, args: [resolve('test/support/hostile-mcp-server.mjs'), how] };
    const { call } = place('oriel', { display: 'plain', mcpServers: { odd: server } });
    return (path: string): Promise<Called> => call('read', { path });
  }

  test('a hanging server is restarted by the next call', async () => {
    const read = reader('once');
    expect((await read('mcp://odd/x://1')).text).toBe('text\n');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const hung = read('mcp://odd/x://1');
    let isOver = false;
    void hung.then(() => (isOver = true));
    while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect((await hung).details).toMatchObject({ error: { code: 'TIMEOUT' } });
    expect((await read('mcp://odd/x://1')).text).toBe('text\n');
  });

  test('a server that closes its output is ended immediately', async () => {
    const read = reader('mute');
    expect((await read('mcp://odd/x://1')).text).toBe('text\n');
    expect((await read('mcp://odd/x://1')).text).toBe(
      'The MCP server odd answers: Connection closed. Use mcp://odd for its resources.',
    );
    expect((await read('mcp://odd/x://1')).text).toBe('text\n');
  });
});

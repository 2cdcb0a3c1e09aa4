import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient, unwrap } from '../../../src/faces/client/client.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { serveOffer } from '../../support/app.ts';
import { hangingTool, offerOf, testTool } from '../../support/offer.ts';
import { server } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';
import { answering } from '../../support/web.ts';

const TOKEN = 'a-token-of-a-test';

/** A server of one handler, and how often it was asked. */
async function counting(
  handle: (response: ServerResponse, attempt: number, request: IncomingMessage) => void,
): Promise<{ url: string; attempts: () => number }> {
  let attempts = 0;
  const url = await answering((request, response) => {
    attempts += 1;
    handle(response, attempts, request);
  });
  return { url, attempts: () => attempts };
}

test('every route has its method', async () => {
  const { W, write, read } = workspace();
  write('dir/f', 'a\nb\n');
  const running = await server(['--cwd', W], { env: { ORIEL_TOKEN: TOKEN } });
  const client = createClient({ url: running.url, token: TOKEN });
  const path = join(W, 'dir/f');
  expect(await client.readFileLines(path, { offset: 2, limit: 1, maxLineBytes: 100 })).toEqual({
    ok: true,
    value: { success: true, file_size: 4, total_lines: 2, lines_read: 1, content: '2\tb', error: '' },
  });
  const file = unwrap(await client.readFile(path, { offset: 2 }));
  expect({ size: file.size, type: file.type }).toEqual({ size: 2, type: 'application/octet-stream' });
  expect(await new Response(file.body).text()).toBe('b\n');
  expect(unwrap(await client.listDirectory('dir')).contents).toMatchObject([{ name: 'f', is_dir: false }]);
  expect(unwrap(await client.listDirectory()).contents).toMatchObject([{ name: 'dir', is_dir: true }]);
  expect(unwrap(await client.listDirectory(['dir'], { relativity: 'cwd', limit: 1 })).more).toBe(false);
  expect(unwrap(await client.resolvePath(join(W, 'dir/../new')))).toBe(join(W, 'new'));
  expect(unwrap(await client.tools()).tools.map(({ name }) => name)).toContain('read');
  expect(unwrap(await client.callTool('read', { path: 'dir/f' }))).toEqual(
    JSON.parse(JSON.stringify(await read('dir/f'))),
  );
  expect(unwrap(await client.health())).toEqual({ status: 'ok' });
  expect(unwrap(await client.metrics())).toContain('oriel_calls_total{tool="read",outcome="ok"} 1');
  expect(unwrap(await client.openApi())['openapi']).toBe('3.1.0');
});

test('a client with a name is one on every connection', { tags: 'slow' }, async () => {
  const names: unknown[] = [];
  const { url } = await counting((response, _, { headers }) => {
    names.push(headers['oriel-client']);
    response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
  });
  for (const one of [{ name: 'ci' }, { name: 'ci' }, {}, {}]) await createClient({ url, ...one }).health();
  expect(names.slice(0, 2)).toEqual(['ci', 'ci']);
  expect(new Set(names).size).toBe(3);
  for (const name of ['', 'two words', 'a\nb', 'é', 'x'.repeat(201)])
    expect(() => createClient({ url, name })).toThrow(/is not a name of a client/);
});

test('progress arrives before the answer', { tags: 'slow' }, async () => {
  const slow = testTool('slow', async (_input, { onProgress }) => {
    onProgress?.({ message: 'half way', done: 1, total: 2 });
    await new Promise((resolve) => void setTimeout(resolve, 20));
    return textAnswer('done — über\n\nalles');
  });
  const { url } = await serveOffer(offerOf(slow));
  const told: unknown[] = [];
  const answer = await createClient({ url }).callTool(
    'slow',
    {},
    { onProgress: (progress) => void told.push(progress) },
  );
  expect(told).toEqual([{ message: 'half way', done: 1, total: 2 }]);
  expect(unwrap(answer).content).toEqual([{ type: 'text', text: 'done — über\n\nalles' }]);
});

describe('failures are values', () => {
  test('an error, with its code and the wrong parameter', { tags: 'slow' }, async () => {
    const { W } = workspace();
    const running = await server(['--cwd', W], { env: { ORIEL_TOKEN: TOKEN } });
    const client = createClient({ url: running.url, token: TOKEN });
    const refusal = (status: number, code: string, message: string): object => ({
      ok: false,
      error: { kind: 'refused', status, message, code },
    });
    const wants = 'This server wants its token: Authorization: Bearer TOKEN.';
    expect(await createClient({ url: running.url }).tools()).toEqual(refusal(401, 'DENIED', wants));
    const missing = join(W, 'none');
    expect(await client.readFile(missing)).toEqual(
      refusal(404, 'NOT_FOUND', `open ${missing}: file does not exist`),
    );
    expect(await client.readFileLines('', {})).toMatchObject({
      ok: false,
      error: { status: 400, validations: [{ field: 'path', detail: '"path" is required' }] },
    });
    expect(await client.callTool('../read', {})).toMatchObject({ ok: false, error: { status: 404 } });
  });

  test('no response, an invalid response, a truncated response', { tags: 'slow' }, async () => {
    expect(await createClient({ url: `http://127.0.0.1:1`, retries: 0 }).health()).toMatchObject({
      ok: false,
      error: { kind: 'network', message: 'No answer came: fetch failed (bad port).' },
    });
    const html = await counting((response) => void response.end('<html>'));
    expect(await createClient({ url: html.url }).tools()).toEqual({
      ok: false,
      error: { kind: 'protocol', message: 'The answer is not valid JSON.' },
    });
    const broken = await counting((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: progress\ndata: {"message":"x"}\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const call = createClient({ url: broken.url }).callTool('read', {}, { onProgress: () => undefined });
    expect(await call).toMatchObject({ ok: false, error: { kind: 'network' } });
  });

  test('a caller that aborts, which also cancels the work', async () => {
    const { tool, started, stopped } = hangingTool('hang');
    const { url } = await serveOffer(offerOf(tool));
    const stop = new AbortController();
    const call = createClient({ url }).callTool('hang', {}, { signal: stop.signal });
    await started;
    stop.abort();
    expect(await call).toEqual({
      ok: false,
      error: { kind: 'cancelled', message: 'The call was cancelled.' },
    });
    await stopped;
  });
});

describe('read-only requests are retried', () => {
  const flaky = (status: number, headers = {}): ReturnType<typeof counting> =>
    counting((response, attempt) => {
      response.writeHead(attempt < 3 ? status : 200, { 'content-type': 'application/json', ...headers });
      response.end(attempt < 3 ? '{"message":"later"}' : '{"status":"ok"}');
    });

  test.each([429, 502, 503, 504])('after %i', async (status) => {
    const { url, attempts } = await flaky(status, { 'retry-after': '0' });
    expect(unwrap(await createClient({ url }).health())).toEqual({ status: 'ok' });
    expect(attempts()).toBe(3);
  });

  test('after a connection that broke', async () => {
    const { url, attempts } = await counting((response, attempt) => {
      if (attempt === 1) response.destroy();
      else response.end('{"status":"ok"}');
    });
    expect(unwrap(await createClient({ url }).health())).toEqual({ status: 'ok' });
    expect(attempts()).toBe(2);
  });

  test('up to a maximum; never caller errors, never a tool', async () => {
    const failing = { error: { status: 503 } };
    const never = await counting(
      (response) => void response.writeHead(503, { 'retry-after': '0' }).end('{}'),
    );
    expect(await createClient({ url: never.url, retries: 1 }).health()).toMatchObject(failing);
    expect(never.attempts()).toBe(2);
    const refused = await counting((response) => void response.writeHead(404).end('{}'));
    expect(await createClient({ url: refused.url }).health()).toMatchObject({
      error: { status: 404, message: 'The server answered 404.' },
    });
    expect(refused.attempts()).toBe(1);
    const tool = await flaky(503);
    expect(await createClient({ url: tool.url }).callTool('read', {})).toMatchObject(failing);
    expect(tool.attempts()).toBe(1);
  });

  test('a caller that aborts skips the next attempt', async () => {
    const { url, attempts } = await counting(
      (response) => void response.writeHead(503, { 'retry-after': '5' }).end('{}'),
    );
    const stop = new AbortController();
    const call = createClient({ url }).health({ signal: stop.signal });
    await expect.poll(attempts).toBe(1);
    await new Promise((resolve) => void setTimeout(resolve, 50));
    stop.abort();
    expect(await call).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    expect(attempts()).toBe(1);
  });
});

test('tasks: calls name a task, and read its events', { tags: 'slow' }, async () => {
  const { W, write } = workspace();
  const path = write('f', 'a\nb\n');
  const running = await server(['--cwd', W], { env: { ORIEL_TOKEN: TOKEN } });
  const client = createClient({ url: running.url, token: TOKEN });
  const task = 'fix/№1';
  await client.readFileLines(path, { task });
  const answer = unwrap(await client.callTool('read', { path: 'f' }, { task, totals: true }));
  expect(answer.details['task']).toMatchObject({ id: task, calls: 2, redundancy: 0.5 });
  const limit = unwrap(await client.reportRateLimit(task, { retryAfter: 3, by: 'provider' }));
  expect(limit).toEqual({ recorded: true });
  const listed = { operator: false, tasks: [{ id: task, rateLimits: 1 }] };
  expect(unwrap(await client.tasks())).toMatchObject(listed);
  const files = [{ source: 'f', once: 0, again: 2 }];
  expect(unwrap(await client.task(task))).toMatchObject({ id: task, files });
  expect(unwrap(await client.taskEvents(task, { from: 1, limit: 5 }))).toMatchObject({
    total: 3,
    events: [{ tool: 'read' }, { kind: 'rate-limit', retryAfter: 3 }],
  });
  expect(await client.task('other')).toMatchObject({ ok: false, error: { status: 404 } });
});

test('unwrap throws the failure', async () => {
  const client = createClient({ url: 'http://127.0.0.1:1', retries: 0 });
  await expect(client.health().then(unwrap)).rejects.toThrow(/^No answer came: /);
  expect(() => createClient({ url: 'nonsense' })).toThrow(TypeError);
});

test.each(['127.0.0.1:7391', 'localhost:7391', '', 'file:///tmp'])(
  'an address of no server is refused immediately: %j',
  (url) => {
    expect(() => createClient({ url })).toThrow(
      new TypeError(`${JSON.stringify(url)} is not the URL of a server. Use http://127.0.0.1:7345.`),
    );
  },
);

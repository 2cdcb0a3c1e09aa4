/** Tasks over HTTP and MCP: how a call names its task, what a client sees of them, what it reports. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OfferOptions } from '../../../src/faces/offer.ts';
import type { ServeOptions } from '../../../src/faces/http/serve.ts';
import type { TaskTotals, TaskReport } from '../../../src/types/telemetry.ts';
import { serveOffer, openOffer } from '../../support/app.ts';
import { mcpHeaders, mcpMessage, server, initialize } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

interface Listed {
  readonly operator: boolean;
  readonly tasks: readonly (TaskTotals & { client?: string })[];
}

async function serving(options: Partial<OfferOptions> = {}, serve: Partial<ServeOptions> = {}) {
  const { W, write } = workspace();
  write('a.txt', 'one\ntwo\n');
  const offer = openOffer({ cwd: W, manyClients: true, ...options });
  const { url } = await serveOffer(offer, serve);
  const ask = (path: string, { body, ...headers }: Record<string, unknown> = {}): Promise<Response> =>
    fetch(url + path, {
      headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  const read = (headers: Record<string, string> = {}) =>
    ask('/api/v0/tools/read', { body: { path: 'a.txt' }, ...headers }).then((response) => response.json());
  const tasks = async (headers: Record<string, string> = {}): Promise<Listed> =>
    (await ask('/api/v0/tasks', headers)).json() as Promise<Listed>;
  return { W, url, ask, read, tasks };
}

test('a call belongs to its header’s task, else its client’s', async () => {
  const { read, tasks, ask, W } = await serving();
  await read({ 'oriel-task': encodeURIComponent('task №1/2') });
  await read();
  await ask(`/api/v0/read-file-lines?path=${W}/a.txt`);
  const { operator, tasks: list } = await tasks();
  expect(operator).toBe(false);
  expect(list.map(({ id, calls }) => [id.replace(/\w{8}$/, ''), calls])).toEqual([
    ['session-', 2],
    ['task №1/2', 1],
  ]);
  const response = await ask(`/api/v0/tasks/${encodeURIComponent('task №1/2')}`);
  expect(await response.json()).toMatchObject({
    id: 'task №1/2',
    calls: 1,
    files: [{ source: 'a.txt', once: 2 }],
  });
});

test('the events of a task, page by page', async () => {
  const { read, ask } = await serving();
  for (let i = 0; i < 5; i += 1) await read({ 'oriel-task': 't' });
  const page = await (await ask('/api/v0/tasks/t/events?from=3&limit=10')).json();
  expect(page).toMatchObject({
    from: 3,
    total: 5,
    events: [{ tool: 'read', host: 'node' }, { tool: 'read' }],
  });
  expect((await ask('/api/v0/tasks/t/events?from=-1')).status).toBe(400);
});

test('a page of events is bounded; the next continues there', { tags: 'slow' }, async () => {
  const { ask, W, read } = await serving();
  const ranges = Array.from({ length: 16 }, (_, i) => `${2 * i + 1}..${2 * i + 1}`).join(',');
  const names = Array.from({ length: 20 }, (_, i) => `${'long-name-'.repeat(18)}${i}.txt`);
  for (const name of names) writeFileSync(join(W, name), 'x\n'.repeat(40));
  const path = names.map((name) => `${name}:${ranges}`).join(',');
  await read({ 'oriel-task': 't' });
  for (let i = 0; i < 60; i += 1) await ask('/api/v0/tools/read', { body: { path }, 'oriel-task': 't' });
  let [from, seen, most] = [0, 0, 0];
  for (let total = 1; from < total;) {
    const text = await (await ask(`/api/v0/tasks/t/events?from=${from}`)).text();
    const page = JSON.parse(text) as { next: number; total: number; events: unknown[] };
    expect(page.next).toBe(from + page.events.length);
    [from, total, seen, most] = [
      page.next,
      page.total,
      seen + page.events.length,
      Math.max(most, text.length),
    ];
  }
  expect(seen).toBe(61);
  expect(most).toBeLessThan(600 << 10);
});

test.each(['.', '..', ' padded ', 'x'.repeat(300), 'a\u202eb', 'a/b', 'a%2Fb', '100%', 'a?b#c'])(
  'a task is found by its caller’s name: %j',
  async (name) => {
    const { read, ask, tasks } = await serving();
    await read({ 'oriel-task': encodeURIComponent(name) });
    const [{ id } = { id: '' }] = (await tasks()).tasks;
    // As a browser sends it: dots are taken out of the path.
    expect(await (await ask(`/api/v0/tasks/${encodeURIComponent(id)}`)).json()).toMatchObject({
      id,
      calls: 1,
    });
    if (!/^\.+$/.test(name))
      expect(await (await ask(`/api/v0/tasks/${encodeURIComponent(name)}`)).json()).toMatchObject({ id });
  },
);

test('no client sees tasks of another, whatever it asks', async () => {
  const { read, tasks, ask } = await serving();
  const [a, b] = [{ 'oriel-client': 'a' }, { 'oriel-client': 'b' }];
  await read({ ...a, 'oriel-task': 'secret plan' });
  await read({ ...b, 'oriel-task': 'other' });
  expect((await tasks(b)).tasks.map(({ id }) => id)).toEqual(['other']);
  const { client } = (await tasks(a)).tasks[0]!;
  for (const path of ['', '/events', `?client=${client}`]) {
    const response = await ask(`/api/v0/tasks/secret%20plan${path}`, b);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'NOT_FOUND', next: '/api/v0/tasks' },
    ]);
  }
  // What b reports is b's own, under the same name.
  await ask('/api/v0/tasks/secret%20plan/events', { body: { kind: 'rate-limit' }, ...b });
  expect((await tasks(a)).tasks[0]).toMatchObject({ id: 'secret plan', rateLimits: 0 });
});

test('the operator sees all tasks, API clients only theirs', async () => {
  const { read, tasks, ask } = await serving({}, { token: 'api', operatorToken: 'chief' });
  const [api, chief] = [{ authorization: 'Bearer api' }, { authorization: 'Bearer chief' }];
  await read({ ...api, 'oriel-client': 'a', 'oriel-task': 't' });
  await read({ ...api, 'oriel-client': 'b', 'oriel-task': 't' });
  expect(await tasks({ ...api, 'oriel-client': 'c' })).toEqual({
    operator: false,
    lens: true,
    total: 0,
    tasks: [],
    pace: { from: 0, step: 1_000, calls: [] },
  });
  const { operator, tasks: all } = await tasks(chief);
  expect([operator, all.map(({ id }) => id)]).toEqual([true, ['t', 't']]);
  expect(new Set(all.map(({ client }) => client)).size).toBe(2);
  const report = (await (await ask(`/api/v0/tasks/t?client=${all[1]?.client}`, chief)).json()) as TaskReport;
  expect(report.client).toBe(all[1]?.client);
  for (const wrong of [{}, { authorization: 'Bearer chie' }])
    expect((await ask('/api/v0/tasks', wrong)).status).toBe(401);
});

test('a token that is none signs nobody in, also without tokens', async () => {
  const { ask } = await serving();
  const wrong = { authorization: 'Bearer anything' };
  expect((await ask('/api/v0/tasks', wrong)).status).toBe(401);
  // A host that still sends an old one is served.
  expect((await ask('/api/v0/tools', wrong)).status).toBe(200);
});

test('the link that an open server prints is the operator’s', { tags: 'slow' }, async () => {
  const { W } = workspace();
  const open = await server(['--cwd', W]);
  await expect.poll(() => open.out()).toMatch(/^http:\S+\/#token=[\w-]{32}\n$/);
  expect(open.log()).toContain('Whoever opens the link of the dashboard is the operator');
  const [, token = ''] = open.out().trim().split('#token=');
  const listed = async (headers: Record<string, string>): Promise<unknown> =>
    ((await (await open.get('/api/v0/tasks', { headers })).json()) as Listed).operator;
  expect(await listed({ authorization: `Bearer ${token}` })).toBe(true);
  expect(await listed({})).toBe(false);
  const closed = await server(['--cwd', W], { env: { ORIEL_TOKEN: 'of-all' } });
  expect((await closed.get('/healthz')).status).toBe(200);
  expect(closed.out()).toBe('');
});

test('for clients of one name the operator names the client', async () => {
  const { ask, read } = await serving({}, { operatorToken: 'chief' });
  const chief = { authorization: 'Bearer chief' };
  await read({ 'oriel-client': 'a', 'oriel-task': 't' });
  expect((await ask('/api/v0/tasks/t', chief)).status).toBe(200);
  await read({ 'oriel-client': 'b', 'oriel-task': 't' });
  const response = await ask('/api/v0/tasks/t/events', chief);
  const { message, next } = (await response.json()) as { message: string; next: string };
  expect([response.status, message]).toEqual([
    400,
    `Several clients have a task of that name. Name one of them: GET ${next}.`,
  ]);
  expect((await ask(next, chief)).status).toBe(200);
});

test('a call in the lens is counted like any other', async () => {
  const { ask, tasks } = await serving();
  for (const path of ['a.txt', 'missing']) await ask('/api/v0/lens', { body: { dialect: 'zed', path } });
  expect((await tasks()).tasks).toMatchObject([{ id: 'lens', calls: 2, errors: 1 }]);
  const metrics = await (await ask('/metrics')).text();
  for (const line of [
    'oriel_calls_total{tool="read_file",outcome="ok"} 1',
    'oriel_calls_total{tool="read_file",outcome="error"} 1',
    'oriel_errors_total{tool="read_file",code="NOT_FOUND"} 1',
    'oriel_call_duration_seconds_count{tool="read_file"} 2',
  ])
    expect(metrics).toContain(`${line}\n`);
});

test('rate limits are reported; invalid ones are refused', async () => {
  const { ask, tasks } = await serving();
  const report = (body: unknown) => ask('/api/v0/tasks/t/events', { body });
  expect((await report({ kind: 'rate-limit', retry_after: 20, by: 'the provider' })).status).toBe(202);
  expect((await tasks()).tasks).toMatchObject([{ id: 't', calls: 0, rateLimits: 1 }]);
  for (const wrong of [
    {},
    { kind: 'call' },
    { kind: 'rate-limit', retry_after: -1 },
    { kind: 'rate-limit', more: 1 },
  ])
    expect((await report(wrong)).status).toBe(400);
  expect((await tasks()).tasks[0]?.rateLimits).toBe(1);
});

// Only the session reports to the task over HTTP.
test('over MCP _meta names the task and requests totals', async () => {
  const { ask } = await serving();
  const post = (message: object, headers: Record<string, string> = {}) =>
    ask('/mcp', { ...mcpHeaders, ...headers, body: { jsonrpc: '2.0', id: 1, ...message } });
  const hello = await post(initialize('2025-11-25', 'tester'));
  await hello.text();
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
  const limit = (headers: Record<string, string>) =>
    ask('/api/v0/tasks/t/events', { body: { kind: 'rate-limit' }, ...headers });
  expect((await limit(session)).status).toBe(202);
  expect((await limit({ 'mcp-session-id': 'another' })).status).toBe(404);
  const _meta = {
    'io.github.oriel/task': 't',
    'io.github.oriel/totals': true,
    'io.github.oriel/details': true,
  };
  const params = { name: 'read', arguments: { path: 'a.txt' }, _meta };
  const { result } = (await mcpMessage(await post({ method: 'tools/call', params }, session))) as {
    result: { _meta: Record<string, { task: TaskTotals }> };
  };
  expect(result._meta['io.github.oriel/details']?.task).toMatchObject({ id: 't', calls: 1, rateLimits: 1 });
  expect(await (await ask('/api/v0/tasks/t', session)).json()).toMatchObject({ hosts: { tester: 1 } });
  expect((await ask('/api/v0/tasks/t')).status).toBe(404);
});

test('over HTTP a header requests totals', async () => {
  const { read } = await serving();
  const { details } = (await read({ 'oriel-task': 't', 'oriel-totals': '1' })) as {
    details: { task: TaskTotals };
  };
  expect(details.task).toMatchObject({ id: 't', calls: 1, bytes: 12 });
});

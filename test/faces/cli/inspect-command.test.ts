/** `oriel inspect`: what it prints, who gets in, what it says of a file, and that it reads on while the file grows. */

import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../support/cli.ts';
import { inspection } from '../../support/inspection.ts';
import { call, page } from '../../support/telemetry.ts';
import { temporaryFolder } from '../../support/commands.ts';

const lineOf = (event: object): string => `${JSON.stringify(event)}\n`;

function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'calls.jsonl');
  writeFileSync(path, text);
  return path;
}

const list = async (shown: Awaited<ReturnType<typeof inspection>>): Promise<Record<string, unknown>> =>
  (await shown.ask('/api/v0/tasks')).json() as Promise<Record<string, unknown>>;

test('prints a URL and a summary, and ends on SIGINT', async () => {
  const path = fileWith(
    `${lineOf(page(1, 100))}torn {\n\n${'x'.repeat(100_000)}\n${lineOf(call({ task: 'other' }))}`,
  );
  const shown = await inspection([path]);
  expect(shown.out()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}\n$/);
  expect(shown.err()).toBe(`oriel: ${path}: 2 events; 2 lines are not events\n`);
  expect(await list(shown)).toMatchObject({
    operator: true,
    lens: false,
    total: 2,
    tasks: [{ id: 'other' }, { id: 'task', calls: 1, bytes: 10_000 }],
    file: { name: 'calls.jsonl', events: 2, skipped: 2, withoutReads: 0 },
  });
  expect(await shown.end()).toBe(0);
});

test('as JSON: one line', async () => {
  const path = fileWith('');
  const shown = await inspection(['--json', path]);
  expect(JSON.parse(shown.out())).toEqual({ url: `${shown.page}/#token=${shown.token}`, file: path });
});

test('H26 access needs the token and comes from no other site', async () => {
  const shown = await inspection([fileWith(lineOf(call()))]);
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(shown.page + path, { headers });
  expect((await ask('/')).status).toBe(200);
  expect((await ask('/api/v0/tasks')).status).toBe(401);
  expect((await ask('/api/v0/live')).status).toBe(401);
  expect((await ask('/api/v0/tasks?token=x')).status).toBe(401);
  expect((await shown.ask('/api/v0/tasks', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  // Nothing else is there.
  const routes = ['lens', 'tools', 'read-file?path=/etc/passwd'].map((route) => `/api/v0/${route}`);
  for (const path of [...routes, '/mcp', '/metrics']) expect((await shown.ask(path)).status).toBe(404);
  expect((await shown.ask('/api/v0/tasks', { method: 'POST', body: '{}' })).status).toBe(405);
});

test('new lines are read after rotation too, incomplete ones later', async () => {
  const path = fileWith(lineOf(page(1, 100)));
  writeFileSync(`${path}.1`, lineOf(call({ task: 'before' })));
  const shown = await inspection([path]);
  const calls = async () => (await list(shown))['file'] as { events: number; skipped: number };
  expect(await calls()).toMatchObject({ events: 2, skipped: 0 });
  const late = lineOf(page(101, 200, { cutBy: 'bytes' }));
  appendFileSync(path, late.slice(0, 40));
  appendFileSync(path, late.slice(40));
  await expect.poll(calls).toMatchObject({ events: 3, skipped: 0 });
  rmSync(`${path}.1`);
  renameSync(path, `${path}.1`);
  writeFileSync(path, lineOf(page(201, 300)).trimEnd());
  await expect.poll(calls).toMatchObject({ events: 4, skipped: 0 });
  appendFileSync(path, '\n');
  const events = await (await shown.ask('/api/v0/tasks/task/events?from=1')).json();
  expect(events).toMatchObject({
    from: 1,
    next: 3,
    total: 3,
    events: [{ reads: [{ lines: [[101, 200]] }] }, { reads: [{ lines: [[201, 300]] }] }],
  });
  expect(await calls()).toMatchObject({ events: 4, skipped: 0 });
});

test('an emptied or replaced file is read from its start', { tags: 'slow' }, async () => {
  const path = fileWith(lineOf(page(1, 100)).repeat(20));
  writeFileSync(`${path}.1`, lineOf(call({ task: 'before' })));
  const shown = await inspection([path]);
  const events = async () => ((await list(shown))['file'] as { events: number }).events;
  const tools = async (task: string): Promise<unknown[]> => {
    const page = (await (await shown.ask(`/api/v0/tasks/${task}/events`)).json()) as {
      events: { tool: string }[];
    };
    return page.events.map(({ tool }) => tool);
  };
  writeFileSync(path, lineOf(call({ tool: 'anew' })));
  await expect.poll(events).toBe(22);
  // Those of before are still shown.
  const before = Array.from({ length: 20 }, () => 'read');
  expect(await tools('task')).toEqual([...before, 'anew']);
  expect(await tools('before')).toEqual(['read']);
  appendFileSync(path, lineOf(call({ tool: 'more' })));
  await expect.poll(events).toBe(23);
  rmSync(path);
  mkdirSync(path);
  rmdirSync(path);
  writeFileSync(path, lineOf(call({ tool: 'again' })));
  await expect.poll(events).toBe(24);
  expect(await tools('task')).toEqual([...before, 'anew', 'more', 'again']);
});

test('unreadable files and used ports fail with one sentence', { tags: 'slow' }, async () => {
  const path = fileWith('');
  expect(run(['inspect', `${path}x`]).err).toBe(
    `oriel: ${path}x does not exist. Use oriel inspect FILE with a file that --telemetry FILE wrote.\n`,
  );
  expect(run(['inspect', '/dev']).code).toBe(2);
  expect(run(['inspect', '/dev/null']).err).toContain('is not a file of telemetry');
  expect(run(['inspect']).code).toBe(2);
  expect(run(['inspect', path, '--port', '99999']).err).toBe(
    'oriel: --port takes a port, not 99999. Use --port 8080.\n',
  );
  const shown = await inspection([path]);
  expect(run(['inspect', path, '--port', new URL(shown.page).port]).err).toMatch(
    /EADDRINUSE\. Another process listens there\. Use another address with --port\.\n$/,
  );
});

import { type ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createFleet } from '../../../src/faces/client/fleet.ts';
import { answering } from '../../support/web.ts';

afterEach(() => void vi.useRealTimers());

/** A server that holds every request until it is told to answer. */
async function holding(): Promise<{ url: string; open: ServerResponse[]; most: () => number }> {
  const open: ServerResponse[] = [];
  let most = 0;
  const url = await answering((_, response) => {
    open.push(response);
    most = Math.max(most, open.length);
  });
  return { url, open, most: () => most };
}

const answer = (response: ServerResponse | undefined): void => void response?.end('{"status":"ok"}');

test('requests are bounded; a hanging workspace leaves room for others', async () => {
  const [one, two, three] = [await holding(), await holding(), await holding()];
  const fleet = createFleet({
    workspaces: { one: { url: one.url }, two: { url: two.url }, three: { url: three.url } },
    concurrency: 5,
    perWorkspace: 2,
    timeoutMs: 60_000,
  });
  const asked = ['one', 'one', 'one', 'two', 'two', 'three', 'three'].map((name) =>
    fleet.client(name)?.health(),
  );
  await expect.poll(() => [one, two, three].map(({ open }) => open.length)).toEqual([2, 2, 1]);
  expect(fleet.report().map(({ name, running, waiting }) => [name, running, waiting])).toEqual([
    ['one', 2, 1],
    ['two', 2, 0],
    ['three', 1, 1],
  ]);
  // The first hangs; what the others give back is theirs to take.
  two.open.splice(0).forEach(answer);
  three.open.splice(0).forEach(answer);
  await expect.poll(() => three.open.length).toBe(1);
  three.open.splice(0).forEach(answer);
  expect(await Promise.all(asked.slice(3))).toEqual(
    asked.slice(3).map(() => ({ ok: true, value: { status: 'ok' } })),
  );
  expect(one.most()).toBe(2);
  one.open.splice(0).forEach(answer);
  await expect.poll(() => one.open.length).toBe(1);
  one.open.splice(0).forEach(answer);
  await Promise.all(asked);
  expect(fleet.report()[0]).toMatchObject({
    name: 'one',
    url: one.url,
    requests: 3,
    failed: 0,
    running: 0,
    waiting: 0,
    bytes: 45,
  });
});

test('requests beyond the queue of a workspace are refused immediately', async () => {
  const slow = await holding();
  const fleet = createFleet({
    workspaces: { slow: { url: slow.url, retries: 0 } },
    perWorkspace: 1,
    waiting: 1,
    timeoutMs: 60_000,
  });
  const client = fleet.client('slow');
  const first = [client?.health(), client?.health()];
  await expect.poll(() => fleet.report()[0]?.waiting).toBe(1);
  expect(await client?.health()).toEqual({
    ok: false,
    error: { kind: 'network', message: 'No answer came: 1 other requests wait for it.' },
  });
  await expect.poll(() => slow.open.length).toBe(1);
  answer(slow.open[0]);
  await expect.poll(() => slow.open.length).toBe(2);
  answer(slow.open[1]);
  await Promise.all(first);
});

test('three failures pause a workspace, then one request tries it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let sent = 0;
  let alive = false;
  const fetch: typeof globalThis.fetch = () => {
    sent += 1;
    return alive
      ? Promise.resolve(new Response('{"status":"ok"}'))
      : Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }));
  };
  const fleet = createFleet({ workspaces: { dev: { url: 'http://dev.example', retries: 0, fetch } } });
  const ask = async (): Promise<boolean | undefined> => (await fleet.client('dev')?.health())?.ok;
  for (let i = 0; i < 3; i += 1) expect(await ask()).toBe(false);
  expect(fleet.report()[0]).toMatchObject({ requests: 3, failed: 3, away: 'ECONNREFUSED' });
  for (let i = 0; i < 5; i += 1) expect(await ask()).toBe(false);
  expect(sent).toBe(3);
  vi.advanceTimersByTime(250);
  expect(await Promise.all([ask(), ask()])).toEqual([false, false]);
  expect(sent).toBe(4);
  vi.advanceTimersByTime(499);
  await ask();
  expect(sent).toBe(4);
  alive = true;
  vi.advanceTimersByTime(1);
  expect(await ask()).toBe(true);
  expect(fleet.report()[0]?.away).toBeUndefined();
  expect(await ask()).toBe(true);
});

test('workspaces are asked concurrently; failures come beside the others’ answers', async () => {
  const good = await holding();
  const fleet = createFleet({
    workspaces: {
      good: { url: good.url, token: 'of-good' },
      gone: { url: 'http://127.0.0.1:1', retries: 0 },
    },
  });
  const all = fleet.each((client) => client.health(), ['gone', 'good', 'unknown']);
  await expect.poll(() => good.open.length).toBe(1);
  expect(good.open[0]?.req.headers.authorization).toBe('Bearer of-good');
  answer(good.open[0]);
  expect((await all).map(({ name, result }) => [name, result.ok ? result.value : result.error.kind])).toEqual(
    [
      ['gone', 'network'],
      ['good', { status: 'ok' }],
      ['unknown', 'protocol'],
    ],
  );
});

test('a question that throws fails for its workspace only', async () => {
  const good = await holding();
  const fleet = createFleet({ workspaces: { one: { url: good.url }, two: { url: good.url } } });
  const answers = await fleet.each(async (_, name) => {
    if (name === 'one') throw new Error('not as expected');
    return { ok: true, value: name };
  });
  expect(answers.map(({ result }) => (result.ok ? result.value : result.error))).toEqual([
    { kind: 'protocol', message: 'not as expected' },
    'two',
  ]);
});

test('a body that stalls or stays unread releases its slot', async () => {
  const slow = await holding();
  const fleet = createFleet({
    workspaces: { dev: { url: slow.url, retries: 0 } },
    perWorkspace: 1,
    timeoutMs: 5_000,
  });
  const file = fleet.client('dev')?.readFile('/f');
  await expect.poll(() => slow.open.length).toBe(1);
  slow.open[0]?.writeHead(200).write('a part');
  expect((await file)?.ok).toBe(true);
  const next = fleet.client('dev')?.health();
  await expect.poll(() => slow.open.length).toBe(2);
  answer(slow.open[1]);
  expect((await next)?.ok).toBe(true);
});

test('a caller that reads slowly does not fail the workspace', async () => {
  const slow = await holding();
  const fleet = createFleet({ workspaces: { dev: { url: slow.url, retries: 0 } }, timeoutMs: 5_000 });
  for (let i = 0; i < 4; i += 1) {
    const file = fleet.client('dev')?.readFile('/f');
    await expect.poll(() => slow.open.length).toBe(i + 1);
    slow.open[i]?.writeHead(200).write('a part');
    expect((await file)?.ok).toBe(true);
  }
  await expect.poll(() => fleet.report()[0]?.running).toBe(0);
  expect(fleet.report()[0]).toMatchObject({ failed: 0, running: 0 });
  expect(fleet.report()[0]).toEqual(expect.not.objectContaining({ away: expect.anything() }));
  // A workspace that stops in the middle of a body that is read has failed.
  const stopped = await (async () => {
    const file = fleet.client('dev')?.readFile('/f');
    await expect.poll(() => slow.open.length).toBe(5);
    slow.open[4]?.writeHead(200).write('a part');
    return file;
  })();
  if (!stopped?.ok) throw new Error('no answer');
  await expect(new Response(stopped.value.body).text()).rejects.toThrow();
  expect(fleet.report()[0]).toMatchObject({ failed: 1 });
});

test('no redirect is followed', async () => {
  const elsewhere = await holding();
  const url = await answering((_, response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  const fleet = createFleet({ workspaces: { dev: { url, retries: 0 } } });
  expect(await fleet.client('dev')?.tools()).toMatchObject({
    ok: false,
    error: { kind: 'refused', status: 307 },
  });
  expect(elsewhere.open).toEqual([]);
});

test.each(['dev:7345', 'http://h/?at=ws1', 'http://h/#ws1', 'http://user:secret@h/'])(
  '%s is refused',
  (url) => {
    expect(() => createFleet({ workspaces: { dev: { url } } })).toThrow(TypeError);
  },
);

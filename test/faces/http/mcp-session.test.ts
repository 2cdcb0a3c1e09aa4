import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/oriel.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { type AppUnderTest, serveOffer } from '../../support/app.ts';
import { offerOf, testTool } from '../../support/offer.ts';
import { mcpHeaders, postTo, initialize, modernMeta } from '../../support/server.ts';

interface Job {
  readonly name: string;
  readonly signal: AbortSignal;
  end(): void;
}

/** A tool whose calls end when the test says so. */
function jobs(): { tool: Tool; begun: Job[]; begin: (count: number) => Promise<void> } {
  const begun: Job[] = [];
  const tool = testTool(
    'job',
    (input, { signal }) =>
      new Promise((resolve) => {
        const { name } = input as { name: string };
        begun.push({ name, signal: signal as AbortSignal, end: () => resolve(textAnswer(name)) });
      }),
  );
  const begin = async (count: number): Promise<void> =>
    expect.poll(() => begun.length).toBeGreaterThanOrEqual(count);
  return { tool, begun, begin };
}

const call = (id: string | number, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'job', arguments: { name } },
});

const cancelled = (requestId: string | number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

type Post = (body: object, signal?: AbortSignal) => Promise<Response>;

async function open({ url }: AppUnderTest): Promise<Post> {
  let headers: Record<string, string> = mcpHeaders;
  const post: Post = (body, signal) => postTo(url, headers)('/mcp', body, { ...(signal && { signal }) });
  const hello = await post(initialize('2025-03-26'));
  await hello.text();
  const id = hello.headers.get('mcp-session-id') ?? '';
  headers = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-03-26' };
  return post;
}

/** `[id, text]` of each answer, in the order in which they came. */
async function answersIn(response: Response | Promise<Response>): Promise<unknown[][]> {
  const text = await (await response).text();
  const data = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => json as string);
  return (data.length > 0 ? data : [text]).filter(Boolean).map((json) => {
    const { id, result, error } = JSON.parse(json) as {
      id: unknown;
      result?: { content: { text: string }[] };
      error?: { code: number };
    };
    return [id, result ? result.content[0]?.text : error?.code];
  });
}

async function serving(): Promise<{ post: Post; another: () => Promise<Post> } & ReturnType<typeof jobs>> {
  const made = jobs();
  const app = await serveOffer(offerOf(made.tool));
  return { ...made, post: await open(app), another: () => open(app) };
}

test('of concurrent POSTs with one id, one gets its answer', async () => {
  const { post, begun, begin } = await serving();
  const all = Array.from({ length: 20 }, (_, i) => answersIn(post(call('same', `job ${i}`))));
  await begin(1);
  const refused = await Promise.any(all);
  expect(refused).toEqual([['same', -32600]]);
  while (begun.length < 2 && (await settled(all)) < 19) await new Promise((r) => void setTimeout(r, 5));
  begun[0]?.end();
  const answers = (await Promise.all(all)).flat();
  expect(begun).toHaveLength(1);
  expect(answers.filter(([, text]) => text !== -32600)).toEqual([['same', begun[0]?.name]]);
});

async function settled(all: readonly Promise<unknown>[]): Promise<number> {
  let count = 0;
  for (const one of all) void one.then(() => (count += 1));
  await new Promise((resolve) => void setImmediate(resolve));
  return count;
}

test('0 and "0" are two ids, free after their answers', async () => {
  const { post, begun, begin } = await serving();
  const both = [answersIn(post(call(0, 'number'))), answersIn(post(call('0', 'string')))];
  await begin(2);
  await post(cancelled('1'));
  expect(begun.some(({ signal }) => signal.aborted)).toBe(false);
  for (const { end } of begun) end();
  expect((await Promise.all(both)).flat()).toEqual([
    [0, 'number'],
    ['0', 'string'],
  ]);
  const again = answersIn(post(call(0, 'again')));
  await begin(3);
  begun[2]?.end();
  expect(await again).toEqual([[0, 'again']]);
});

test('a client that disconnects cancels only its own request', async () => {
  const { post, begun, begin } = await serving();
  const stop = new AbortController();
  const left = post(call(1, 'left'), stop.signal)
    .then((response) => response.text())
    .catch(() => 'gone');
  const stays = answersIn(post(call(2, 'stays')));
  await begin(2);
  // Refused: its end is not that of the request whose id it used.
  const refused = new AbortController();
  await (await post(call(2, 'refused'), refused.signal)).text();
  refused.abort();
  stop.abort();
  expect(await left).toBe('gone');
  const [gone, kept] = ['left', 'stays'].map((name) => begun.find((job) => job.name === name) as Job);
  await expect.poll(() => gone?.signal.aborted).toBe(true);
  expect(kept?.signal.aborted).toBe(false);
  const reused = answersIn(post(call(1, 'reused')));
  await begin(3);
  gone?.end();
  begun[2]?.end();
  kept?.end();
  expect([await reused, await stays]).toEqual([[[1, 'reused']], [[2, 'stays']]]);
});

// Its stream ends without an answer.
test('a notification cancels only the request of its own session', async () => {
  const { post, another, begun, begin } = await serving();
  const other = await another();
  const mine = answersIn(post(call(1, 'mine')));
  await begin(1);
  const theirs = answersIn(other(call(1, 'theirs')));
  await begin(2);
  expect((await other(cancelled(1))).status).toBe(202);
  expect(await theirs).toEqual([]);
  expect(begun.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  const reused = answersIn(other(call(1, 'reused')));
  await begin(3);
  begun[1]?.end();
  begun[2]?.end();
  begun[0]?.end();
  expect([await mine, await reused]).toEqual([[[1, 'mine']], [[1, 'reused']]]);
});

test('a batch answers each request once, except a cancelled one', async () => {
  const { post, begun, begin } = await serving();
  const batch = answersIn(post([call(1, 'one'), call(2, 'two'), call(3, 'three')]));
  await begin(3);
  await post(cancelled(2));
  begun[2]?.end();
  begun[0]?.end();
  expect((await batch).toSorted()).toEqual([
    [1, 'one'],
    [3, 'three'],
  ]);
  const again = answersIn(post([call(2, 'two again'), call(3, 'three again')]));
  await begin(5);
  begun[4]?.end();
  begun[1]?.end();
  begun[3]?.end();
  expect((await again).toSorted()).toEqual([
    [2, 'two again'],
    [3, 'three again'],
  ]);
});

describe('clients that send other headers and forms', () => {
  const accepts: [string, string][] = [
    ['*/*', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['', 'text/event-stream'],
  ];

  test.each(accepts)('who accepts "%s" gets %s', async (accept, type) => {
    const app = await serveOffer(offerOf(testTool('job', () => Promise.resolve(textAnswer('done')))));
    const send = (body: object): Promise<Response> => app.post('/mcp', body, { headers: { accept } });
    const response = await send(call(1, 'x'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(await answersIn(response)).toEqual([[1, 'done']]);
    if (accept !== 'application/json') return;
    const batch = (await (await send([call(1, 'x'), call(2, 'y')])).json()) as { id: number }[];
    expect(batch.map(({ id }) => id)).toEqual([1, 2]);
  });

  test('who accepts only a stream gets one in the newest protocol', async () => {
    const app = await serveOffer(offerOf(testTool('job', () => Promise.resolve(textAnswer('done')))));
    const params = { name: 'job', arguments: {}, _meta: modernMeta };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = {
      accept: 'text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'job',
    };
    const response = await app.post('/mcp', body, { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await answersIn(response)).toEqual([[1, 'done']]);
  });

  test('whose session is gone initializes a new one', async () => {
    const app = await serveOffer(offerOf());
    const headers = { ...mcpHeaders, 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
    const response = await app.post('/mcp', initialize('2025-03-26'), { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).not.toBe(headers['mcp-session-id']);
    expect((await app.post('/mcp', call(1, 'x'), { headers })).status).toBe(404);
  });

  test('null for parameters is none, and an id is never rounded', async () => {
    const app = await serveOffer(offerOf());
    const list = await app.post('/mcp', { jsonrpc: '2.0', id: 9, method: 'tools/list', params: null });
    expect(list.status).toBe(200);
    const large = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = '\u{feff}{"jsonrpc":"2.0","id":1915883588174806058,"method":"ping"}';
    const response = await fetch(`${app.url}/mcp`, { ...large, body });
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

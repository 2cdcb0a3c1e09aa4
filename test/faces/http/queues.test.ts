import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/faces/client/client.ts';
import type { Tool } from '../../../src/oriel.ts';
import type { QueueSlot } from '../../../src/queues/queue.ts';
import { queues } from '../../../src/queues/queue-table.ts';
import { textAnswer } from '../../../src/render/notices.ts';
import { type AppUnderTest, serveOffer, openOffer } from '../../support/app.ts';
import { offerOf, testTool } from '../../support/offer.ts';
import { mcpHeaders, mcpMessage, postTo, initialize } from '../../support/server.ts';
import { workspace } from '../../support/workspace.ts';

const BYTES = Buffer.alloc(24 << 20, 'twenty-four megabytes are more than sockets hold; ');

let app: AppUnderTest;
let W: string;

beforeEach(async () => {
  const { write, ...rest } = workspace();
  ({ W } = rest);
  write('a.txt', 'one\n');
  write('large.bin', BYTES);
  const offer = openOffer({ cwd: W });
  app = await serveOffer(offer);
});

const get = (route: string, path: string, client = 'test'): Promise<Response> =>
  fetch(`${app.url}/api/v0/${route}?path=${encodeURIComponent(join(W, path))}`, {
    headers: { 'oriel-client': client },
  });

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** One call at a time, for the length of a test. */
function oneCall(): void {
  const { limit } = queues.calls;
  queues.calls.limit = 1;
  onTestFinished(() => void (queues.calls.limit = limit));
}

async function metrics(): Promise<string[]> {
  return (await (await fetch(`${app.url}/metrics`)).text()).split('\n');
}

test('many requests of one client do not delay another', async () => {
  oneCall();
  const held = queues.calls.acquire() as QueueSlot;
  const order: string[] = [];
  const ask = async (route: string, client: string): Promise<void> => {
    const response = await get(route, 'a.txt', client);
    order.push(client);
    await response.arrayBuffer();
  };
  const busy = Array.from({ length: 12 }, (_, i) =>
    ask(['read-file-lines', 'read-file', 'resolve-path'][i % 3] as string, 'busy'),
  );
  await expect.poll(() => queues.calls.waiting).toBe(12);
  const other = ask('read-file-lines', 'other');
  await expect.poll(() => queues.calls.waiting).toBe(13);
  held.release();
  await Promise.all([...busy, other]);
  // One of the first client may have been served before it, and another be answered first.
  expect(order.indexOf('other')).toBeLessThan(4);
});

test('clients without a name are distinguished by their programs', async () => {
  oneCall();
  const held = queues.calls.acquire() as QueueSlot;
  const order: string[] = [];
  const ask = async (program: string): Promise<void> => {
    const headers = { 'user-agent': program };
    const response = await app.post('/api/v0/tools/read', { path: 'a.txt' }, { headers });
    order.push(program);
    await response.arrayBuffer();
  };
  const calls = Array.from({ length: 12 }, () => ask('busy/1'));
  await expect.poll(() => queues.calls.waiting).toBe(12);
  calls.push(ask('other/1'));
  await expect.poll(() => queues.calls.waiting).toBe(13);
  held.release();
  await Promise.all(calls);
  expect(order.indexOf('other/1')).toBeLessThan(4);
});

test('every route that reads files is counted as a call', async () => {
  await get('read-file-lines', 'a.txt');
  await get('read-file-lines', 'none.txt');
  await bytesOf(await get('read-file', 'a.txt'));
  await get('read-file', 'none.txt');
  await get('resolve-path', 'a.txt');
  await fetch(`${app.url}/api/v0/list-directory`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const lines = await metrics();
  for (const line of [
    'oriel_calls_total{tool="read-file-lines",outcome="ok"} 1',
    'oriel_calls_total{tool="read-file-lines",outcome="error"} 1',
    'oriel_errors_total{tool="read-file-lines",code="NOT_FOUND"} 1',
    'oriel_calls_total{tool="read-file",outcome="ok"} 1',
    'oriel_answer_bytes_total{tool="read-file"} 4',
    'oriel_errors_total{tool="read-file",code="NOT_FOUND"} 1',
    'oriel_calls_total{tool="resolve-path",outcome="ok"} 1',
    'oriel_calls_total{tool="list-directory",outcome="ok"} 1',
    'oriel_queue_limit{queue="calls"} 64',
    'oriel_queue_running{queue="calls"} 0',
    'oriel_queue_waiting{queue="images"} 0',
    'oriel_queue_refused_total{queue="downloads"} 0',
    '# TYPE oriel_queue_waiting gauge',
  ]) {
    expect(lines).toContain(line);
  }
});

test('routes that read answer 503 with Retry-After when full', { tags: 'slow' }, async () => {
  const held = await Promise.all(
    Array.from({ length: queues.calls.limit }, () => queues.calls.acquire({ caller: {} })),
  );
  // Each is another caller: none has more than the client of this test is about to have.
  const waiting = Array.from({ length: 8192 }, async () =>
    (await queues.calls.acquire({ caller: {} })).release(),
  );
  for (const route of ['read-file-lines', 'read-file', 'resolve-path']) {
    const response = await get(route, 'a.txt');
    expect([route, response.status, response.headers.get('retry-after')]).toEqual([route, 503, '1']);
    expect(await response.json()).toEqual({
      code: 'BUSY',
      message:
        'Too many calls wait: 64 calls run at a time and 8192 wait already. Make the same call again in a moment.',
    });
  }
  for (const slot of held) slot.release();
  await Promise.all(waiting);
});

test('a client that disconnects leaves nothing of its download open', async () => {
  const stop = new AbortController();
  const path = encodeURIComponent(join(W, 'large.bin'));
  const slow = await fetch(`${app.url}/api/v0/read-file?path=${path}`, { signal: stop.signal });
  await (slow.body as ReadableStream<Uint8Array>).getReader().read();
  stop.abort();
  await expect.poll(() => queues.downloads.stats.running).toBe(0);
  await expect.poll(metrics).toContain('oriel_errors_total{tool="read-file",code="CANCELLED"} 1');
});

describe('callers', () => {
  /** Who each call was for, as numbers in the order in which they came. */
  function recording(): { tool: Tool; callers: () => number[] } {
    const seen: (object | undefined)[] = [];
    const tool = testTool('who', (_input, { caller }) => {
      seen.push(caller);
      return Promise.resolve(textAnswer('noted'));
    });
    return { tool, callers: () => seen.map((caller) => seen.indexOf(caller)) };
  }

  const callWho = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'who', arguments: {} },
  });

  test('an MCP session is one caller, whatever its program', async () => {
    const { tool, callers } = recording();
    const { url } = await serveOffer(offerOf(tool));
    const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
      postTo(url, mcpHeaders)('/mcp', body, { headers });
    const open = async (): Promise<Record<string, string>> => {
      const opened = await post(initialize('2025-06-18'));
      await opened.text();
      return { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
    };
    const [one, two] = [await open(), await open()];
    for (const [id, session] of [one, two, one, two].entries())
      await mcpMessage(await post(callWho(id + 1), session));
    // Without a session: by the program.
    for (const id of [1, 2]) await mcpMessage(await post(callWho(id), { 'user-agent': 'a/1' }));
    await mcpMessage(await post(callWho(3), { 'user-agent': 'b/1' }));
    expect(callers()).toEqual([0, 1, 0, 1, 4, 4, 6]);
  });

  test('a typed client is one caller, over all its connections', async () => {
    const { tool, callers } = recording();
    const { url } = await serveOffer(offerOf(tool));
    const [one, two] = [createClient({ url }), createClient({ url })];
    await Promise.all([one.callTool('who', {}), one.callTool('who', {})]);
    await Promise.all([two.callTool('who', {}), two.callTool('who', {})]);
    expect(callers()).toEqual([0, 0, 2, 2]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConversation } from '../../src/process/worker-threads.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oriel-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function script(name: string, body: string): Promise<URL> {
  const path = join(folder, name);
  await writeFile(path, `import { parentPort, workerData } from 'node:worker_threads';\n${body}`);
  return pathToFileURL(path);
}

test('messages arrive in order, also those sent before anyone waits', async () => {
  const echo = await script(
    'echo.mjs',
    "for (const word of workerData) parentPort.postMessage(word);\nparentPort.on('message', (m) => parentPort.postMessage(m));",
  );
  const worker = startConversation({
    entry: echo,
    data: ['a', 'b'],
    heapMb: 32,
    signal: new AbortController().signal,
  });
  expect(await worker.next()).toBe('a');
  worker.post('c');
  expect(await worker.next()).toBe('b');
  expect(await worker.next()).toBe('c');
  await worker.end();
  await expect(worker.next()).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('a worker that never answers ends with its call', async () => {
  const spin = await script('spin.mjs', "parentPort.postMessage('on');\nfor (;;);");
  const stop = new AbortController();
  const worker = startConversation({ entry: spin, data: undefined, heapMb: 32, signal: stop.signal });
  expect(await worker.next()).toBe('on');
  const waiting = worker.next();
  stop.abort(new Error('time is up'));
  await expect(waiting).rejects.toThrow('time is up');
  await worker.end();
});

test('a worker that swells ends with LIMIT, this process continues', async () => {
  const swell = await script(
    'swell.mjs',
    'const held = [];\nfor (;;) held.push(Array.from({ length: 1e5 }, () => ({})));',
  );
  const worker = startConversation({
    entry: swell,
    data: undefined,
    heapMb: 16,
    signal: new AbortController().signal,
  });
  await expect(worker.next()).rejects.toMatchObject({ code: 'LIMIT' });
  await worker.end();
});

test('a rested worker serves another call, and ends with it', async () => {
  const echo = await script('answer.mjs', "parentPort.on('message', (m) => parentPort.postMessage(m));");
  const first = new AbortController();
  const worker = startConversation({ entry: echo, heapMb: 32, signal: first.signal });
  worker.post('a');
  expect(await worker.next()).toBe('a');
  worker.rest();
  first.abort(new Error('over'));
  const second = new AbortController();
  worker.work(second.signal);
  worker.post('b');
  expect(await worker.next()).toBe('b');
  const waiting = worker.next();
  second.abort(new Error('time is up'));
  await expect(waiting).rejects.toThrow('time is up');
  await worker.end();
  expect(worker.alive).toBe(false);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { converse } from '../../src/access/isolate-stream.ts';

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
  const worker = converse({
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
  const worker = converse({ entry: spin, data: undefined, heapMb: 32, signal: stop.signal });
  expect(await worker.next()).toBe('on');
  const waiting = worker.next();
  stop.abort(new Error('time is up'));
  await expect(waiting).rejects.toThrow('time is up');
  await worker.end();
});

test('a worker that swells is ended with LIMIT, and this process goes on', async () => {
  const swell = await script(
    'swell.mjs',
    'const held = [];\nfor (;;) held.push(Array.from({ length: 1e5 }, () => ({})));',
  );
  const worker = converse({
    entry: swell,
    data: undefined,
    heapMb: 16,
    signal: new AbortController().signal,
  });
  await expect(worker.next()).rejects.toMatchObject({ code: 'LIMIT' });
  await worker.end();
});

test('a worker that rests goes on for another call, and ends with that one', async () => {
  const echo = await script('answer.mjs', "parentPort.on('message', (m) => parentPort.postMessage(m));");
  const first = new AbortController();
  const worker = converse({ entry: echo, heapMb: 32, signal: first.signal });
  worker.post('a');
  expect(await worker.next()).toBe('a');
  worker.rest(60_000, () => undefined);
  first.abort(new Error('over'));
  const second = new AbortController();
  expect(worker.wake(second.signal)).toBe(true);
  worker.post('b');
  expect(await worker.next()).toBe('b');
  const waiting = worker.next();
  second.abort(new Error('time is up'));
  await expect(waiting).rejects.toThrow('time is up');
  await worker.end();
  expect(worker.wake(new AbortController().signal)).toBe(false);
});

test('a worker that rests too long is gone', async () => {
  const echo = await script('answer.mjs', "parentPort.on('message', (m) => parentPort.postMessage(m));");
  const worker = converse({ entry: echo, heapMb: 32, signal: new AbortController().signal });
  const ended = worker.next();
  await new Promise<void>((gone) => void worker.rest(1, gone));
  await expect(ended).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(worker.wake(new AbortController().signal)).toBe(false);
});

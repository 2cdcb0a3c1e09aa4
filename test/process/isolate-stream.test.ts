import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startConversation, type WorkerThread } from '../../src/process/worker-threads.ts';
import { IdleWorkers } from '../../src/process/idle-workers.ts';
import { LOADED } from '../../src/process/worker-ending.ts';

/** A thread that the test plays. */
class Played extends EventEmitter {
  readonly calls: unknown[] = [];
  postMessage = (...given: unknown[]): void => void this.calls.push(['post', ...given]);
  ref = (): void => void this.calls.push('ref');
  unref = (): void => void this.calls.push('unref');
  terminate(): Promise<void> {
    this.calls.push('terminate');
    this.emit('exit', 1);
    return Promise.resolve();
  }
}

const mocked = vi.hoisted(() => ({ worker: undefined as Played | undefined, options: undefined as unknown }));
vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof import('node:worker_threads')>();
  function Worker(...given: ConstructorParameters<typeof real.Worker>): unknown {
    mocked.options = given[1];
    return mocked.worker ?? new real.Worker(...given);
  }
  return { ...real, Worker };
});

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

describe('a thread that the test plays', () => {
  const never = new AbortController().signal;
  const entry = new URL('file:///worker.js');

  function conversation(signal = never, more = {}): { worker: Played; with: WorkerThread } {
    const worker = (mocked.worker = new Played());
    onTestFinished(() => void (mocked.worker = undefined));
    const made = startConversation({ entry, heapMb: 32, signal, ...more });
    worker.emit('message', LOADED);
    worker.calls.length = 0;
    return { worker, with: made };
  }

  test('has a small young generation by default, and no signal', () => {
    conversation();
    const limits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
    expect(mocked.options).toMatchObject({ workerData: undefined, resourceLimits: limits });
    conversation(never, { youngMb: 8, data: 1 });
    const more = { ...limits, maxYoungGenerationSizeMb: 8 };
    expect(mocked.options).toMatchObject({ workerData: 1, resourceLimits: more });
  });

  test('is not started for an aborted signal', () => {
    mocked.options = undefined;
    expect(() => conversation(AbortSignal.abort(new Error('over')))).toThrow('over');
    expect(mocked.options).toBeUndefined();
  });

  test('gets messages with transfers; only its own messages are given', async () => {
    const { worker, with: one } = conversation();
    const moved = new ArrayBuffer(1);
    one.post('a');
    one.post('b', [moved]);
    expect(worker.calls).toEqual([
      ['post', 'a', []],
      ['post', 'b', [moved]],
    ]);
    worker.emit('message', 1);
    worker.emit('message', 2);
    const given = [await one.next(), await one.next()];
    const third = one.next();
    worker.emit('message', LOADED);
    worker.emit('message', 3);
    expect([...given, await third]).toEqual([1, 2, 3]);
  });

  test.each([
    ['ERR_WORKER_OUT_OF_MEMORY', 'LIMIT', 'it needs more memory than is allowed'],
    ['ERR_WORKER_INIT_FAILED', 'BUSY', 'no worker thread could be started for it'],
  ])('that fails with %s', async (code, expected, message) => {
    const { worker, with: one } = conversation();
    const cause = Object.assign(new Error('inside'), { code });
    const waiting = one.next();
    worker.emit('error', cause);
    worker.emit('exit', 1);
    // The first failure counts, also for later questions.
    for (const next of [waiting, one.next()])
      await expect(next).rejects.toMatchObject({ code: expected, message, cause });
  });

  test('that fails otherwise, and one that exits', async () => {
    const { worker, with: one } = conversation();
    const error = new Error('inside');
    worker.emit('error', error);
    await expect(one.next()).rejects.toBe(error);
    const { worker: other, with: two } = conversation();
    const waiting = two.next();
    other.emit('exit', 0);
    await expect(waiting).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'the isolated worker has ended',
    });
  });

  test('gives what it has said before it ended', async () => {
    const { worker, with: one } = conversation();
    worker.emit('message', 1);
    worker.emit('exit', 0);
    expect(await one.next()).toBe(1);
    await expect(one.next()).rejects.toThrow('the isolated worker has ended');
  });

  test('is ended by its signal, which is then ignored', async () => {
    const stop = new AbortController();
    const { worker, with: one } = conversation(stop.signal);
    const waiting = one.next();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect.poll(() => worker.calls).toEqual(['terminate']);
    const later = new AbortController();
    const { worker: other } = conversation(later.signal);
    other.emit('exit', 0);
    later.abort();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(other.calls).toEqual([]);
  });

  test('rests: no signal ends it until its next call', async () => {
    const first = new AbortController();
    const { worker, with: one } = conversation(first.signal);
    one.rest();
    first.abort(new Error('over'));
    const second = new AbortController();
    one.work(second.signal);
    const waiting = one.next();
    second.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect.poll(() => worker.calls).toEqual(['unref', 'ref', 'terminate']);
  });
});

describe('idle workers', () => {
  const worker = (): { alive: boolean; end: () => Promise<void> } => ({
    alive: true,
    end(): Promise<void> {
      this.alive = false;
      return Promise.resolve();
    },
  });

  test('are taken again, last one first, unless they died', () => {
    const idle = new IdleWorkers(1_000);
    const [first, second, third] = [worker(), worker(), worker()];
    for (const one of [first, second, third]) idle.add(one);
    third.alive = false;
    expect([idle.take(), idle.take(), idle.take()]).toEqual([second, first, undefined]);
  });

  test('end after their time, or all at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const idle = new IdleWorkers(1_000);
    const [first, second] = [worker(), worker()];
    idle.add(first);
    vi.advanceTimersByTime(600);
    idle.add(second);
    vi.advanceTimersByTime(400);
    expect([first.alive, second.alive, idle.size]).toEqual([false, true, 1]);
    await idle.close();
    expect([second.alive, idle.size]).toEqual([false, 0]);
  });
});

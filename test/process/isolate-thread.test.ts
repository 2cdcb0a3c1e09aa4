/** One worker thread and its job, on a thread that the test plays. Real ones run in isolate-worker.test.ts. */

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkerThread } from '../../src/process/worker-threads.ts';
import { LOADED } from '../../src/process/worker-ending.ts';
import { OrielError } from '../../src/errors.ts';

interface Message {
  readonly job: string;
  readonly stop: Int32Array;
}

class Played extends EventEmitter {
  readonly posted: Message[] = [];
  readonly calls: string[] = [];
  /** Resolves `terminate`. */
  gone: () => void = () => undefined;
  postMessage = (message: Message): void => void this.posted.push(message);
  ref = (): void => void this.calls.push('ref');
  unref = (): void => void this.calls.push('unref');
  terminate(): Promise<void> {
    this.calls.push('terminate');
    return new Promise((resolve) => (this.gone = resolve));
  }
}

const mocked = vi.hoisted(() => ({
  worker: undefined as Played | undefined,
  options: undefined as unknown,
  timers: [] as {
    ms: number;
    waited: () => Promise<number>;
    over: () => void;
    most: number;
    isStopped: boolean;
  }[],
}));

vi.mock('../../src/process/worker-start.ts', async (original) => ({
  ...(await original<object>()),
  startWorker(options: unknown) {
    mocked.options = options;
    return (mocked.worker = new Played());
  },
}));
vi.mock('../../src/process/cpu-timeout.ts', () => ({
  cpuWaitMeter: (pid: number) => () => Promise.resolve(pid),
  startOwnTimer(ms: number, waited: () => Promise<number>, over: () => void, most: number) {
    const timer = { ms, waited, over, most, isStopped: false };
    mocked.timers.push(timer);
    return () => void (timer.isStopped = true);
  },
}));

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
let thread: WorkerThread<string, string>;
let worker: Played;

beforeEach(() => {
  mocked.timers = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  thread = new WorkerThread({ entry: new URL('file:///worker.js'), heapMb: 32 });
  worker = mocked.worker as Played;
  worker.emit('message', LOADED);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const ask = (job = 'job', signal = never, latest?: number): Promise<string> =>
  thread.ask(job, performance.now() + 1_000, signal, latest);

test('is started with its options', () => {
  expect(mocked.options).toEqual({ entry: new URL('file:///worker.js'), heapMb: 32 });
});

describe('a job', () => {
  test('is answered, and keeps this process alive until then', async () => {
    const reply = ask();
    expect(worker.posted).toEqual([{ job: 'job', stop: new Int32Array(1) }]);
    expect(worker.posted[0]?.stop.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(worker.calls).toEqual(['ref']);
    worker.emit('message', { reply: 'done' });
    expect(await reply).toBe('done');
    expect([worker.calls, mocked.timers[0]?.isStopped]).toEqual([['ref', 'unref'], true]);
    expect(thread.alive).toBe(true);
  });

  test('is not answered by the message that the modules are loaded', async () => {
    const reply = ask();
    worker.emit('message', LOADED);
    worker.emit('message', { reply: 'done' });
    expect(await reply).toBe('done');
  });

  test('whose answer asks for the end of the thread ends it', async () => {
    const reply = ask();
    worker.emit('message', { reply: 'done', retire: true });
    expect(await reply).toBe('done');
    expect(thread.alive).toBe(false);
    await turn();
    expect(worker.calls).toEqual(['ref', 'unref', 'terminate']);
  });

  test('is refused for an aborted signal, and the thread stays', async () => {
    const reason = new Error('over');
    await expect(ask('job', AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([worker.posted, worker.calls, thread.alive]).toEqual([[], [], true]);
  });

  test('has the time until its deadline, and no more if nothing is said of a latest end', async () => {
    const first = ask();
    worker.emit('message', { reply: '' });
    await first;
    const second = thread.ask('job', performance.now() - 5, never);
    worker.emit('message', { reply: '' });
    await second;
    expect(mocked.timers).toMatchObject([
      { ms: 1_000, most: 1_000 },
      { ms: 0, most: 0 },
    ]);
    expect(await Promise.all(mocked.timers.map(({ waited }) => waited()))).toEqual([0, 0]);
  });

  test('has the time that it waited for a CPU besides, up to the latest end', async () => {
    const reply = ask('job', never, performance.now() + 3_000);
    worker.emit('message', { reply: '' });
    await reply;
    expect(mocked.timers).toMatchObject([{ ms: 1_000, most: 3_000 }]);
    expect(await mocked.timers[0]?.waited()).toBe(process.pid);
  });
});

describe('a job that is to stop', () => {
  const timeout = expect.objectContaining({
    code: 'TIMEOUT',
    message: 'The work took too long and was stopped.',
  });

  test('may answer within 40 ms, and the next one runs in the same thread', async () => {
    const reply = ask();
    mocked.timers[0]?.over();
    expect([worker.posted[0]?.stop[0], mocked.timers[0]?.isStopped]).toEqual([2, true]);
    vi.advanceTimersByTime(39);
    worker.emit('message', { reply: 'a part' });
    expect(await reply).toBe('a part');
    vi.advanceTimersByTime(1_000);
    expect(thread.alive).toBe(true);
    const next = ask();
    expect(worker.posted[1]?.stop[0]).toBe(0);
    worker.emit('message', { reply: 'whole' });
    expect(await next).toBe('whole');
  });

  test('and does not is ended, and fails when the thread is gone', async () => {
    const reply = ask();
    let error: unknown;
    reply.catch((reason: unknown) => (error = reason));
    mocked.timers[0]?.over();
    vi.advanceTimersByTime(40);
    expect(thread.alive).toBe(false);
    await turn();
    expect(worker.calls).toEqual(['ref', 'terminate']);
    // Too late, and not the reason.
    worker.emit('message', { reply: 'late' });
    worker.emit('exit', 1);
    await turn();
    expect(error).toBeUndefined();
    worker.gone();
    await turn();
    expect(error).toEqual(timeout);
  });

  test('is told that it was cancelled', async () => {
    const stop = new AbortController();
    const reply = ask('job', stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(worker.posted[0]?.stop[0]).toBe(1);
    vi.advanceTimersByTime(40);
    await turn();
    worker.gone();
    await expect(reply).rejects.toBe(reason);
  });

  test('has no more time when it is also cancelled', async () => {
    const stop = new AbortController();
    const reply = ask('job', stop.signal);
    mocked.timers[0]?.over();
    vi.advanceTimersByTime(39);
    stop.abort(new Error('enough'));
    vi.advanceTimersByTime(39);
    expect(thread.alive).toBe(true);
    vi.advanceTimersByTime(1);
    expect(thread.alive).toBe(false);
    await turn();
    worker.gone();
    await expect(reply).rejects.toThrow('enough');
  });

  test('is not stopped by the signal of an earlier one', async () => {
    const stop = new AbortController();
    const first = ask('job', stop.signal);
    worker.emit('message', { reply: '' });
    await first;
    const second = ask();
    stop.abort();
    expect(worker.posted[1]?.stop[0]).toBe(0);
    worker.emit('message', { reply: 'done' });
    expect(await second).toBe('done');
  });
});

describe('the end of the thread fails its job', () => {
  const coded = (code?: string): Error => Object.assign(new Error('inside'), code !== undefined && { code });

  test.each([
    ['ERR_WORKER_OUT_OF_MEMORY', 'LIMIT', 'The work needs more memory than it may have.'],
    ['ERR_WORKER_INIT_FAILED', 'BUSY', 'No worker thread could be started. Call again.'],
    ['EMFILE', 'BUSY', 'No worker thread could be started. Call again.'],
    [undefined, 'INTERNAL', 'The worker thread failed.'],
  ])('with the error %j', async (code, expected, message) => {
    const reply = ask();
    const cause = coded(code);
    worker.emit('error', cause);
    worker.emit('exit', 1);
    const error = await reply.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OrielError);
    expect(error).toMatchObject({ code: expected, message, cause });
    expect([thread.alive, worker.calls]).toEqual([false, ['ref', 'unref']]);
  });

  test('with an exit', async () => {
    const reply = ask();
    worker.emit('exit', 0);
    await expect(reply).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'The worker ended before it answered.',
    });
    expect(thread.alive).toBe(false);
  });

  test('and nothing else if it has none', () => {
    worker.emit('exit', 0);
    expect(thread.alive).toBe(false);
  });
});

describe('an idle thread', () => {
  test('ends after a while', async () => {
    const gone = vi.fn(() => expect(thread.alive).toBe(true));
    thread.rest(3_000, gone);
    vi.advanceTimersByTime(2_999);
    expect([gone.mock.calls.length, thread.alive]).toEqual([0, true]);
    vi.advanceTimersByTime(1);
    expect([gone.mock.calls.length, thread.alive]).toEqual([1, false]);
    await turn();
    expect(worker.calls).toEqual(['terminate']);
  });

  test('that has a job again, or has ended, does not', async () => {
    const gone = vi.fn();
    thread.rest(3_000, gone);
    const reply = ask();
    vi.advanceTimersByTime(5_000);
    worker.emit('message', { reply: '' });
    await reply;
    thread.rest(3_000, gone);
    void thread.end();
    vi.advanceTimersByTime(5_000);
    expect(gone).not.toHaveBeenCalled();
  });

  test('its timer does not keep this process alive', () => {
    const unref = vi.fn();
    vi.stubGlobal('setTimeout', () => ({ unref }));
    thread.rest(3_000, () => undefined);
    expect(unref).toHaveBeenCalledOnce();
  });
});

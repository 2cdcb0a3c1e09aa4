import { beforeEach, expect, test, vi } from 'vitest';
import { callerOf, registerCaller, combineSignals, startDeadline } from '../../src/queues/caller.ts';
import { Queue } from '../../src/queues/queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return () => vi.useRealTimers();
});

const LATE = new Error('late');
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('the deadline is suspended while the work waits in queues', async () => {
  const queue = new Queue('test', 'tests run', { limit: 1, waiting: 10 });
  const first = await queue.acquire();
  const deadline = startDeadline(new AbortController().signal, 1_000, () => LATE);
  const inner = combineSignals(deadline.signal, new AbortController().signal);
  await pass(400);
  const [one, two] = [queue.acquire({ signal: deadline.signal }), queue.acquire({ signal: inner })];
  await pass(60_000);
  first.release();
  (await one).release();
  (await two).release();
  await pass(599);
  expect(deadline.signal.aborted).toBe(false);
  await pass(1);
  expect(deadline.signal.reason).toBe(LATE);
  expect(inner.reason).toBe(LATE);
});

test('an aborted or refused wait resumes the deadline', async () => {
  const queue = new Queue('test', 'tests run', { limit: 1, waiting: 1 });
  await queue.acquire();
  const deadline = startDeadline(new AbortController().signal, 1_000, () => LATE);
  const stop = new AbortController();
  const wait = queue.acquire({ signal: combineSignals(deadline.signal, stop.signal) });
  expect(() => queue.acquire({ signal: deadline.signal })).toThrow('Too many calls wait');
  stop.abort(new Error('stop'));
  await expect(wait).rejects.toThrow('stop');
  await pass(1_000);
  expect(deadline.signal.reason).toBe(LATE);
});

test('a timed wait ends with BUSY, or with a cancellation', async () => {
  const queue = new Queue('test', 'tests run', { limit: 1, waiting: 10 });
  await queue.acquire();
  const stop = new AbortController();
  const deadline = startDeadline(stop.signal, 1_000, () => LATE);
  const other = startDeadline(stop.signal, 60_000, () => LATE);
  const ends = Promise.allSettled([
    queue.acquire({ signal: deadline.signal, timed: true }),
    queue.acquire({ signal: other.signal, timed: true }),
  ]);
  await pass(1_000);
  expect(queue.stats).toMatchObject({ running: 1, waiting: 1, refused: 1 });
  stop.abort(new Error('stop'));
  expect(await ends).toEqual([
    {
      status: 'rejected',
      reason: expect.objectContaining({
        code: 'BUSY',
        message: 'No slot was free in time: 1 tests run at a time. Make the same call again in a moment.',
      }),
    },
    { status: 'rejected', reason: new Error('stop') },
  ]);
});

test('finished work has no deadline, even if it has waited', async () => {
  const queue = new Queue('test', 'tests run', { limit: 1, waiting: 1 });
  const first = await queue.acquire();
  const deadline = startDeadline(new AbortController().signal, 1_000, () => LATE);
  const wait = queue.acquire({ signal: deadline.signal });
  deadline.stop();
  first.release();
  await wait;
  await pass(10_000);
  expect(deadline.signal.aborted).toBe(false);
});

test('work with a deadline belongs to the same caller', () => {
  const caller = {};
  const { signal } = new AbortController();
  registerCaller(caller, signal);
  const deadline = startDeadline(signal, 1_000, () => LATE);
  expect(callerOf(deadline.signal)).toBe(caller);
  deadline.stop();
});

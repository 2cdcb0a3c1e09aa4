import { beforeEach, expect, test, vi } from 'vitest';
import { Queue, SlotLease } from '../../src/queues/queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return () => vi.useRealTimers();
});

const queueOf = (): Queue => new Queue('test', 'tests run', { limit: 1, waiting: 100 });

/** A lease, and how often it was taken back. */
function leaseIn(queue: Queue) {
  let closed = 0;
  const lease = new SlotLease(queue, { caller: {} }, () => {
    closed += 1;
    return Promise.resolve();
  });
  return { lease, closed: () => closed };
}

test('an idle slot is kept while no caller waits', async () => {
  const queue = queueOf();
  const { lease, closed } = leaseIn(queue);
  await lease.work();
  lease.rest();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(closed()).toBe(0);
  await lease.work();
  expect(queue.stats.running).toBe(1);
  await lease.end();
  expect(queue.stats.running).toBe(0);
});

test('an idle slot is revoked for others, and requested again', async () => {
  const queue = queueOf();
  const [first, second] = [leaseIn(queue), leaseIn(queue)];
  await first.lease.work();
  first.lease.rest();
  const served = second.lease.work();
  await vi.advanceTimersByTimeAsync(499);
  expect(first.closed()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await served;
  expect(first.closed()).toBe(1);
  const again = first.lease.work();
  await second.lease.end();
  await again;
  await first.lease.end();
  expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
});

test('a slot in use is not revoked', async () => {
  const queue = queueOf();
  const [working, waiting] = [leaseIn(queue), leaseIn(queue)];
  await working.lease.work();
  working.lease.rest();
  await working.lease.work();
  let served = false;
  const wait = waiting.lease.work().then(() => (served = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([working.closed(), served]).toEqual([0, false]);
  await working.lease.end();
  await wait;
  await waiting.lease.end();
});

test('a lease is released once', async () => {
  const queue = queueOf();
  const [one, two] = [leaseIn(queue), leaseIn(queue)];
  await one.lease.work();
  one.lease.rest();
  await one.lease.end();
  await one.lease.end();
  await two.lease.work();
  expect(queue.stats.running).toBe(1);
  await two.lease.end();
  expect(queue.stats.running).toBe(0);
});

test('a failed close still releases the slot', async () => {
  const queue = queueOf();
  const stuck = () => new SlotLease(queue, { caller: {} }, () => Promise.reject(new Error('EIO')));
  for (let i = 0; i < 3; i += 1) {
    const rests = stuck();
    await rests.work();
    rests.rest();
    const { lease } = leaseIn(queue);
    const served = lease.work();
    await vi.advanceTimersByTimeAsync(500);
    await served;
    await lease.end();
  }
  const ends = stuck();
  await ends.work();
  await expect(ends.end()).rejects.toThrow('EIO');
  expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
});

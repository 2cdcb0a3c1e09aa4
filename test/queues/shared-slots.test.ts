import { expect, test } from 'vitest';
import { Queue } from '../../src/queues/queue.ts';
import { SharedSlots } from '../../src/queues/queue-table.ts';

function slots(waiting = 10): { queue: Queue; shared: SharedSlots } {
  const queue = new Queue('test', 'tests run', { limit: 1, waiting });
  return { queue, shared: new SharedSlots(queue) };
}

test('parts of one call share a slot until the last', async () => {
  const { queue, shared } = slots();
  const { signal } = new AbortController();
  const outer = await shared.take(signal);
  const inner = await shared.take(signal);
  expect(queue.stats).toMatchObject({ running: 1, waiting: 0 });
  inner.release();
  inner.release();
  expect(queue.stats.running).toBe(1);
  outer.release();
  expect(queue.stats.running).toBe(0);
});

test('another call waits, and its later parts with it', async () => {
  const { queue, shared } = slots();
  const first = await shared.take(new AbortController().signal);
  const { signal } = new AbortController();
  const parts = [shared.take(signal), shared.take(signal)];
  expect(queue.stats.waiting).toBe(1);
  first.release();
  for (const part of await Promise.all(parts)) part.release();
  expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
});

test('a call may be aborted in the queue, or refused', async () => {
  const { queue, shared } = slots(1);
  const held = await shared.take();
  const stop = new AbortController();
  const waiting = shared.take(stop.signal);
  await expect(shared.take(new AbortController().signal)).rejects.toMatchObject({ code: 'BUSY' });
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  held.release();
  expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
});

import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { type Caller, registerCaller } from '../../src/queues/caller.ts';
import { Queue, type QueueLimits, type QueueSlot } from '../../src/queues/queue.ts';

const queueOf = (limits: Partial<QueueLimits> = {}): Queue =>
  new Queue('test', 'tests run', { limit: 1, waiting: 100, ...limits });

const tick = (): Promise<void> => new Promise(setImmediate);

/** Takes a slot for each caller in turn, all at once, and gives each back when it has come: the order they came in. */
async function served(queue: Queue, callers: readonly Caller[], names: readonly string[]): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    callers.map((caller, i) =>
      queue.run(
        async () => {
          order.push(names[i] as string);
          await tick();
        },
        { caller },
      ),
    ),
  );
  return order;
}

test('a free slot is returned synchronously', () => {
  const queue = queueOf();
  const slot = queue.acquire();
  expect(slot).not.toBeInstanceOf(Promise);
  expect(queue.stats.running).toBe(1);
  (slot as QueueSlot).release();
  expect(queue.stats.running).toBe(0);
});

test('no more run than the limit, others wait in order', async () => {
  const queue = queueOf({ limit: 2 });
  const caller = {};
  let running = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      queue.run(
        async () => {
          most = Math.max(most, (running += 1));
          order.push(i);
          await tick();
          running -= 1;
        },
        { caller },
      ),
    ),
  );
  expect(most).toBe(2);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('a new caller does not overtake waiting ones at handover', async () => {
  const queue = queueOf();
  const caller = {};
  const order: string[] = [];
  const first = queue.acquire({ caller }) as QueueSlot;
  const waiting = queue.run(async () => void order.push('waiting'), { caller });
  first.release();
  const late = queue.run(async () => void order.push('late'), { caller });
  await Promise.all([waiting, late]);
  expect(order).toEqual(['waiting', 'late']);
});

describe('callers', () => {
  test('are served round robin, one call before sixty-four of another', async () => {
    const queue = queueOf();
    const [busy, other] = [{}, {}];
    const order = await served(
      queue,
      [...Array.from({ length: 64 }, () => busy), other],
      [...Array.from({ length: 64 }, () => 'busy'), 'other'],
    );
    // The first has its slot already; then each caller has one.
    expect(order.indexOf('other')).toBe(2);
  });

  test('are identified by the signal of the call', async () => {
    const queue = queueOf();
    const [a, b] = [{}, {}];
    const order: string[] = [];
    const wait = (name: string, caller: Caller): Promise<void> => {
      const { signal } = new AbortController();
      registerCaller(caller, signal);
      return queue.run(
        async () => {
          order.push(name);
          await tick();
        },
        { signal },
      );
    };
    await Promise.all([wait('a1', a), wait('a2', a), wait('a3', a), wait('b1', b)]);
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('hold at most their share, the rest is for others', async () => {
    const queue = queueOf({ limit: 4, share: 0.75 });
    const [busy, other] = [{}, {}];
    const held = Array.from({ length: 10 }, () => queue.acquire({ caller: busy }));
    expect(queue.stats).toMatchObject({ running: 3, waiting: 7 });
    const slot = queue.acquire({ caller: other });
    expect(slot).not.toBeInstanceOf(Promise);
    // The share of the first caller is used up: what the other gives back is not for it.
    (slot as QueueSlot).release();
    expect(queue.stats).toMatchObject({ running: 3, waiting: 7 });
    for (const one of held) (await one).release();
    expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
  });
});

describe('a full queue', () => {
  test('refuses with BUSY and advice', () => {
    const queue = new Queue('images', 'images are decoded', { limit: 2, waiting: 1 });
    const caller = {};
    for (let i = 0; i < 3; i += 1) void queue.acquire({ caller });
    expect(() => queue.acquire({ caller })).toThrow(
      expect.objectContaining({
        code: 'BUSY',
        message:
          'Too many calls wait: 2 images are decoded at a time and 1 wait already. Make the same call again in a moment.',
      }),
    );
    expect(queue.stats).toEqual({ running: 2, waiting: 1, refused: 1 });
  });

  test('refuses the newest call of the caller with most waiting', async () => {
    const queue = queueOf({ waiting: 3 });
    const [busy, other] = [{}, {}];
    const held = queue.acquire({ caller: busy }) as QueueSlot;
    const order: string[] = [];
    const entry = (name: string, caller: Caller): Promise<unknown> =>
      queue.run(async () => order.push(name), { caller }).catch((error: unknown) => error);
    const entries = [entry('1', busy), entry('2', busy), entry('3', busy), entry('other', other)];
    await expect(entries[2]).resolves.toMatchObject({ code: 'BUSY' });
    held.release();
    await Promise.all(entries);
    expect(order).toEqual(['1', 'other', '2']);
    expect(queue.stats.refused).toBe(1);
  });
});

describe('a signal', () => {
  test('that aborts in the queue ends without losing a slot', async () => {
    const queue = queueOf();
    const held = queue.acquire() as QueueSlot;
    const stop = new AbortController();
    const waiting = queue.run(() => Promise.resolve('never'), { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(queue.stats.waiting).toBe(0);
    held.release();
    expect(await queue.run(() => Promise.resolve('next'))).toBe('next');
  });

  test('that was aborted before takes no slot', async () => {
    const queue = queueOf();
    const signal = AbortSignal.abort(new Error('over'));
    await expect(queue.run(() => Promise.resolve('never'), { signal })).rejects.toThrow('over');
    expect(queue.stats.running).toBe(0);
  });

  test('that is aborted during the handover returns the slot', async () => {
    const queue = queueOf();
    const held = queue.acquire() as QueueSlot;
    const stop = new AbortController();
    let ran = false;
    const handed = queue.run(async () => void (ran = true), { signal: stop.signal });
    held.release();
    stop.abort(new Error('too late'));
    await expect(handed).rejects.toThrow('too late');
    expect(ran).toBe(false);
    expect(queue.stats.running).toBe(0);
  });

  test('leaves no listener behind', async () => {
    const queue = queueOf();
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(signal, args);
    };
    const work = (): Promise<void> => tick();
    await Promise.all([
      queue.run(work, { signal }),
      queue.run(work, { signal }),
      queue.run(work, { signal }),
    ]);
    expect(listeners).toBe(0);
  });
});

test('a slot is released when work fails, and only once', async () => {
  const queue = queueOf();
  await expect(queue.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const slot = queue.acquire() as QueueSlot;
  slot.release();
  slot.release();
  expect(queue.stats.running).toBe(0);
});

test('random arrivals, releases and aborts keep limits and leave nothing', async () => {
  const step = fc.record({ caller: fc.nat(3), act: fc.constantFrom('come', 'go', 'abort') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, limit) => {
        const queue = queueOf({ limit, waiting: 5, share: 0.7 });
        const callers = [{}, {}, {}, {}];
        const held: QueueSlot[] = [];
        const stops: AbortController[] = [];
        for (const { caller, act } of steps) {
          if (act === 'go') held.shift()?.release();
          else if (act === 'abort') stops.shift()?.abort(new Error('off'));
          else {
            const stop = new AbortController();
            stops.push(stop);
            void queue
              .run(() => new Promise<void>((release) => held.push({ release })), {
                signal: stop.signal,
                caller: callers[caller],
              })
              .catch(() => undefined);
          }
          await tick();
          const { running, waiting } = queue.stats;
          expect(running).toBe(held.length);
          expect(running).toBeLessThanOrEqual(limit);
          expect(waiting).toBeLessThanOrEqual(5);
        }
        while (queue.stats.running > 0) {
          held.shift()?.release();
          await tick();
        }
        expect(queue.stats).toMatchObject({ running: 0, waiting: 0 });
      },
    ),
    { numRuns: 100 },
  );
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { Queue } from '../../src/queues/queue.ts';
import { WorkerPool } from '../../src/process/worker-threads.ts';

interface Job {
  readonly do?: 'throw' | 'exit' | 'spin' | 'obey' | 'retire' | 'leave';
  readonly say?: string;
}
interface Reply {
  readonly said: string;
  readonly stopped: number;
  /** The id of the thread. */
  readonly thread: number;
}

const entry = new URL('../support/obedient-worker.mjs', import.meta.url);
const never = new AbortController().signal;
const later = (ms = 200_000): number => performance.now() + ms;

function pool(size = 2, idleMs = 60_000): WorkerPool<Job, Reply> {
  const queue = new Queue('test', 'tests run', { limit: size, waiting: 100 });
  const made = new WorkerPool<Job, Reply>({ entry, queue, idleMs, heapMb: 32 });
  onTestFinished(() => made.close());
  return made;
}

/** From now on a worker has as long as it takes to answer once it was told to stop. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a job is answered', async () => {
  const reply = await pool().lend({ signal: never }, (ask) => ask({ say: 'hello' }, later(), never));
  expect(reply).toMatchObject({ said: 'hello', stopped: 0 });
});

test('no more calls hold a worker than there are workers', async () => {
  const workers = pool(2);
  let lent = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      workers.lend({ signal: never }, async (ask) => {
        most = Math.max(most, (lent += 1));
        await ask({}, later(), never);
        lent -= 1;
      }),
    ),
  );
  expect(most).toBe(2);
});

test('calls are served in order', async () => {
  const workers = pool(1);
  const done: number[] = [];
  const calls = Array.from({ length: 20 }, (_, at) =>
    workers.lend({ signal: never }, async (ask) => {
      await ask({}, later(), never);
      done.push(at);
    }),
  );
  await Promise.all(calls);
  expect(done).toEqual(Array.from({ length: 20 }, (_, at) => at));
});

test('a job out of time is told, and may answer', async () => {
  const workers = pool(1);
  await workers.lend({ signal: never }, (ask) => ask({ say: 'warm' }, later(), never));
  holdTimers();
  const reply = workers.lend({ signal: never }, (ask) => ask({ do: 'obey', say: 'late' }, later(20), never));
  vi.advanceTimersByTime(20);
  expect(await reply).toMatchObject({ said: 'late', stopped: 2 });
});

test('a cancelled job is told, and may answer', async () => {
  const workers = pool(1);
  await workers.lend({ signal: never }, (ask) => ask({ say: 'warm' }, later(), never));
  holdTimers();
  const stop = new AbortController();
  const reply = workers.lend({ signal: never }, (ask) =>
    ask({ do: 'obey', say: 'off' }, later(), stop.signal),
  );
  stop.abort(new Error('enough'));
  expect(await reply).toMatchObject({ said: 'off', stopped: 1 });
});

test('a job that does not stop loses its worker', async () => {
  const workers = pool(1);
  const stuck = workers.lend({ signal: never }, (ask) => ask({ do: 'spin' }, later(20), never));
  const next = workers.lend({ signal: never }, (ask) => ask({ say: 'alive' }, later(), never));
  await expect(stuck).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await next).toMatchObject({ said: 'alive' });
});

test('a cancelled call leaves the queue', async () => {
  const workers = pool(1);
  const stop = new AbortController();
  const first = workers.lend({ signal: never }, (ask) => ask({ say: 'first' }, later(), never));
  const second = workers.lend({ signal: stop.signal }, (ask) => ask({ say: 'second' }, later(), never));
  const third = workers.lend({ signal: never }, (ask) => ask({ say: 'third' }, later(), never));
  stop.abort(new Error('no longer wanted'));
  await expect(second).rejects.toThrow('no longer wanted');
  expect(await first).toMatchObject({ said: 'first' });
  expect(await third).toMatchObject({ said: 'third' });
});

test.each(['throw', 'exit'] as const)('a worker that ends itself (%s) fails only its job', async (how) => {
  const workers = pool(1);
  await expect(
    workers.lend({ signal: never }, (ask) => ask({ do: how }, later(), never)),
  ).rejects.toMatchObject({
    code: 'INTERNAL',
  });
  expect(await workers.lend({ signal: never }, (ask) => ask({ say: 'again' }, later(), never))).toMatchObject(
    {
      said: 'again',
    },
  );
});

/** The id of the thread that does the next job. */
const threadOf = async (workers: WorkerPool<Job, Reply>): Promise<number> =>
  (await workers.lend({ signal: never }, (ask) => ask({}, later(), never))).thread;

test('a thread starts at the first job, rests between calls', async () => {
  const workers = pool(2);
  await workers.lend({ signal: never }, () => Promise.resolve());
  expect(workers.hasIdle).toBe(false);
  const first = await threadOf(workers);
  expect(workers.hasIdle).toBe(true);
  await workers.lend({ signal: never }, async (ask) => {
    expect([(await ask({}, later(), never)).thread, (await ask({}, later(), never)).thread]).toEqual([
      first,
      first,
    ]);
    expect(workers.hasIdle).toBe(false);
    // A call at the same time has another.
    expect(await threadOf(workers)).not.toBe(first);
  });
});

test('a call continues on another thread if its own ends', async () => {
  const workers = pool(1);
  await workers.lend({ signal: never }, async (ask) => {
    await expect(ask({ do: 'exit' }, later(), never)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await ask({ say: 'again' }, later(), never)).toMatchObject({ said: 'again' });
  });
  expect(workers.hasIdle).toBe(true);
});

test('an idle thread ends after its time', { tags: 'slow' }, async () => {
  const workers = pool(1, 1);
  const first = await threadOf(workers);
  await expect.poll(() => workers.hasIdle).toBe(false);
  expect(await threadOf(workers)).not.toBe(first);
});

/**
 * Work that is done elsewhere: what a replica gets back, whatever workers, the queue and the store do.
 *
 * @module-tag slow
 */

import { createHash, randomBytes } from 'node:crypto';
import { text as streamText } from 'node:stream/consumers';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backends, openStore } from '../../../packages/scale/src/state/store.ts';
import { runJobs } from '../../../packages/scale/src/state/run-jobs.ts';
import type {
  SharedState,
  StateBackend,
  WorkEvent,
  WorkHandler,
  WorkOrder,
  WorkOutcome,
} from '../../../src/types/state.ts';
import { has } from '../../support/has.ts';
import { deferred } from '../../support/offer.ts';
import { redisServer, type StoreServer } from '../../support/stores.ts';
import '../../support/scale.ts';

const key = 'the key of one operator, and no other';

describe.runIf(has('redis'))('work elsewhere', () => {
  let server: StoreServer;
  const opened: SharedState[] = [];
  const open = (url = server.url, secret = key): SharedState => {
    const state = openStore({ url, key: secret, timeoutMs: 30_000, workers: true }) as SharedState;
    opened.push(state);
    return state;
  };
  beforeAll(async () => {
    server = await redisServer();
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await server.stop();
  });

  const upper = async (...[, { body }]: Parameters<WorkHandler['run']>): Promise<Buffer> =>
    Buffer.from((await streamText(body)).toUpperCase());
  /** A kind of its own for each test: upper case of the input, or what `run` gives. */
  const kindOf = (run: WorkHandler['run'] = upper): WorkHandler => ({
    kind: 'test',
    version: randomBytes(8).toString('hex'),
    run,
  });

  const jobsOf = (handler: WorkHandler, events: WorkEvent[] = [], more: { perMinute?: number } = {}) =>
    runJobs({
      url: server.url,
      state: open(),
      handlers: [handler],
      jobs: 2,
      log: (event) => void events.push(event),
      ...more,
    });
  async function worker(handler: WorkHandler, events: WorkEvent[] = [], more = {}): Promise<WorkEvent[]> {
    const jobs = await jobsOf(handler, events, more);
    onTestFinished(() => jobs?.close());
    return events;
  }

  const orderOf = (
    { kind, version }: WorkHandler,
    text: string,
    more: Partial<WorkOrder> = {},
  ): WorkOrder => ({
    kind,
    version,
    key: `${version} ${text.slice(0, 40)}`,
    head: {},
    bytes: text.length,
    read: (start, length) => Promise.resolve(Buffer.from(text.slice(start, start + length))),
    sha256: createHash('sha256').update(text).digest('hex'),
    ...more,
  });
  const ask = (order: WorkOrder, state = open(), space = 's'): Promise<WorkOutcome> =>
    (state.work(space) as NonNullable<ReturnType<SharedState['work']>>).run(order, {
      signal: AbortSignal.timeout(100_000),
      giveUpAt: performance.now() + 60_000,
    });
  const cachedOf = ({ key: of }: WorkOrder) =>
    open()
      .space('s')
      .get({ kind: 'cache', of: [of] });
  const textOf = (outcome: WorkOutcome): string =>
    outcome.kind === 'done' ? outcome.result.toString() : outcome.kind;
  /** The store without a seal, as one who can write to it has it. */
  const raw = (): Promise<StateBackend> =>
    (backends['redis:'] as { open: (o: object) => Promise<StateBackend> }).open({
      url: server.url,
      timeoutMs: 30_000,
    });
  const rawQueue = ({ kind, version }: WorkHandler): Queue => {
    const queue = new Queue(`work-${kind}-${version}`, {
      connection: { url: server.url },
      prefix: 'oriel',
    });
    onTestFinished(() => queue.close());
    return queue;
  };

  test('without a worker the replica does the job immediately', { tags: 'slow' }, async () => {
    expect(await ask(orderOf(kindOf(), 'text'))).toEqual({ kind: 'here' });
  });

  test('a job is done once for all replicas, then cached', async () => {
    const held = deferred();
    const handler = kindOf(async (...given) => upper(...given).finally(() => held.promise));
    const events = await worker(handler);
    const order = orderOf(handler, 'some text');
    const both = [ask(order), ask(order)];
    const queue = rawQueue(handler);
    await expect.poll(() => queue.getActiveCount()).toBe(1);
    held.resolve();
    expect((await Promise.all(both)).map(textOf)).toEqual(['SOME TEXT', 'SOME TEXT']);
    await expect.poll(() => events).toMatchObject([{ event: 'job', kind: 'test', outcome: 'done' }]);
    expect(String(await cachedOf(order))).toContain('SOME TEXT');
    // Later it is not asked for again, and a tenant's is not that of another.
    expect(textOf(await ask(order))).toBe('SOME TEXT');
    expect(events).toHaveLength(1);
    expect(textOf(await ask(order, open(), 'of another tenant'))).toBe('SOME TEXT');
    await expect.poll(() => events).toHaveLength(2);
  });

  test('large jobs go in pieces, larger ones to the replica', { tags: 'slow' }, async () => {
    const handler = kindOf();
    const events = await worker(handler);
    const large = 'a line of text\n'.repeat(200_000);
    const outcome = await ask(orderOf(handler, large));
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(textOf(outcome) === large.toUpperCase()).toBe(true);
    expect(await ask(orderOf(handler, 'x', { bytes: (32 << 20) + 1, key: 'larger' }))).toEqual({
      kind: 'here',
    });
    await expect.poll(() => events).toHaveLength(1);
    const huge = kindOf(() => Promise.resolve(Buffer.alloc((32 << 20) + 1)));
    await worker(huge);
    expect(await ask(orderOf(huge, 'x'))).toEqual({ kind: 'here' });
  });

  test('a failing job is tried three times, then cached', async () => {
    const handler = kindOf(() => Promise.resolve({ why: 'crashed', isLasting: false }));
    const events = await worker(handler);
    const order = orderOf(handler, 'text');
    expect(await ask(order)).toEqual({ kind: 'failed', why: 'crashed' });
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['retry', 'retry', 'failed']);
    expect(await ask(order)).toEqual({ kind: 'failed', why: 'crashed' });
    expect(events).toHaveLength(3);
    const lasting = kindOf(() => Promise.resolve({ why: 'slow', isLasting: true }));
    const once = await worker(lasting);
    expect(await ask(orderOf(lasting, 'text'))).toEqual({ kind: 'failed', why: 'slow' });
    await expect.poll(() => once).toHaveLength(1);
  });

  test('a handler that throws ends neither worker nor read', async () => {
    const handler = kindOf(() => Promise.reject(new Error('unexpected')));
    const events = await worker(handler);
    expect(await ask(orderOf(handler, 'text'))).toEqual({ kind: 'failed', why: 'error' });
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['retry', 'retry', 'failed']);
  });

  test('a file that changed while it was sent gives nothing', async () => {
    const handler = kindOf();
    const events = await worker(handler);
    const order = orderOf(handler, 'text', { sha256: createHash('sha256').update('old').digest('hex') });
    expect(await ask(order)).toEqual({ kind: 'here' });
    await expect.poll(() => events).toMatchObject([{ outcome: 'dropped' }]);
    expect(await cachedOf(order)).toBeUndefined();
  });

  test('jobs that no replica sealed are dropped', async () => {
    let ran = 0;
    const handler = kindOf(() => Promise.resolve(Buffer.from(String((ran += 1)))));
    const events = await worker(handler);
    const queue = rawQueue(handler);
    await queue.add('job', { head: { want: 'x' }, space: 's' }, { deduplication: { id: 'forged' } });
    await queue.add('job', {}, { deduplication: { id: 'x'.repeat(10_000) } });
    await expect.poll(() => events.length).toBe(2);
    expect(events).toMatchObject([{ outcome: 'dropped' }, { outcome: 'dropped' }]);
    // Orders of an operator with another key.
    const foreign = open(server.url, 'the key of some other operator, 37 c');
    await foreign
      .space('work')
      .put(
        { kind: 'worker', of: [`work-${handler.kind}-${handler.version}`] },
        Buffer.from(JSON.stringify({ at: Date.now() })),
        60_000,
      );
    expect(await ask(orderOf(handler, 'text'), foreign)).toEqual({ kind: 'here' });
    expect(ran).toBe(0);
  });

  test('forged results, records and heartbeats are ignored', { tags: 'slow' }, async () => {
    const backend = await raw();
    onTestFinished(() => backend.close());
    const seen = new Map<string, string>();
    const handler = kindOf();
    const events = await worker(handler);
    const order = orderOf(handler, 'text');
    expect(textOf(await ask(order))).toBe('TEXT');
    const { default: KeyvRedis } = await import('@keyv/redis');
    const adapter = new KeyvRedis(server.url);
    const client = (await adapter.getClient()) as unknown as { keys(of: string): Promise<string[]> };
    for (const name of await client.keys('oriel:*'))
      if (/^oriel:(cache|job|order|worker):/.test(name))
        seen.set(name, (await backend.get(name).catch(() => undefined)) ?? '');
    await adapter.disconnect();
    const kinds = new Set(Array.from(seen.keys(), (name) => name.split(':')[1]));
    expect([...kinds]).toEqual(expect.arrayContaining(['cache', 'job', 'worker']));
    const values = [...seen.values(), 'oriel-1.', JSON.stringify({ kind: 'done' }), ''];
    for (const value of values) {
      // Each in the place of all others.
      for (const part of [':cache:', ':job:'])
        for (const [name, own] of seen)
          if (name.includes(part) && value !== own) await backend.set(name, value, 60_000);
      expect(textOf(await ask(order))).toBe('TEXT');
    }
    expect(events.every(({ outcome }) => outcome === 'done' || outcome === 'known')).toBe(true);
  });

  test('a store emptied or of wrong type fails no read', async () => {
    const { default: KeyvRedis } = await import('@keyv/redis');
    const adapter = new KeyvRedis(server.url);
    onTestFinished(() => adapter.disconnect());
    const client = (await adapter.getClient()) as unknown as {
      flushAll(): Promise<unknown>;
      set(name: string, value: string): Promise<unknown>;
    };
    const handler = kindOf(async (...given) => upper(...given).finally(() => client.flushAll()));
    await worker(handler);
    expect(['TEXT', 'here']).toContain(textOf(await ask(orderOf(handler, 'text'))));
    const other = kindOf();
    await worker(other);
    const queue = `work-${other.kind}-${other.version}`;
    for (const part of ['wait', 'active', 'marker', 'events', 'meta', 'id'])
      await client.set(`oriel:${queue}:${part}`, 'garbage');
    expect(textOf(await ask(orderOf(other, 'text')))).toBe('here');
  });

  test('a cancelled call returns immediately', async () => {
    const held = deferred();
    const handler = kindOf(async () => held.promise.then(() => Buffer.from('late')));
    await worker(handler);
    const controller = new AbortController();
    const asked = open()
      .work('s')
      ?.run(orderOf(handler, 'text'), {
        signal: controller.signal,
        giveUpAt: performance.now() + 60_000,
      });
    const queue = rawQueue(handler);
    await expect.poll(() => queue.getActiveCount()).toBe(1);
    controller.abort(new Error('cancelled by the caller'));
    await expect(asked).rejects.toThrow('cancelled by the caller');
    held.resolve();
  });

  test('a job that has ended all its workers is ended', async () => {
    const handler = kindOf();
    const order = orderOf(handler, 'text');
    const state = open();
    const work = state.space('work');
    const id = state.nameOf(JSON.stringify(['work', 's', handler.kind, handler.version, order.key]));
    // What three workers leave that were killed: each has said that it begins.
    await work.put(
      { kind: 'job', of: [id] },
      Buffer.from(JSON.stringify({ kind: 'working', attempt: 3, beat: 4, at: Date.now() })),
      60_000,
    );
    const events = await worker(handler);
    expect(await ask(order)).toEqual({ kind: 'failed', why: 'worker' });
    await expect.poll(() => events).toMatchObject([{ outcome: 'failed', why: 'worker' }]);
  });

  const idOf = (order: WorkOrder): string =>
    open().nameOf(JSON.stringify(['work', 's', order.kind, order.version, order.key]));
  const put = (order: WorkOrder, record: object): Promise<boolean> =>
    open()
      .space('work')
      .put({ kind: 'job', of: [idOf(order)] }, Buffer.from(JSON.stringify(record)), 60_000);

  test('an old record that is put back makes nothing unreadable', async () => {
    const handler = kindOf();
    await worker(handler);
    for (const [i, record] of [
      { kind: 'working', attempt: 3, beat: 4, at: Date.now() - 11 * 60_000 },
      { kind: 'failed', why: 'worker', at: Date.now() - 11 * 60_000 },
    ].entries()) {
      const order = orderOf(handler, `text ${i}`, { key: `put back ${i}` });
      await put(order, record);
      expect(textOf(await ask(order))).toBe(`TEXT ${i}`);
    }
  });

  test('a job that failed is tried again beside others', async () => {
    let tries = 0;
    const [began, end] = [deferred(), deferred()];
    onTestFinished(() => end.resolve());
    const handler = kindOf(async (...given) => {
      const text = await upper(...given);
      if (text.toString() === 'SLOW') {
        began.resolve();
        await end.promise;
      } else if ((tries += 1) === 1) return { why: 'network', isLasting: false };
      return text;
    });
    const events = await worker(handler);
    const first = ask(orderOf(handler, 'slow', { key: 'slow' }));
    await began.promise;
    expect(textOf(await ask(orderOf(handler, 'quick', { key: 'quick' })))).toBe('QUICK');
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['retry', 'done']);
    end.resolve();
    expect(textOf(await first)).toBe('SLOW');
  });

  // A worker that goes on is asked again.
  test('a worker that ends says so, and nobody waits', { tags: 'slow' }, async () => {
    const handler = kindOf();
    const hasWorkers = () => open().work('s')?.hasWorkers(handler);
    const [one, two] = [await jobsOf(handler), await jobsOf(handler)];
    expect(await hasWorkers()).toBe(true);
    await one?.close();
    await expect.poll(hasWorkers).toBe(true);
    await two?.close();
    expect(await hasWorkers()).toBe(false);
  });

  test('a result with an evicted piece is made again', { tags: 'slow' }, async () => {
    const handler = kindOf();
    const events = await worker(handler);
    const large = 'a line of text\n'.repeat(200_000);
    const order = orderOf(handler, large);
    expect(await ask(order)).toMatchObject({ kind: 'done' });
    const index = (await cachedOf(order)) as Buffer;
    const { id } = JSON.parse(index.subarray(1).toString()) as { id: string };
    await open()
      .space('s')
      .remove({ kind: 'piece', of: ['value', id, 3] });
    expect(textOf(await ask(order)) === large.toUpperCase()).toBe(true);
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });

  test('a cut-off job of an ended worker counts as untried', async () => {
    const began = deferred();
    const handler = kindOf(() => {
      began.resolve();
      return new Promise<Buffer>(() => undefined);
    });
    const order = orderOf(handler, 'text');
    const jobs = await jobsOf(handler);
    const controller = new AbortController();
    const asked = open()
      .work('s')
      ?.run(order, { signal: controller.signal, giveUpAt: performance.now() + 60_000 })
      .catch(() => undefined);
    await began.promise;
    await jobs?.giveBack();
    const record = await open()
      .space('work')
      .get({ kind: 'job', of: [idOf(order)] });
    expect(JSON.parse(String(record))).toMatchObject({ kind: 'working', attempt: 0 });
    controller.abort();
    await asked;
  });

  test('dashboards show the last ended jobs, which can run again', async () => {
    const handler = kindOf();
    await worker(handler);
    const order = orderOf(handler, 'text');
    expect(textOf(await ask(order))).toBe('TEXT');
    const queue = rawQueue(handler);
    await expect.poll(() => queue.getCompletedCount()).toBe(1);
    await open()
      .space('s')
      .remove({ kind: 'cache', of: [order.key] });
    expect(textOf(await ask(order))).toBe('TEXT');
    await expect.poll(() => queue.getCompletedCount()).toBe(2);
  });

  test('workers together keep to the limit of jobs per minute', async () => {
    const handler = kindOf();
    const ended: WorkEvent[] = [];
    for (let i = 0; i < 2; i += 1) await worker(handler, ended, { perMinute: 3 });
    const orders = Array.from({ length: 6 }, (_, i) => orderOf(handler, `text ${i}`, { key: `rate ${i}` }));
    const outcomes = await Promise.all(orders.map((order) => ask(order)));
    // What is not begun is done where it is asked for.
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(3);
    expect(outcomes.filter(({ kind }) => kind === 'here')).toHaveLength(3);
    expect(ended).toHaveLength(3);
  });
});

/** Heavy work that a replica hands to workers, and what it does where there are none. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { memoryBytes } from '../../src/text/bytes.ts';
import { type OffloadOutcome, offloadWork } from '../../src/state/work-values.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { CachePart, DiskCache } from '../../src/types/session.ts';
import type { RemoteWork, WorkOrder, WorkOutcome } from '../../src/types/state.ts';

/** A replica, and the orders that its worker got; without an `outcome` there is no worker. */
function replica(outcome?: WorkOutcome) {
  const cached = new Map<string, Buffer>();
  const orders: (WorkOrder & { readonly within: number })[] = [];
  const work: RemoteWork = {
    hasWorkers: () => Promise.resolve(outcome !== undefined),
    run(order, { giveUpAt }) {
      orders.push({ ...order, within: giveUpAt - performance.now() });
      return Promise.resolve(outcome as WorkOutcome);
    },
  };
  const disk: DiskCache = {
    get: (key) => Promise.resolve(cached.get(key)),
    getPieces: () => Promise.resolve(false),
    put: (key, parts: readonly CachePart[]) => {
      cached.set(key, Buffer.concat(parts as readonly Uint8Array[]));
      return Promise.resolve();
    },
    remove: () => undefined,
  };
  const run = (source: ByteSource, head: unknown = {}, session = { work, disk }): Promise<OffloadOutcome> =>
    offloadWork(
      { kind: 'test', version: '1', head, source },
      {
        session: session as unknown as Parameters<typeof offloadWork>[1]['session'],
        signal: new AbortController().signal,
        deadline: performance.now() + 60_000,
      },
    );
  return { run, orders, cached, work, disk };
}

const INPUT = Buffer.alloc(600 << 10, 'input');
const HERE = { kind: 'here' };

test('without workers no bytes are read', async () => {
  const unreadable = {
    ...memoryBytes(INPUT),
    readInto: () => Promise.reject(new Error('it was read')),
  } as ByteSource;
  expect(await replica().run(unreadable)).toEqual(HERE);
});

test('workers get the bytes, their digest and half the time', async () => {
  const { run, orders } = replica({ kind: 'failed', why: 'damaged' });
  expect(await run(memoryBytes(INPUT), { page: 1 })).toEqual({ kind: 'failed', why: 'damaged' });
  const [order] = orders;
  const sha256 = createHash('sha256').update(INPUT).digest('hex');
  expect(order).toMatchObject({ kind: 'test', version: '1', head: { page: 1 }, bytes: INPUT.length, sha256 });
  expect(Buffer.from((await order?.read(600, 10)) ?? []).toString()).toBe(INPUT.toString('utf8', 600, 610));
  expect(order?.within).toBeLessThanOrEqual(30_000);
  expect(order?.within).toBeGreaterThan(0);
});

test('input of unknown size, too large or uncached stays here', async () => {
  const { run, orders, work, disk } = replica({ kind: 'failed', why: 'never asked' });
  expect(await run({ ...memoryBytes(INPUT), size: undefined } as unknown as ByteSource)).toEqual(HERE);
  expect(await run({ ...memoryBytes(INPUT), size: (32 << 20) + 1 } as ByteSource)).toEqual(HERE);
  expect(await run(memoryBytes(INPUT), {}, { work } as never)).toEqual(HERE);
  expect(await run(memoryBytes(INPUT), {}, { disk } as never)).toEqual(HERE);
  expect(orders).toEqual([]);
});

/** What a session sees of a shared store, whatever the store answers. `stores.test.ts` asks the real ones. */

import { expect, test } from 'vitest';
import type { StateChange, StateName } from '../../../src/types/state.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const NAME: StateName = { kind: 'seen', of: ['a', 1] };

test('a value is found only with name, space and key', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  const bytes = Buffer.from([0, 255, 10, 13]);
  expect(await state.space('s').put(NAME, bytes, 5_000)).toBe(true);
  expect(await store.replica().space('s').get(NAME)).toEqual(bytes);
  expect(await state.space('t').get(NAME)).toBeUndefined();
  expect(await state.space('s').get({ kind: 'seen', of: ['a', 2] })).toBeUndefined();
  expect(await state.space('s').get({ kind: 'cache', of: ['a', 1] })).toBeUndefined();
  expect(await store.replica('k'.repeat(40)).space('s').get(NAME)).toBeUndefined();
  const [key = ''] = store.keys('seen');
  expect([store.values.size, store.ttls.get(key)]).toEqual([1, 5_000]);
  await state.space('s').remove(NAME);
  expect([store.values.size, await state.space('s').get(NAME)]).toEqual([0, undefined]);
});

test('an operator can tell spaces of keys apart, without names', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  for (const of of ['one', 'two'])
    await state.space('alice').put({ kind: 'task', of: [of] }, Buffer.from('x'), 1);
  await state.space('bob').put({ kind: 'task', of: ['one'] }, Buffer.from('x'), 1);
  const spaces = store.keys('task').map((key) => key.split(':')[2]);
  expect(spaces[0]).toMatch(/^[\w-]{22}$/);
  expect([spaces[1] === spaces[0], spaces[2] === spaces[0]]).toEqual([true, false]);
  expect(store.keys('task').join()).not.toMatch(/alice|bob|one|two/);
  expect(state.nameOf('x')).toBe(store.replica().nameOf('x'));
  expect(state.nameOf('x')).not.toBe(store.replica('k'.repeat(40)).nameOf('x'));
});

test('too large values are not stored, foreign ones are missing', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  const space = state.space('s');
  expect(await space.put(NAME, Buffer.alloc((2 << 20) + 1), 1)).toBe(false);
  expect(store.values.size).toBe(0);
  expect(await space.put(NAME, Buffer.alloc(2 << 20), 1)).toBe(true);
  expect((await space.get(NAME))?.length).toBe(2 << 20);
  const [key = ''] = store.keys('seen');
  const stored = String(store.values.get(key));
  const changed = stored[99] === 'A' ? 'B' : 'A';
  const forged = [`${stored.slice(0, 99)}${changed}${stored.slice(100)}`, `x${stored}`, stored.slice(0, -8)];
  for (const value of [...forged, 'oriel-1.', '', stored + ' '.repeat(300)]) {
    store.values.set(key, value);
    expect((await space.get(NAME)) === undefined, value.slice(0, 99)).toBe(true);
  }
  store.values.set(key, 7);
  expect(await space.get(NAME)).toBeUndefined();
  const { operations, bytesRead, bytesWritten } = state.stats();
  expect(operations.get('get')).toEqual({ ok: 1, missing: 1, refused: 6, away: 0 });
  expect(operations.get('put')).toEqual({ ok: 1, missing: 0, refused: 1, away: 0 });
  expect([bytesRead, bytesWritten]).toEqual([stored.length, stored.length]);
});

test('a counter begins at its start, a forged one fails', async () => {
  const store = new MemoryStore();
  const space = store.replica().space('s');
  const sums = [
    await space.add(NAME, 1, 10, 1),
    await space.add(NAME, 5, 10, 1),
    await space.add(NAME, -6, 0, 1),
  ];
  expect(sums).toEqual([11, 16, 10]);
  const [key = ''] = store.keys('seen');
  store.values.set(key, 'forged');
  expect(await space.add(NAME, 1, 0, 1)).toBe('away');
});

test('every operation tells an outage, and the store comes back', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  const changes: StateChange[] = [];
  state.onChange((change) => changes.push(change));
  const space = state.space('s');
  await state.connected();
  store.kill();
  expect([state.stats().up, space.isUp]).toEqual([true, true]);
  expect(await space.get(NAME)).toBe('away');
  expect(await space.put(NAME, Buffer.from('x'), 1)).toBe(false);
  expect(await space.add(NAME, 1, 0, 1)).toBe('away');
  await space.remove(NAME);
  expect([state.stats().up, space.isUp]).toEqual([false, false]);
  store.restart();
  await expect.poll(() => space.isUp).toBe(true);
  expect(await space.put(NAME, Buffer.from('x'), 1)).toBe(true);
  expect(changes).toEqual([{ kind: 'away', why: 'ECONNREFUSED' }, { kind: 'back' }]);
  const { outages, operations } = state.stats();
  expect(outages).toBe(1);
  const away = [...operations].map(([operation, counts]) => [operation, counts.away]);
  expect(away).toEqual([
    ['get', 1],
    ['put', 1],
    ['add', 1],
    ['remove', 1],
  ]);
});

test('a refusal is no outage, and reported once per reason', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  const changes: StateChange[] = [];
  state.onChange((change) => changes.push(change));
  const space = state.space('s');
  for (const code of ['OOM', 'OOM', 'READONLY']) {
    store.refuse(code);
    expect(await space.put(NAME, Buffer.from('x'), 1)).toBe(false);
  }
  expect([await space.get(NAME), await space.add(NAME, 1, 0, 1)]).toEqual([undefined, 'away']);
  await space.remove(NAME);
  store.refuse(undefined);
  expect(await space.put(NAME, Buffer.from('x'), 1)).toBe(true);
  expect(changes).toEqual([
    { kind: 'refused', why: 'OOM' },
    { kind: 'refused', why: 'READONLY' },
  ]);
  const { up, outages, operations } = state.stats();
  expect([up, outages]).toEqual([true, 0]);
  expect([...operations.values()].map(({ refused }) => refused)).toEqual([3, 1, 1, 1]);
});

test('after its end a replica asks nothing', async () => {
  const store = new MemoryStore();
  const state = store.replica();
  await state.close();
  expect(await state.space('s').get(NAME)).toBe('away');
  expect(state.work('s')).toBeUndefined();
});

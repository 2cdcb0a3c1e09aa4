/** Snapshots of several replicas, with a store in memory; `test/packages/scale/stores.test.ts` holds the real ones to the same. */

import { expect, onTestFinished, test } from 'vitest';
import { SharedSnapshots } from '../../../packages/scale/src/session/cache.ts';
import type { SharedState } from '../../../src/types/state.ts';
import { MemoryStore, requestsOf } from '../../support/memory-store.ts';

const digest = (start: string): string => start.padEnd(64, '0');

const numbered = (from: number, to: number): [number, string][] =>
  Array.from({ length: to - from + 1 }, (_, i) => [from + i, `line ${from + i}\n`]);

const store = new MemoryStore();

interface Replica {
  readonly snapshots: SharedSnapshots;
  readonly state: SharedState;
}
function replica(space: string, secret?: string): Replica {
  const state = store.replica(secret);
  const snapshots = new SharedSnapshots(state.space(space));
  onTestFinished(() => snapshots.close());
  return { snapshots, state };
}
const show = async ({ snapshots }: Replica, lines: [number, string][], content = digest('beef')) => {
  const tag = snapshots.tag('/f', content);
  snapshots.see('/f', tag, lines);
  await snapshots.flush();
  return tag;
};
const uses = ({ state }: Replica): number => requestsOf(state);

test('another replica recalls a line, under the same tag only', async () => {
  const [one, two] = [replica('a'), replica('a')];
  const tag = await show(one, numbered(500, 1_100));
  expect(tag).toBe('BEEF0000');
  expect(two.snapshots.tag('/f', digest('beef'))).toBe(tag);
  expect([...(await two.snapshots.lines('/f', tag, 498, 501))]).toEqual(numbered(500, 501));
  expect([...(await replica('a').snapshots.lines('/f', tag, 1, 2_000))]).toEqual(numbered(500, 1_100));
  expect((await two.snapshots.lines('/f', 'BEEF0001', 500, 501)).size).toBe(0);
  expect((await two.snapshots.lines('/g', tag, 500, 501)).size).toBe(0);
});

test('lines of one version from several replicas are merged everywhere', async () => {
  const [one, two, third] = [replica('together'), replica('together'), replica('together')];
  const tag = await show(one, numbered(1, 3));
  await show(two, numbered(3, 6));
  for (const { snapshots } of [one, two, third])
    expect([...(await snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 6));
});

test('lines shown concurrently by several replicas are merged everywhere', async () => {
  const replicas = Array.from({ length: 4 }, () => replica('at once'));
  const tag = 'BEEF0000';
  for (let round = 0; round < 5; round += 1) {
    const first = 40 * round;
    const shows = replicas.map((one, i) => show(one, numbered(first + 10 * i + 1, first + 10 * i + 10)));
    await Promise.all(shows);
    for (const { snapshots } of [...replicas, replica('at once')])
      expect([...(await snapshots.lines('/f', tag, 1, 300))]).toEqual(numbered(1, first + 40));
  }
});

test('a recall asks for a bounded number of replicas', async () => {
  let tag = '';
  for (let i = 1; i <= 20; i += 1) tag = await show(replica('crowd'), numbered(i, i));
  const last = replica('crowd');
  expect([...(await last.snapshots.lines('/f', tag, 1, 20))]).toEqual(numbered(5, 20));
  expect(uses(last)).toBe(17);
});

test('on any replicas two contents never share a tag', () => {
  const contents = ['beef1', 'beef2', 'beef3'].map(digest);
  const tags = contents.map((content) => {
    const { snapshots } = replica('tags');
    for (let i = 0; i < 1_100; i += 1) snapshots.tag('/f', digest(`${i.toString(16).padStart(8, 'a')}`));
    return snapshots.tag('/f', content);
  });
  expect(new Set(tags).size).toBe(3);
});

test('other clients and other operators cannot recall it', async () => {
  const tag = await show(replica('client alice'), numbered(1, 3));
  for (const other of [replica('client bob'), replica('client alice', 'k'.repeat(40))])
    expect((await other.snapshots.lines('/f', tag, 1, 3)).size).toBe(0);
});

test('a page costs two store operations, all after its answer', async () => {
  const one = replica('cost');
  await one.state.connected();
  const tag = one.snapshots.tag('/f', digest('beef'));
  for (let from = 1; from <= 401; from += 50) one.snapshots.see('/f', tag, numbered(from, from + 49));
  expect(uses(one)).toBe(0);
  await one.snapshots.flush();
  expect(uses(one)).toBe(2);
  await show(one, numbered(1, 450));
  expect(uses(one)).toBe(4);
  expect((await one.snapshots.lines('/f', tag, 1, 450)).size).toBe(450);
  expect(uses(one)).toBe(4);
});

test('pending uploads and the size of a request are bounded', async () => {
  const one = replica('bounds');
  const large = one.snapshots.tag('/f', digest('beef'));
  one.snapshots.see('/f', large, [[1, 'x'.repeat(600 << 10)]]);
  await one.snapshots.flush();
  // A part of a file that is too large for one value is not sent.
  expect(uses(one)).toBe(0);
  const tag = one.snapshots.tag('/g', digest('beef'));
  for (let i = 0; i < 200; i += 1) one.snapshots.see('/g', tag, [[512 * i + 1, 'x\n']]);
  await one.snapshots.flush();
  expect(uses(one)).toBe(128);
  const before = uses(one);
  await one.snapshots.lines('/h', 'BEEF0000', 1, Number.MAX_SAFE_INTEGER);
  expect(uses(one) - before).toBe(8);
});

test('a snapshot lost by the store returns when shown again', async () => {
  const [one, two, third] = [replica('lost'), replica('lost'), replica('lost')];
  const tag = await show(one, numbered(1, 3));
  store.values.clear();
  await show(two, numbered(4, 6));
  expect([...(await third.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(4, 6));
  await show(one, numbered(1, 3));
  expect([...(await third.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 6));
});

test('without the store each replica uses its own snapshots', async () => {
  const [one, two] = [replica('away'), replica('away')];
  const early = await show(one, numbered(1, 2));
  expect((await two.snapshots.lines('/f', early, 1, 2)).size).toBe(2);
  store.kill();
  const tag = await show(one, numbered(3, 4));
  expect([...(await one.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 4));
  expect([...(await two.snapshots.lines('/f', tag, 1, 9))]).toEqual(numbered(1, 2));
  store.restart();
  await expect.poll(() => one.state.stats().up).toBe(true);
  // What was not sent is sent with the next time that it is shown.
  await show(one, numbered(3, 4));
  await expect.poll(() => two.state.stats().up).toBe(true);
  expect((await two.snapshots.lines('/f', tag, 3, 4)).size).toBe(2);
});

test('stored snapshots expire, are encrypted, and return intact or never', async () => {
  const { snapshots: one } = replica('sealed');
  const tags = ['beef', 'dead'].map((start) => one.tag('/secret', digest(start)));
  const before = new Set(store.values.keys());
  for (const tag of tags) one.see('/secret', tag, [[1, `shown under ${tag}\n`]]);
  await one.close();
  const all = store.keys('shown').filter((at) => !before.has(at));
  for (const at of all) {
    expect(store.ttls.get(at)).toBe(60 * 60_000);
    expect(at + String(store.values.get(at))).not.toMatch(/secret|BEEF|shown under/);
  }
  // The others are numbers.
  const keys = all.filter((at) => typeof store.values.get(at) === 'string');
  expect([all.length, keys.length]).toEqual([4, 2]);
  // Values that change places are under keys that are not theirs.
  const [a = '', b = ''] = keys;
  const [ofA = '', ofB = ''] = [store.values.get(a), store.values.get(b)];
  store.values.set(a, ofB).set(b, ofA);
  const recalled = async (): Promise<number> => {
    const found = tags.map((tag) => replica('sealed').snapshots.lines('/secret', tag, 1, 1));
    return (await Promise.all(found)).reduce((sum, { size }) => sum + size, 0);
  };
  expect(await recalled()).toBe(0);
  store.values.set(a, ofA);
  expect(await recalled()).toBe(1);
});

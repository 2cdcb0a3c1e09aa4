/** Kept outputs of several replicas, with a store in memory; `test/packages/scale/stores.test.ts` holds the real ones to the same. */

import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAt } from '../../../src/text/bytes.ts';
import { SharedSpills } from '../../../packages/scale/src/session/spills.ts';
import { LocalSpills } from '../../../src/session/spills.ts';
import type { SharedState, StateName } from '../../../src/types/state.ts';
import { temporaryFolder } from '../../support/commands.ts';
import { MemoryStore, requestsOf } from '../../support/memory-store.ts';

describe('kept outputs of several replicas', () => {
  const store = new MemoryStore();

  interface Replica {
    readonly spills: SharedSpills;
    readonly state: SharedState;
  }
  function replica(space: string, cap?: number, unlisted?: string): Replica {
    const state = store.replica();
    const own = new LocalSpills(
      { state: temporaryFolder(), ...(cap !== undefined && { cap }) },
      undefined,
      unlisted !== undefined,
    );
    onTestFinished(() => own.close());
    return { spills: new SharedSpills(own, state.space(space), { unlisted }), state };
  }
  async function keep(
    { spills }: Replica,
    content: string,
  ): Promise<{ url: string; unshared?: string | undefined }> {
    const sink = spills.create();
    await sink.write(Buffer.from(content));
    return sink.finish();
  }
  async function readBack({ spills }: Replica, url: string): Promise<string> {
    const { file } = await spills.open(Number(url.slice('artifact://'.length)));
    const text = Buffer.from(await readAt(file.bytes, 0, file.size)).toString();
    await file.close();
    return text;
  }

  test('listing before the first output uses no number', async () => {
    const one = replica('listed first');
    expect(await one.spills.listAll()).toEqual([]);
    const { url } = await keep(one, 'text\n');
    expect(Number(url.slice('artifact://'.length))).toBeGreaterThanOrEqual(1_000);
  });

  test('an output of one replica is read and listed elsewhere', async () => {
    const [one, two] = [replica('a'), replica('a')];
    const large = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join('');
    const [small, big] = [await keep(one, 'one\n'), await keep(one, large)];
    expect(await readBack(two, small.url)).toBe('one\n');
    expect((await readBack(two, big.url)) === large).toBe(true);
    const third = await keep(two, 'three\n');
    expect(await readBack(one, third.url)).toBe('three\n');
    const all = [small, big, third].map(({ url }) => url);
    expect((await replica('a').spills.listAll()).map(({ url }) => url)).toEqual(all);
    expect(small.unshared).toBeUndefined();
  });

  test('empty outputs and outputs cut at the cap are shared', async () => {
    const [one, two] = [replica('cap', 5), replica('cap')];
    const [empty, cut] = [await keep(one, ''), await keep(one, '1234567')];
    expect(await readBack(two, empty.url)).toBe('');
    const { file, capped } = await two.spills.open(Number(cut.url.slice(11)));
    expect([capped, file.size]).toEqual([true, 5]);
    await file.close();
  });

  test('numbers are unique, also among replicas that keep outputs concurrently', async () => {
    const replicas = [replica('numbers'), replica('numbers'), replica('numbers')];
    const kept = await Promise.all(
      Array.from({ length: 30 }, (_, i) => keep(replicas[i % 3] as Replica, `${i}\n`)),
    );
    expect(new Set(kept.map(({ url }) => url)).size).toBe(30);
    const texts = await Promise.all(
      kept.map(({ url }, i) => readBack(replicas[(i + 1) % 3] as Replica, url)),
    );
    expect(texts).toEqual(Array.from({ length: 30 }, (_, i) => `${i}\n`));
  });

  test('another client can neither read nor discover it', async () => {
    const { url } = await keep(replica('client alice'), 'hers\n');
    await expect(readBack(replica('client bob'), url)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `There is no ${url}. No output has been kept.`,
    });
  });

  test('paging continues when the store fails, later outputs stay local', async () => {
    const [one, two] = [replica('dies'), replica('dies')];
    const { url } = await keep(one, 'a\nb\nc\n');
    const unread = await keep(one, 'never read elsewhere\n');
    expect(await readBack(two, url)).toBe('a\nb\nc\n');
    store.kill();
    expect(await readBack(two, url)).toBe('a\nb\nc\n');
    expect(await readBack(one, unread.url)).toBe('never read elsewhere\n');
    await expect(readBack(two, unread.url)).rejects.toMatchObject({ code: 'BUSY', next: unread.url });
    const alone = await keep(two, 'alone\n');
    expect(alone.unshared).toBe('the shared store does not answer');
    expect(await readBack(two, alone.url)).toBe('alone\n');
    expect(two.spills.list().map((kept) => kept.url)).toEqual([url, alone.url]);
    store.restart();
    await expect.poll(() => two.state.stats().up && one.state.stats().up).toBe(true);
    // It came back empty: old numbers mean what they meant, and nothing new takes them.
    await expect(readBack(two, unread.url)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const fresh = await keep(one, 'fresh\n');
    expect([url, unread.url, alone.url]).not.toContain(fresh.url);
    expect(await readBack(two, fresh.url)).toBe('fresh\n');
    expect(await readBack(one, url)).toBe('a\nb\nc\n');
  });

  test('missing or forged pieces are not part of an output', async () => {
    const [one, two] = [replica('pieces'), replica('pieces')];
    const { url, path } = (await keep(one, 'x'.repeat(600_000))) as { url: string; path: string };
    const keys = store.keys('piece');
    for (const piece of keys) store.values.set(piece, 'oriel-1.Zm9yZ2Vk');
    const failed = await readBack(two, url).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'NOT_FOUND' });
    expect(two.spills.list()).toEqual([]);
    expect((await readBack(one, url)) === readFileSync(path, 'latin1')).toBe(true);
    expect(keys.length).toBeGreaterThan(1);
  });

  /** Uses of the store that `act` costs. */
  async function usesOf({ state }: Replica, act: () => Promise<unknown>): Promise<number> {
    const before = requestsOf(state);
    await act().catch(() => undefined);
    return requestsOf(state) - before;
  }

  test('a miss costs three requests, a list one per entry', async () => {
    const [one, two] = [replica('costs'), replica('costs')];
    const missing = (number: number) => (): Promise<string> => readBack(two, `artifact://${number}`);
    expect(await usesOf(two, missing(5))).toBeLessThanOrEqual(3);
    const kept: string[] = [];
    for (let i = 0; i < 30; i += 1) kept.push((await keep(one, `${i}\n`)).url);
    const last = Number(kept.at(-1)?.slice(11));
    for (const number of [5, last + 1, last - 500, 9_000_000_000_001])
      expect(await usesOf(two, missing(number))).toBeLessThanOrEqual(3);
    await expect(missing(last + 1)()).rejects.toMatchObject({
      message: `There is no artifact://${last + 1}. The last one kept is artifact://${last}.`,
    });
    expect(await usesOf(two, () => two.spills.listAll())).toBeLessThanOrEqual(41);
    expect((await two.spills.listAll()).map(({ url }) => url)).toEqual(kept);
    expect(await usesOf(replica('nothing kept'), () => two.spills.listAll())).toBeLessThanOrEqual(1);
  });

  test('many concurrent misses are no outage of the store', async () => {
    const [one, two] = [replica('crowd'), replica('crowd')];
    await keep(one, 'x');
    const lost = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        readBack(two, `artifact://${i + 1}`).catch((error: unknown) => error),
      ),
    );
    expect(new Set(lost.map((error) => (error as { code: string }).code))).toEqual(new Set(['NOT_FOUND']));
    expect((await keep(two, 'y')).unshared).toBeUndefined();
    expect(two.state.stats()).toMatchObject({ up: true, outages: 0 });
  });

  test('an unshared output uses no daily quota and no space', async () => {
    const one = replica('slow quota');
    const space = one.state.space('slow quota');
    const today = Math.floor(Date.now() / 86_400_000);
    const own = new LocalSpills({ state: temporaryFolder() });
    onTestFinished(() => own.close());
    let refused = 0;
    // A store that is full: the second piece and all after it are refused.
    const full = {
      ...space,
      isUp: true,
      put: (at: StateName, bytes: Uint8Array, ttl: number) =>
        at.kind === 'piece' && at.of[1] !== 0
          ? Promise.resolve((refused += 1) < 0)
          : space.put(at, bytes, ttl),
    };
    const spills = new SharedSpills(own, full);
    const pieces = (): number => store.keys('piece').length;
    const before = pieces();
    const sink = spills.create();
    await sink.write(Buffer.alloc(3 << 20, 'x'));
    expect(await sink.finish()).toMatchObject({ unshared: 'the shared store does not take it' });
    expect(refused).toBeGreaterThan(0);
    await expect.poll(pieces).toBe(before);
    await expect.poll(() => space.add({ kind: 'quota', of: ['spill', today] }, 0, 0, 60_000)).toBe(0);
  });

  describe('of anonymous clients', () => {
    test('is readable on every replica by its number alone', async () => {
      const [one, two] = [replica('nameless', undefined, 'alice'), replica('nameless', undefined, 'bob')];
      const kept = await Promise.all([keep(one, 'of one\n'), keep(two, 'of two\n'), keep(one, 'more\n')]);
      for (const { url, unshared } of kept)
        expect([url, unshared]).toEqual([expect.stringMatching(/^artifact:\/\/\d{15}$/), undefined]);
      expect(await readBack(two, kept[0].url)).toBe('of one\n');
      expect(await readBack(one, kept[1].url)).toBe('of two\n');
      expect(await readBack(replica('nameless', undefined, 'carol'), kept[2].url)).toBe('more\n');
      for (const { spills } of [one, two]) {
        expect([spills.list(), await spills.listAll(), spills.isEmpty]).toEqual([[], [], false]);
      }
      for (const number of [1, 2, Number(kept[0].url.slice(11)) + 1])
        await expect(readBack(two, `artifact://${number}`)).rejects.toMatchObject({
          code: 'NOT_FOUND',
          message: `There is no artifact://${number}, or it was removed. Outputs of clients without a name are not listed; repeat the call that made it.`,
        });
      expect(await usesOf(two, () => readBack(two, 'artifact://7'))).toBe(1);
    });

    test('keeps its number without the store, each client its quota', async () => {
      const [one, two] = [
        replica('nameless too', undefined, 'alice'),
        replica('nameless too', undefined, 'bob'),
      ];
      const today = Math.floor(Date.now() / 86_400_000);
      await one.state
        .space('nameless too')
        .add({ kind: 'quota', of: ['spill', today, 'alice'] }, 512 << 20, 0, 60_000);
      const alone = await keep(one, 'alone\n');
      expect(alone).toMatchObject({ unshared: 'more than 512 MiB were shared today' });
      expect(await readBack(one, alone.url)).toBe('alone\n');
      await expect(readBack(two, alone.url)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await keep(two, 'shared\n')).unshared).toBeUndefined();
    });
  });

  test('an output over the daily quota says it is unshared', async () => {
    const one = replica('quota');
    const today = Math.floor(Date.now() / 86_400_000);
    await one.state.space('quota').add({ kind: 'quota', of: ['spill', today] }, 512 << 20, 0, 60_000);
    expect(await keep(one, 'x')).toMatchObject({ unshared: 'more than 512 MiB were shared today' });
  });
});
